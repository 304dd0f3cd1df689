package db

import (
	"errors"
	"fmt"

	"github.com/dropyard/dropyard/internal/foundation/sqlitefile"
)

// FaultKind is a reason for which an embedded database is not opened.
type FaultKind string

// The kinds of faults.
const (
	FaultMissing          FaultKind = "missing"
	FaultEmpty            FaultKind = "empty"
	FaultNotFile          FaultKind = "not a file"
	FaultUnreadable       FaultKind = "unreadable"
	FaultReadOnly         FaultKind = "read-only"
	FaultNotDatabase      FaultKind = "not a database"
	FaultHeader           FaultKind = "header"
	FaultTruncated        FaultKind = "truncated"
	FaultPage             FaultKind = "page"
	FaultOtherApplication FaultKind = "other application"
	FaultNewerSchema      FaultKind = "newer schema"
	FaultLog              FaultKind = "log"
	FaultOtherLog         FaultKind = "other log"
	FaultOld              FaultKind = "old"
	FaultDisagrees        FaultKind = "disagrees" // tables, indexes or rows with each other
)

const restoreBackup = "copy the directory as it is, then restore a backup with dropyard restore --force"

// remedies say what an operator can do.
var remedies = map[FaultKind]string{
	FaultMissing:          "put it back, or restore a backup with dropyard restore; if it is to be given up, start once with --new-database",
	FaultEmpty:            "put the database back, or restore a backup with dropyard restore --force; if it is to be given up, start once with --new-database",
	FaultNotFile:          "move it away, and put the database in its place",
	FaultUnreadable:       "give the user that runs the service access to it",
	FaultReadOnly:         "give the user that runs the service the right to write it, and look whether the disk is mounted read-only",
	FaultNotDatabase:      "move it away, and put the database in its place or restore a backup with dropyard restore",
	FaultHeader:           restoreBackup,
	FaultTruncated:        restoreBackup,
	FaultPage:             restoreBackup,
	FaultOtherApplication: "move it away, or set --data or --database to the right place",
	FaultNewerSchema:      "start the newer release, or restore a backup that this one has made",
	FaultLog: restoreBackup +
		"; without a backup, ask for help before you remove the log: what it holds was acknowledged",
	FaultOtherLog:  "put the log in its place that belongs to the database, or move it away if there is none",
	FaultOld:       "put the files back that belong together; if an older database was put here on purpose, delete the mark",
	FaultDisagrees: restoreBackup,
}

// FaultError describes why an embedded database is not opened. Its text also says what to
// do, on one line.
type FaultError struct {
	Kind    FaultKind
	Problem string // names the file
	cause   error
}

func (f *FaultError) Error() string { return f.Problem + ": " + f.Remedy() }

// Remedy says what an operator can do.
func (f *FaultError) Remedy() string { return remedies[f.Kind] }

func (f *FaultError) Unwrap() error { return f.cause }

func newFault(kind FaultKind, cause error, format string, args ...any) error {
	return &FaultError{kind, fmt.Sprintf(format, args...), cause}
}

var faultKinds = map[sqlitefile.Kind]FaultKind{
	sqlitefile.NotDatabase: FaultNotDatabase,
	sqlitefile.BadHeader:   FaultHeader,
	sqlitefile.Truncated:   FaultTruncated,
	sqlitefile.BadLog:      FaultLog,
	sqlitefile.OtherLog:    FaultOtherLog,
}

// faultOf returns the FaultError for an error of package sqlitefile.
func faultOf(err error) error {
	var damage *sqlitefile.DamageError
	if errors.As(err, &damage) {
		return newFault(faultKinds[damage.Kind], nil, "%s", damage.Error())
	}
	return unreadable(err)
}
