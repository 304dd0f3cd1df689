package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/config"
)

func TestDoctorChecksFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, closed := filepath.Join(dir, "file"), filepath.Join(dir, "closed")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		settings config.Config
		want     string // part of the only finding
	}{
		{config.Config{Data: dir}, ""},
		{config.Config{Data: dir, Backups: filepath.Join(dir, "a", "b"), ExportTo: dir, Proofs: dir}, ""},
		{config.Config{Data: dir, Backups: filepath.Join(file, "b")}, "the folder of --backups, " + filepath.Join(file, "b")},
		{config.Config{Data: dir, ExportTo: filepath.Join(file, "e")}, "the folder of --export-to"},
		{config.Config{Data: dir, Proofs: filepath.Join(file, "p", "q")}, "the folder of --proofs"},
		{config.Config{Data: dir, Backups: filepath.Join(closed, "b")}, "the folder of --backups"},
	} {
		if strings.HasPrefix(c.settings.Backups, closed) && mayWrite(closed) == nil {
			continue // root may write anywhere
		}
		d := &Diagnosis{}
		d.checkFolders(&c.settings)
		found := strings.Join(d.Findings, "\n")
		if !strings.Contains(found, c.want) || (c.want == "") != (found == "") || len(d.Findings) > 1 {
			t.Errorf("%+v: got the findings %q, want %q", c.settings, found, c.want)
		}
	}
	if made, err := filepath.Glob(filepath.Join(dir, "a*")); len(made) > 0 || err != nil {
		t.Errorf("got the folders %q, %v, want none made", made, err)
	}
}
