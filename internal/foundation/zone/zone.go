// Package zone has the time zones of Canada by the current law, and is the only place
// from which the service takes time zones.
//
// The data are those of the IANA time zone database. The program carries a copy (renew.py
// writes it), and uses the copy of the system instead if that is newer. Go's own copy is
// not used for places: it is as old as the release of Go.
package zone

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for the user's own zone outside of Canada, on machines without a database
)

// Database holds the time zones of one version of the data. It is not modified once it was
// read, so many goroutines may use it.
type Database struct {
	// Version is the version of the IANA database, such as 2026f. Later versions are
	// greater as texts.
	Version string
	// Folder is the folder of the system that the data were read from; empty for the data
	// that the program carries.
	Folder string

	// since is the earliest time at which the version can have been released.
	since time.Time
	files map[string]string // the compiled zones by name
	zones map[string]*time.Location
}

//go:embed data
var data embed.FS

// Own returns the data that the program carries.
func Own() *Database { return readOwn() }

var readOwn = sync.OnceValue(func() *Database {
	own, err := readCarried()
	if err != nil {
		panic("zone: " + err.Error()) // cannot happen: tests read the same files
	}
	return own
})

func readCarried() (*Database, error) {
	described, err := data.ReadFile("data/version")
	if err != nil {
		return nil, err
	}
	version, date, _ := strings.Cut(strings.TrimSpace(string(described)), " ")
	d := &Database{Version: version, files: map[string]string{}, zones: map[string]*time.Location{}}
	if d.since, err = time.Parse(time.DateOnly, date); err != nil {
		return nil, err
	}
	return d, fs.WalkDir(data, "data", func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, "data/")
		if err != nil || entry.IsDir() || name == "version" {
			return err
		}
		file, err := data.ReadFile(path)
		if err != nil {
			return err
		}
		return d.add(name, file)
	})
}

// add parses a compiled zone.
func (d *Database) add(name string, file []byte) error {
	location, err := time.LoadLocationFromTZData(name, file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.files[name], d.zones[name] = string(file), location
	return nil
}

// Location returns a time zone by its name, such as America/Edmonton; nil if the data
// that the program carries have no such zone.
func (d *Database) Location(name string) *time.Location { return d.zones[name] }

// Source returns where the data are from: "program" or "system".
func (d *Database) Source() string {
	if d.Folder != "" {
		return "system"
	}
	return "program"
}

// maxAge is when data should be renewed: laws change the clocks of some province in most
// years of late.
const maxAge = 366 * 24 * time.Hour

// Old reports whether the data may be more than a year old.
func (d *Database) Old(now time.Time) bool { return now.Sub(d.since) > maxAge }

// Shift is a change of the clocks of a zone.
type Shift struct {
	At   time.Time     // UTC
	East time.Duration // how far the clocks are ahead of UTC from then on
}

// Shifts returns the changes of the clocks of a zone in a period. The first is how they
// are at its beginning.
func Shifts(zone *time.Location, from, until time.Time) []Shift {
	shifts := []Shift{{from.UTC(), east(zone, from)}}
	for at := from; ; {
		_, end := at.In(zone).ZoneBounds()
		if end.IsZero() || end.After(until) {
			return shifts
		}
		at = end
		if east := east(zone, at); east != shifts[len(shifts)-1].East { // else only the name changes
			shifts = append(shifts, Shift{at.UTC(), east})
		}
	}
}

func east(zone *time.Location, at time.Time) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}
