package cluster_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestEmbeddedUpgrade replaces the program of 0.1.0 on its data directory while orders move and a courier's phone is
// offline. The old program has made a backup: it is the way back, and either program can restore it.
func TestEmbeddedUpgrade(t *testing.T) {
	t.Parallel()
	old := oldBinary(t)
	for name, signal := range map[string]syscall.Signal{"stopped": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &node{settings: settings{data: filepath.Join(t.TempDir(), "data"), webhooks: true, binary: old}}
			n.start(t)
			c := carry(t, n.service())
			backup := filepath.Join(t.TempDir(), "before.db")
			dropyard(t, n.settings, "backup", backup)
			m := newBadReceiver(t)
			m.calmDown()
			partner := n.service().Register(t, "metro")
			m.secret = partner.SetEndpoint(t, m.URL+"/hook")
			var moving sync.WaitGroup
			for i := range testkit.Scaled(8, 2) {
				moving.Go(func() { n.move(t, i, partner, c.desk) })
			}
			each := int64(testkit.Scaled(500, 50))
			m.requests.await(t, each)
			printed := n.process.end(signal)
			if strings.Contains(printed, "ERROR") || strings.Contains(printed, "panic") {
				t.Errorf("0.1.0 printed %s", printed)
			}
			n.settings.binary = ""
			n.start(t)
			c.arrive(t, n.service(), n.service())
			m.requests.await(t, each)
			n.ending.Store(true)
			moving.Wait()
			n.settled(t)
			if printed := n.process.end(syscall.SIGTERM); strings.Contains(printed, "ERROR") ||
				strings.Contains(printed, "panic") {
				t.Errorf("the program printed %s", printed)
			}
			n.stored().Audit(t)
			c.addsUp(t, n.stored())
			m.check(t, n.stored(), partner)
			if signal == syscall.SIGTERM {
				m.once(t)
				c.receiver.once(t)
			}
			t.Logf("%d orders moved to the end", n.moved.Load())
			c.goBack(t, n.settings, old, backup)
		})
	}
}

// goBack has the program of 0.1.0 refuse the upgraded directory, and restores the backup from before the upgrade: by
// either program into new directories, and by 0.1.0 in the place of the upgraded database.
func (c *carried) goBack(t *testing.T, upgraded settings, old, backup string) {
	t.Helper()
	back := upgraded
	back.binary = old
	before := files(t, upgraded.data)
	refused(t, back)
	if after := files(t, upgraded.data); !maps.Equal(before, after) {
		t.Errorf("got the files %v after the refusal, want them unchanged: %v", after, before)
	}
	key, err := os.ReadFile(filepath.Join(upgraded.data, "master.key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{old, ""} {
		for _, runs := range slices.Compact([]string{by, ""}) {
			s := settings{data: filepath.Join(t.TempDir(), "data"), webhooks: true, binary: by}
			dropyard(t, s, "restore", backup)
			if err := os.WriteFile(filepath.Join(s.data, "master.key"), key, 0o600); err != nil {
				t.Fatal(err)
			}
			s.binary = runs
			c.resume(t, s)
		}
	}
	dropyard(t, back, "restore", backup, "--force")
	c.resume(t, back)
}

// dropyard runs a command of the program on a file, which must succeed.
func dropyard(t *testing.T, s settings, command, file string, flags ...string) {
	t.Helper()
	args := append([]string{command, "--data", s.data, file}, flags...)
	if out, err := exec.Command(s.program(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

// files returns the digests of the files in a directory by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	digests := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		digests[path] = fmt.Sprintf("%x", sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return digests
}
