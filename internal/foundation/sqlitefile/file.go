// Package sqlitefile reads the header and the write-ahead log of a SQLite database
// without SQLite, and so without changing them. It finds what SQLite passes over in
// silence, such as a log that ends in the middle because a byte of it has changed. The
// format is that of https://sqlite.org/fileformat2.html.
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
)

// Kind is what is wrong with a database.
type Kind string

// The kinds of damage.
const (
	NotDatabase Kind = "not a database" // it does not begin as databases of SQLite do
	BadHeader   Kind = "header"         // its header holds impossible values
	Truncated   Kind = "truncated"      // pages are missing at its end
	BadLog      Kind = "log"            // frames of the log are damaged that were complete before
	OtherLog    Kind = "other log"      // the log belongs to another database
)

// DamageError is an error that describes what is wrong with a file.
type DamageError struct {
	Kind    Kind
	File    string // its path
	Problem string // a clause, such as "the file is not a database of SQLite"
}

func (d *DamageError) Error() string { return d.File + ": " + d.Problem }

// header is what the package needs from the first 100 bytes of a database.
type header struct {
	pageSize    int    // in bytes
	userVersion uint32 // PRAGMA user_version
	pages       uint32 // in the database; 0 if the header does not know
}

const (
	headerSize = 100
	magic      = "SQLite format 3\x00"

	userVersionAt = 60 // offset in page 1
)

// parseHeader returns the problem that it finds, or an empty text.
func parseHeader(b []byte) (h header, kind Kind, problem string) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return h, NotDatabase, "the file is not a database of SQLite"
	}
	h.pageSize = int(binary.BigEndian.Uint16(b[16:]))
	if h.pageSize == 1 { // stands for what does not fit into 16 bits
		h.pageSize = 1 << 16
	}
	h.userVersion = binary.BigEndian.Uint32(b[userVersionAt:])
	if binary.BigEndian.Uint32(b[24:]) == binary.BigEndian.Uint32(b[92:]) { // else written by an old SQLite
		h.pages = binary.BigEndian.Uint32(b[28:])
	}
	for _, field := range []struct {
		name  string
		sound bool
	}{
		{"size of pages", h.pageSize >= 512 && h.pageSize&(h.pageSize-1) == 0 && h.pageSize-int(b[20]) >= 480},
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

// State is what the files of a database say.
type State struct {
	UserVersion uint32 // PRAGMA user_version, as of the last commit
	Log         Log
}

// Read reads the header and the log of a database. The error is a *DamageError if their
// contents are wrong.
func Read(path string) (*State, error) {
	h, stored, err := readHeader(path)
	if err != nil {
		return nil, err
	}
	log, err := readLog(path+"-wal", h.pageSize)
	if err != nil {
		return nil, err
	}
	if !log.continues(h.userVersion) {
		return nil, &DamageError{OtherLog, path + "-wal", "the log belongs to another database"}
	}
	state := &State{UserVersion: h.userVersion, Log: log}
	if log.hasVersion {
		state.UserVersion = log.newest
	}
	// A page that is neither in the file nor in the log is missing.
	pages, lockPage := h.pages, uint32(1<<30/h.pageSize)+1 // which is never written
	if log.Committed > 0 {
		pages = log.pages
	}
	for n := stored + 1; n <= pages; n++ {
		if !log.written[n] && n != lockPage {
			problem := fmt.Sprintf("the file has %d of %d pages: its end is missing", stored, pages)
			return nil, &DamageError{Truncated, path, problem}
		}
	}
	return state, nil
}

// readHeader also returns how many whole pages the file has.
func readHeader(path string) (h header, stored uint32, err error) {
	file, err := os.Open(path)
	if err != nil {
		return h, 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b := make([]byte, headerSize)
	n, err := file.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, 0, err
	}
	h, kind, problem := parseHeader(b[:n])
	if problem != "" {
		return h, 0, &DamageError{kind, path, problem}
	}
	info, err := file.Stat()
	if err != nil {
		return h, 0, err
	}
	return h, uint32(info.Size() / int64(h.pageSize)), nil
}
