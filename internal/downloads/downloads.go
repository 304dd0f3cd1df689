// Package downloads packs the clients from their sources, so that a service offers the clients that belong to it: a
// wheel and a source distribution for Python, a package for npm, and a module for Go. It needs no tools of other
// languages, and the same sources give the same bytes.
package downloads

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// File is a file that the service offers.
type File struct {
	Path    string // below the address of all downloads
	Kind    string // its Content-Type
	Content []byte // must not be changed
}

// SHA256 returns the checksum of the content, in hexadecimal digits.
func (f File) SHA256() string {
	sum := sha256.Sum256(f.Content)
	return hex.EncodeToString(sum[:])
}

// Clients are the packed clients.
type Clients struct {
	// Version is that of the package for npm, and, with a v before it, of the module for Go.
	Version               string
	Wheel, Source         File // for Python
	Package               File // for npm
	Module                File // the archive of the module for Go
	moduleInfo, moduleMod File
	moduleList            File
	moduleLatest          File
}

// Downloads are the files that a service offers.
type Downloads struct {
	sources fs.FS
	clients func() (*Clients, error)
}

// New returns the downloads of a service of a version, made from the sources of the repository. The clients are packed
// when they are first asked for.
func New(sources fs.FS, version string) *Downloads {
	return &Downloads{sources, sync.OnceValues(func() (*Clients, error) {
		packed, err := pack(sources, version)
		if err != nil {
			return nil, fmt.Errorf("pack the clients: %w", err)
		}
		return packed, nil
	})}
}

// Clients returns the packed clients.
func (d *Downloads) Clients() (*Clients, error) { return d.clients() }

// examples is the folder of the examples, in the repository and among the downloads.
const examples = "examples/"

// File returns the file at a path; found is false if there is none.
func (d *Downloads) File(name string) (file File, found bool, err error) {
	if strings.HasPrefix(name, examples) {
		content, err := fs.ReadFile(d.sources, name)
		return File{name, "text/plain; charset=utf-8", content}, err == nil, nil
	}
	clients, err := d.Clients()
	if err != nil {
		return File{}, false, err
	}
	for _, one := range []File{
		clients.Wheel, clients.Source, clients.Package, clients.Module, clients.moduleInfo, clients.moduleMod,
		clients.moduleList, clients.moduleLatest,
	} {
		if one.Path == name {
			return one, true, nil
		}
	}
	return File{}, false, nil
}

// Examples returns the paths of the examples, in their order.
func (d *Downloads) Examples() (found []string, err error) {
	err = fs.WalkDir(d.sources, path.Clean(examples), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the examples: %w", err)
	}
	return found, nil
}

// Example returns the text of an example by its path in the folder of the examples.
func (d *Downloads) Example(name string) (string, error) {
	content, err := fs.ReadFile(d.sources, path.Join(examples, name))
	if err != nil {
		return "", fmt.Errorf("read an example: %w", err)
	}
	return string(content), nil
}

// pack packs the clients for a service of a version.
func pack(sources fs.FS, service string) (*Clients, error) {
	s := &source{files: sources}
	python, npm, module := pythonFiles(s), npmFiles(s), moduleFiles(s)
	v := versionOf(service, python, npm, module)
	packed := &Clients{Version: v.semantic}
	packPython(s, packed, stamped(python, v.python), v.python)
	packNPM(s, packed, stamped(npm, v.semantic))
	packModule(s, packed, module)
	return packed, s.err
}

// source reads the files of the repository, until one cannot be read.
type source struct {
	files fs.FS
	err   error // the first one
}

// entry is a file of an archive.
type entry struct {
	name    string
	content []byte
}

// fail keeps an error, unless there is one already.
func (s *source) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// read returns a file of the repository; its path in the archive is that below the folder.
func (s *source) read(folder, name string) entry {
	content, err := fs.ReadFile(s.files, path.Join(folder, name))
	if err != nil {
		s.fail(err)
	}
	return entry{name, content}
}

// glob returns the files in a folder of the repository that match the patterns, sorted within each.
func (s *source) glob(folder string, patterns ...string) (found []entry) {
	for _, pattern := range patterns {
		names, err := fs.Glob(s.files, path.Join(folder, pattern))
		if err == nil && len(names) == 0 {
			err = fmt.Errorf("%s: no file matches", path.Join(folder, pattern))
		}
		if err != nil {
			s.fail(err)
		}
		for _, name := range names {
			found = append(found, s.read(folder, strings.TrimPrefix(name, folder+"/")))
		}
	}
	return found
}
