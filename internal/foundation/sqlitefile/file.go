// Package sqlitefile reads the files of a SQLite database without SQLite, and so
// without changing them: the header, the write-ahead log, and the pages of trees. It
// finds what SQLite passes over in silence, such as a log that ends in the middle
// because a byte of it has changed. The format is that of
// https://sqlite.org/fileformat2.html.
//
// No connection of the same process may have the database open: when a process
// closes any descriptor of a file, it loses all locks that SQLite holds on it.
package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Kind is what is wrong with a database.
type Kind string

// The kinds of damage.
const (
	NotDatabase Kind = "not a database" // it does not begin as databases of SQLite do
	BadHeader   Kind = "header"         // its header holds impossible values
	Truncated   Kind = "truncated"      // pages are missing at its end
	BadPage     Kind = "page"           // a page is not a part of the tree that leads to it
	BadLog      Kind = "log"            // frames of the log are damaged that were complete before
	OtherLog    Kind = "other log"      // the log belongs to another database
)

// DamageError is an error that describes what is wrong with a file.
type DamageError struct {
	Kind    Kind
	File    string // its path
	Problem string // a clause, such as "page 7 is not a page of a table"
}

func (d *DamageError) Error() string { return d.File + ": " + d.Problem }

// Header is what the package needs from the first 100 bytes of a database.
type Header struct {
	PageSize    int    // in bytes
	UserVersion uint32 // PRAGMA user_version
	reserved    int    // bytes at the end of each page that are not used
	pages       uint32 // in the database; 0 if the header does not know
}

const (
	headerSize = 100
	magic      = "SQLite format 3\x00"

	userVersionAt = 60 // offset in page 1
)

// parseHeader returns the problem that it finds, or an empty text.
func parseHeader(b []byte) (h Header, kind Kind, problem string) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return h, NotDatabase, "the file is not a database of SQLite"
	}
	h.PageSize = int(binary.BigEndian.Uint16(b[16:]))
	if h.PageSize == 1 { // stands for what does not fit into 16 bits
		h.PageSize = 1 << 16
	}
	h.reserved = int(b[20])
	h.UserVersion = binary.BigEndian.Uint32(b[userVersionAt:])
	if binary.BigEndian.Uint32(b[24:]) == binary.BigEndian.Uint32(b[92:]) { // else written by an old SQLite
		h.pages = binary.BigEndian.Uint32(b[28:])
	}
	for _, field := range []struct {
		name  string
		sound bool
	}{
		{"size of pages", h.PageSize >= 512 && h.PageSize&(h.PageSize-1) == 0 && h.PageSize-h.reserved >= 480},
		{"version of the format", b[18] >= 1 && b[18] <= 2 && b[19] >= 1 && b[19] <= 2},
		{"fractions of payload", b[21] == 64 && b[22] == 32 && b[23] == 32},
		{"format of the schema", binary.BigEndian.Uint32(b[44:]) <= 4},
		{"text encoding", binary.BigEndian.Uint32(b[56:]) <= 3},
		{"reserved space", [20]byte(b[72:92]) == [20]byte{}},
	} {
		if !field.sound {
			return h, BadHeader, "the header is damaged: the " + field.name + " has an impossible value"
		}
	}
	return h, "", ""
}

// File is a database with its log, open for reading.
type File struct {
	Header Header // as of the last commit
	Log    Log

	path   string
	file   *os.File
	log    *os.File // nil if there is none
	pages  uint32   // in the database, as of the last commit
	stored uint32   // whole pages in the file
}

// Open reads the header and the log of a database. The error is a *DamageError if their
// contents are wrong. The caller must close the file.
func Open(path string) (f *File, err error) {
	f = &File{path: path}
	defer func() {
		if err != nil {
			err, f = errors.Join(err, f.Close()), nil
		}
	}()
	if f.file, err = os.Open(path); err != nil {
		return f, err
	}
	inFile, err := f.readHeader()
	if err != nil {
		return f, err
	}
	if err = f.readLog(inFile.PageSize); err != nil {
		return f, err
	}
	if err = f.applyLog(inFile); err != nil {
		return f, err
	}
	return f, f.checkSize()
}

// Close closes the files.
func (f *File) Close() error {
	var err error
	for _, file := range []*os.File{f.file, f.log} {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}
	return err
}

func (f *File) damage(kind Kind, format string, args ...any) error {
	return &DamageError{kind, f.path, fmt.Sprintf(format, args...)}
}

func (f *File) readHeader() (Header, error) {
	b := make([]byte, headerSize)
	n, err := f.file.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return Header{}, err
	}
	h, kind, problem := parseHeader(b[:n])
	if problem != "" {
		return h, f.damage(kind, "%s", problem)
	}
	info, err := f.file.Stat()
	if err != nil {
		return h, err
	}
	f.stored = uint32(info.Size() / int64(h.PageSize))
	return h, nil
}

// applyLog takes the header and the size from the log, if it has newer ones, and
// refuses a log that does not continue the file.
func (f *File) applyLog(inFile Header) error {
	f.Header, f.pages = inFile, inFile.pages
	if f.pages == 0 {
		f.pages = f.stored
	}
	if f.Log.Committed == 0 {
		return nil
	}
	f.pages = f.Log.pages
	if _, logged := f.Log.frames[1]; !logged {
		return nil
	}
	first, err := f.page(1)
	if err != nil {
		return err
	}
	h, _, problem := parseHeader(first)
	if problem != "" {
		return f.damage(BadHeader, "in the log, %s", problem)
	}
	f.Header = h
	if !f.Log.continues(inFile.UserVersion) {
		return &DamageError{OtherLog, f.path + "-wal", "the log belongs to another database"}
	}
	return nil
}

// checkSize looks for pages that are neither in the file nor in the log.
func (f *File) checkSize() error {
	lockPage := uint32(1<<30/f.Header.PageSize) + 1 // is never written
	for n := f.stored + 1; n <= f.pages; n++ {
		if _, logged := f.Log.frames[n]; !logged && n != lockPage {
			return f.damage(Truncated, "the file has %d of %d pages: its end is missing", f.stored, f.pages)
		}
	}
	return nil
}

// page reads a page as of the last commit.
func (f *File) page(n uint32) ([]byte, error) {
	size := int64(f.Header.PageSize)
	content := make([]byte, size)
	var err error
	if frame, logged := f.Log.frames[n]; logged {
		_, err = f.log.ReadAt(content, logHeader+int64(frame)*(frameHeader+size)+frameHeader)
	} else {
		_, err = f.file.ReadAt(content, int64(n-1)*size)
	}
	if err != nil {
		return nil, fmt.Errorf("read page %d of %s: %w", n, filepath.Base(f.path), err)
	}
	return content, nil
}
