package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/testkit"
)

// laterZones is a folder of a system whose time zones are newer than the program's.
func laterZones(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	must(t, os.CopyFS(folder, os.DirFS(filepath.Join("..", "..", "internal", "foundation", "zone", "data"))))
	must(t, os.WriteFile(filepath.Join(folder, "+VERSION"), []byte("2990a\n"), 0o600))
	return folder
}

// TestVersionNamesTheTimeZones starts the program with time zones of the system.
func TestVersionNamesTheTimeZones(t *testing.T) {
	t.Parallel()
	folder := laterZones(t)
	for expected, r := range map[string]run{
		"2990a":            {env: []string{"ZONEINFO=" + folder}},
		zone.Own().Version: {env: []string{"ZONEINFO=" + filepath.Join(folder, "Canada")}}, // which has no version
	} {
		var described struct {
			TimeZones string `json:"time_zones"`
		}
		got := r.do(t, "version", "--json")
		if err := json.Unmarshal([]byte(got.stdout), &described); err != nil || described.TimeZones < expected {
			t.Errorf("%s: got the time zones of %q, %v, want %s or later", r.env, described.TimeZones, err, expected)
		}
		if got := r.do(t, "version"); !strings.Contains(got.stdout, "\n  zones  "+described.TimeZones+"\n") {
			t.Errorf("%s: got %s, want the time zones", r.env, got.stdout)
		}
	}
}

// TestDoctorNamesUnusableTimeZones: newer time zones of the system are used if they are complete.
func TestDoctorNamesUnusableTimeZones(t *testing.T) {
	t.Parallel()
	folder := laterZones(t)
	r := run{dir: testkit.FastDir(t), env: []string{"ZONEINFO=" + folder}}
	want := "the time zones are those of 2990a, from " + folder
	if got := r.do(t, "doctor", "--data", r.dir); !strings.Contains(got.stderr+got.stdout, want) {
		t.Errorf("got %+v, want the time zones of %s", got, folder)
	}
	must(t, os.Remove(filepath.Join(folder, "America", "Regina")))
	must(t, os.Remove(filepath.Join(folder, "Canada", "Saskatchewan")))
	want = "the time zones of 2990a in " + folder + " cannot be used"
	if got := r.do(t, "doctor", "--data", r.dir); got.code != 1 || !strings.Contains(got.stdout+got.stderr, want) {
		t.Errorf("got %+v, want a fault that names %s", got, folder)
	}
}
