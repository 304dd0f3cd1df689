package app_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/machine"
)

// on makes a service believe that its database is in a file system of a kind.
func on(kind machine.FileSystem, err error) func(*config.Config, *app.Surroundings) {
	return func(_ *config.Config, world *app.Surroundings) {
		world.FileSystem = func(string) (machine.FileSystem, error) { return kind, err }
	}
}

// TestNetworkFileSystems expects no database in a file system that damages it, and a
// warning for those that may.
func TestNetworkFileSystems(t *testing.T) {
	t.Parallel()
	embedded(t)
	dir := t.TempDir()
	for _, c := range []struct {
		kind machine.FileSystem
		err  error
		want string
	}{
		{machine.FileSystem{Name: "NFS", Unsafe: true}, nil, "is in a network file system (NFS)"},
		{machine.FileSystem{}, errors.New("stale file handle"), "stale file handle"},
	} {
		if err := apptest.StartError(t, apptest.DataIn(dir), on(c.kind, c.err)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.kind.Name, err, c.want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s: got files %v, error %v, want none", c.kind.Name, entries, err)
		}
	}
	for kind, want := range map[machine.FileSystem]bool{{Name: "FUSE"}: true, {}: false} {
		s := apptest.Start(t, on(kind, nil))
		s.Stop()
		if got := strings.Contains(s.Log.String(), "needs one whose locks"); got != want {
			t.Errorf("%q: got a warning: %t, want %t: %s", kind.Name, got, want, s.Log)
		}
	}
}
