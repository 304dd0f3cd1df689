package zone

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestOwnIsComplete reads what renew.py writes.
func TestOwnIsComplete(t *testing.T) {
	t.Parallel()
	own, err := readCarried()
	if err != nil {
		t.Fatal(err)
	}
	if !versionForm.MatchString(own.Version) || own.Version < "2026f" || own.Source() != "program" {
		t.Errorf("got version %q from the %s, want 2026f or later from the program", own.Version, own.Source())
	}
	for _, name := range []string{"America/Toronto", "America/Yellowknife", "Canada/Pacific"} {
		if location := own.Location(name); location == nil || location.String() != name {
			t.Errorf("%s: got %v, want the zone", name, location)
		}
	}
	if location := own.Location("Europe/Paris"); location != nil {
		t.Errorf("Europe/Paris: got %v, want none", location)
	}
}

// system writes the zones of a system into a folder: those that the program carries, under
// another version.
func system(t *testing.T, own *Database, versionFile, version string) string {
	t.Helper()
	folder := t.TempDir()
	for name, file := range own.files {
		write(t, filepath.Join(folder, name), file)
	}
	write(t, filepath.Join(folder, versionFile), version)
	return folder
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNewestPrefersTheNewer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, version, want string }{
		{"tzdata.zi", "# version 2026g\n# This zic input file is in the public domain.\n", "2026g"},
		{"tzdata.zi", "# version 2027a-dirty\n", "2027a"},
		{"tzdata.zi", "# version 2026za\n", "2026za"},
		{"+VERSION", "2027b\n", "2027b"},
		{"tzdata.zi", "# version 2026f\n", ""},
		{"tzdata.zi", "# version 2025z\n", ""},
		{"tzdata.zi", "# version unknown\n", ""},
		{"+VERSION", "", ""},
		{"notes", "2027a\n", ""},
	} {
		own := *Own()
		own.Version = "2026f"
		folder := system(t, &own, c.file, c.version)
		write(t, filepath.Join(folder, "America/Vancouver"), own.files["America/Edmonton"]) // a law of the future
		got, err := newest(&own, []string{filepath.Join(folder, "missing"), folder})
		if err != nil {
			t.Errorf("%s %q: %v", c.file, c.version, err)
		}
		if c.want == "" {
			if got != &own {
				t.Errorf("%s %q: got %s in %s, want those of the program", c.file, c.version, got.Version, got.Folder)
			}
			continue
		}
		if got.Version != c.want || got.Folder != folder || got.Source() != "system" {
			t.Errorf("%s %q: got %s in %s, want %s in %s", c.file, c.version, got.Version, got.Folder, c.want, folder)
		}
		winter := time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)
		if shifted := east(got.Location("America/Vancouver"), winter); shifted != -6*time.Hour {
			t.Errorf("%s %q: Vancouver is %s ahead of UTC, want the -6 h of the system's file", c.file, c.version, shifted)
		}
	}
}

// TestNewestOfSeveral takes the newest folder, wherever it is in the list.
func TestNewestOfSeveral(t *testing.T) {
	t.Parallel()
	own := Own()
	older, newer := system(t, own, "+VERSION", "2990a"), system(t, own, "+VERSION", "2990b")
	for _, candidates := range [][]string{{older, newer}, {newer, older}} {
		if got, err := newest(own, candidates); err != nil || got.Folder != newer {
			t.Errorf("got %s, %v, want %s", got.Folder, err, newer)
		}
	}
}

