package zone

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Newest returns the data of the system if they are newer than those that the program
// carries, and otherwise these. The error says why newer data of the system are not used.
func Newest() (*Database, error) { return newest(Own(), folders()) }

// folders returns the folders in which systems have their time zones, as Go's package time
// knows them. Of ZONEINFO it knows folders only.
func folders() []string {
	return slices.DeleteFunc([]string{
		os.Getenv("ZONEINFO"), "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo",
	}, func(folder string) bool { return folder == "" })
}

func newest(own *Database, candidates []string) (*Database, error) {
	found := own
	var faults []error
	for _, folder := range candidates {
		files := os.DirFS(folder)
		version := versionIn(files)
		if version <= found.Version {
			continue
		}
		read, err := own.read(files, version)
		if err != nil {
			faults = append(faults, fmt.Errorf("the time zones of %s in %s cannot be used: %w", version, folder, err))
			continue
		}
		read.Folder, found = folder, read
	}
	return found, errors.Join(faults...)
}

// versionForm is how files name a version: as a comment, or alone.
var versionForm = regexp.MustCompile(`^(?:# version )?([12]\d{3}[a-z]{1,2})\b`)

// versionIn returns the version of the data in a folder; empty if the folder does not say it.
func versionIn(files fs.FS) string {
	for _, name := range []string{"tzdata.zi", "+VERSION"} {
		if match := versionForm.FindStringSubmatch(firstLine(files, name)); match != nil {
			return match[1]
		}
	}
	return ""
}

func firstLine(files fs.FS, name string) string {
	file, err := files.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // only read
	line, _ := bufio.NewReader(file).ReadString('\n')
	return line
}

// read reads all zones of d, as another version has them.
func (d *Database) read(files fs.FS, version string) (*Database, error) {
	year, _ := strconv.Atoi(version[:4])
	other := &Database{
		Version: version, files: map[string]string{}, zones: map[string]*time.Location{},
		// The version is later than that of d, and has the year in its name.
		since: laterOf(d.since, time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)),
	}
	for name := range d.zones {
		file, err := d.find(files, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := other.add(name, file); err != nil {
			return nil, err
		}
	}
	return other, nil
}

// find reads a zone. Some systems leave out the names that are only links to others, such as
// America/Yellowknife: then it is the zone that d has under both names.
func (d *Database) find(files fs.FS, name string) ([]byte, error) {
	file, err := fs.ReadFile(files, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	for _, other := range slices.Sorted(maps.Keys(d.files)) {
		if other != name && d.files[other] == d.files[name] {
			if file, err := fs.ReadFile(files, other); err == nil {
				return file, nil
			}
		}
	}
	return nil, err
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Local returns the zone of this machine's user by the data of d. It is nil if they are the
// system's, by which Go shows local times already, or if they lack the zone.
func (d *Database) Local() *time.Location {
	if d.Folder != "" {
		return nil
	}
	name, set := os.LookupEnv("TZ")
	if !set {
		name, _ = filepath.EvalSymlinks("/etc/localtime")
	}
	return d.Location(nameOf(name))
}

// nameOf returns the name of a zone, which may be given as in TZ or as the path of its file.
func nameOf(text string) string {
	_, name, found := strings.Cut(filepath.ToSlash(text), "zoneinfo/")
	if !found {
		name = strings.TrimPrefix(text, ":")
	}
	return cmp.Or(name, "UTC")
}