// TestLinksMayBeMissing: Debian has names that are only links in a package of their own.
func TestLinksMayBeMissing(t *testing.T) {
	t.Parallel()
	own := Own()
	folder := system(t, own, "tzdata.zi", "# version 2990a\n")
	for _, link := range []string{"America/Yellowknife", "Canada/Mountain", "Canada/Pacific"} {
		if err := os.Remove(filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := newest(own, []string{folder})
	if err != nil || got.Folder != folder {
		t.Fatalf("got the zones of %q, %v, want those of the system", got.Folder, err)
	}
	if location := got.Location("America/Yellowknife"); location == nil || location.String() != "America/Yellowknife" {
		t.Errorf("got %v, want America/Yellowknife", location)
	}
}

// TestUnusableSystem: data that are newer but incomplete or damaged are reported, not used.
func TestUnusableSystem(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("of 2990a in .*: (America/Regina|Canada/Saskatchewan): ")
	own := Own()
	for name, harm := range map[string]func(path string) error{
		"missing":   os.Remove,
		"damaged":   func(path string) error { return os.WriteFile(path, []byte("TZif"), 0o600) },
		"a folder":  replaceByFolder,
		"shortened": func(path string) error { return os.Truncate(path, 100) },
	} {
		folder := system(t, own, "tzdata.zi", "# version 2990a\n")
		if err := harm(filepath.Join(folder, "America", "Regina")); err != nil {
			t.Fatal(err)
		}
		if name == "missing" { // under its other name, too
			if err := os.Remove(filepath.Join(folder, "Canada", "Saskatchewan")); err != nil {
				t.Fatal(err)
			}
		}
		got, err := newest(own, []string{folder})
		if got != own || !named.MatchString(fmt.Sprint(err)) {
			t.Errorf("%s: got the zones of %q and error %v, want the program's and an error like %s", name, got.Folder, err,
				named)
		}
	}
}

func replaceByFolder(path string) error {
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Mkdir(path, 0o700)
}

func TestOld(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	own := *Own()
	own.Version, own.since = "2026f", day("2026-10-28")
	read := func(version string) *Database {
		other, err := newest(&own, []string{system(t, &own, "+VERSION", version)})
		if err != nil {
			t.Fatal(err)
		}
		return other
	}
	for _, c := range []struct {
		database *Database
		at       string
		want     bool
	}{
		{&own, "2026-11-25", false},
		{&own, "2027-10-28", false},
		{&own, "2027-10-30", true},
		{read("2026g"), "2027-10-28", false}, // newer than the program's, so released later
		{read("2026g"), "2027-10-30", true},
		{read("2027a"), "2027-10-30", false},
		{read("2027a"), "2028-01-03", true},
	} {
		if got := c.database.Old(day(c.at)); got != c.want {
			t.Errorf("%s on %s: got old %t, want %t", c.database.Version, c.at, got, c.want)
		}
	}
}

func TestShifts(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"America/Toronto":   "2026-07-01T12:00:00Z -4h0m0s, 2026-11-01T06:00:00Z -5h0m0s, 2027-03-14T07:00:00Z -4h0m0s",
		"America/Vancouver": "2026-07-01T12:00:00Z -7h0m0s", // on 1 November only the name of the time changes
		"America/St_Johns":  "2026-07-01T12:00:00Z -2h30m0s, 2026-11-01T04:30:00Z -3h30m0s, 2027-03-14T05:30:00Z -2h30m0s",
		"America/Regina":    "2026-07-01T12:00:00Z -6h0m0s",
	} {
		var got []string
		for _, shift := range Shifts(Own().Location(name), from, from.AddDate(1, 0, 0)) {
			got = append(got, shift.At.Format(time.RFC3339)+" "+shift.East.String())
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// TestLocal is not parallel, because it sets the environment.
func TestLocal(t *testing.T) {
	of := *Own()
	for zone, want := range map[string]*time.Location{
		"America/Edmonton": of.Location("America/Edmonton"), ":Canada/Pacific": of.Location("Canada/Pacific"),
		"Europe/Paris": nil, "": nil,
	} {
		t.Setenv("TZ", zone)
		of.Folder = ""
		if got := of.Local(); got != want {
			t.Errorf("TZ=%s: got %v, want %v", zone, got, want)
		}
		of.Folder = "/usr/share/zoneinfo"
		if got := of.Local(); got != nil {
			t.Errorf("TZ=%s with the data of the system: got %v, want nil, so that Go's are used", zone, got)
		}
	}
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"America/Edmonton":                     "America/Edmonton",
		":America/Edmonton":                    "America/Edmonton",
		"/usr/share/zoneinfo/America/Edmonton": "America/Edmonton",
		"/private/var/db/timezone/tz/2025b.1.0/zoneinfo/Canada/Pacific": "Canada/Pacific",
		"":               "UTC",
		"/etc/localtime": "/etc/localtime",
	} {
		if got := nameOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestLinksAreOfOneZone: what a system may leave out, as TestLinksMayBeMissing has it, is
// found by its contents.
func TestLinksAreOfOneZone(t *testing.T) {
	t.Parallel()
	own := Own()
	for link, zone := range map[string]string{
		"America/Yellowknife": "America/Edmonton",
		"Canada/Pacific":      "America/Vancouver",
		"Canada/Central":      "America/Winnipeg",
	} {
		if own.files[link] == "" || own.files[link] != own.files[zone] {
			t.Errorf("%s: got other clocks than those of %s, want the same", link, zone)
		}
	}
}
