package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// mostFaults bounds what Inspect returns: in a damaged database one page of a table
// can cause a fault for each of its rows.
const mostFaults = 20

// Inspection is what Inspect has found.
type Inspection struct {
	Faults   []*FaultError
	Tables   int
	Rows     int64 // of all tables
	settings map[string]string
}

// Setting returns a setting of the whole installation; empty if it was never set.
func (i *Inspection) Setting(name string) string { return i.settings[name] }

// Inspect checks all of an embedded database, through SQLite: every page, every index
// against its table, every reference between rows, and what the schema has of them. It takes longer the more there is,
// and changes neither the database nor its log. The service may be running. It calls
// picture with the name of each picture that a proof refers to, sealed with each value that is
// sealed under the master key, and provider with each row of the schema's query.
func (x *Examined) Inspect(
	ctx context.Context, picture func(name string), sealed func(SealedColumn, SealedValue),
	provider func(partnerID, issuer string),
) (found *Inspection, err error) {
	c, err := x.openReadOnly()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.SetInterrupt(ctx.Done())
	found = &Inspection{settings: map[string]string{}}
	err = errors.Join(
		found.collect(c, "the database %s is damaged: %s", x.path, fmt.Sprintf("PRAGMA integrity_check(%d)", mostFaults)),
		found.collect(c, "rows of the database %s disagree: %s", x.path,
			fmt.Sprintf(
				`SELECT 'a row of ' || "table" || ' refers to none of ' || parent FROM pragma_foreign_key_check LIMIT %d`,
				mostFaults,
			)),
		found.disagree(c, x),
		found.count(c),
		readSettings(c, found.settings),
		forEach(c, x.schema.Pictures, func(st *sqlite.Stmt) { picture(st.ColumnText(0)) }),
		readSealed(c, x.schema.Sealed, sealed),
		readProviders(c, x.schema.Providers, provider),
	)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isDamage(err):
		found.add("the database %s is damaged: %v", x.path, err)
		err = nil
	}
	return found, err
}

// readSealed calls fn with each value that is sealed under the master key.
func readSealed(c *sqlite.Conn, columns []SealedColumn, fn func(SealedColumn, SealedValue)) (err error) {
	for _, of := range columns {
		has, failure := hasTable(c, of.Table)
		if err = errors.Join(err, failure); !has {
			continue
		}
		err = errors.Join(err, forEach(c, "SELECT "+of.Key+", "+of.Column+" FROM "+of.Table+" WHERE length("+
			of.Column+") > 0", func(st *sqlite.Stmt) {
			value := SealedValue{Key: st.ColumnText(0), Sealed: make([]byte, st.ColumnLen(1))}
			st.ColumnBytes(1, value.Sealed)
			fn(of, value)
		}))
	}
	return err
}

// readProviders calls fn with each partner that has an OpenID provider.
func readProviders(c *sqlite.Conn, of TableQuery, fn func(partnerID, issuer string)) error {
	if has, err := hasTable(c, of.Table); !has {
		return err
	}
	return forEach(c, of.Query, func(st *sqlite.Stmt) { fn(st.ColumnText(0), st.ColumnText(1)) })
}

// openReadOnly opens the database so that nothing is written. If no process has it open
// and it has no log, SQLite need not even create the files beside it.
func (x *Examined) openReadOnly() (*sqlite.Conn, error) {
	path, err := filepath.Abs(x.path)
	if err != nil {
		return nil, err
	}
	uri := url.URL{Scheme: "file", Path: path}
	if !x.Used && x.Log.Committed == 0 {
		uri.RawQuery = "immutable=1"
	}
	c, err := sqlite.OpenConn(uri.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", x.path, err)
	}
	c.SetBusyTimeout(busyTimeout)
	return c, nil
}

// collect adds a FaultError for each problem that a query finds.
func (i *Inspection) collect(c *sqlite.Conn, format, path, sql string) error {
	return eachProblem(c, sql, func(problem string) { i.add(format, path, problem) })
}

// disagree collects what the queries of the schema find.
func (i *Inspection) disagree(c *sqlite.Conn, x *Examined) (err error) {
	for _, one := range x.schema.Disagreeing {
		has, failure := hasTable(c, one.Table)
		if err = errors.Join(err, failure); has {
			err = errors.Join(err, i.collect(c, "rows of the database %s disagree: %s", x.path,
				fmt.Sprintf("%s LIMIT %d", one.Query, mostFaults)))
		}
	}
	return err
}

// hasTable reports whether there is a table: databases of earlier releases lack some until the next start.
func hasTable(c *sqlite.Conn, name string) (has bool, err error) {
	err = forEach(c, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '"+name+"'",
		func(*sqlite.Stmt) { has = true })
	return has, err
}

// eachProblem calls fn with what a check of SQLite says, other than ok.
func eachProblem(c *sqlite.Conn, sql string, fn func(problem string)) error {
	return forEach(c, sql, func(st *sqlite.Stmt) {
		for line := range strings.Lines(st.ColumnText(0)) { // some rows have several
			if line = strings.TrimSpace(line); line != "ok" && line != "" && !strings.HasPrefix(line, "***") {
				fn(line)
			}
		}
	})
}

// readSettings reads the settings of the whole installation, by name.
func readSettings(c *sqlite.Conn, into map[string]string) error {
	return forEach(c, "SELECT name, value FROM "+SettingsTable.Name, func(st *sqlite.Stmt) {
		into[st.ColumnText(0)] = st.ColumnText(1)
	})
}

func (i *Inspection) add(format string, args ...any) {
	if len(i.Faults) < mostFaults {
		i.Faults = append(i.Faults, &FaultError{Kind: FaultDisagrees, Problem: fmt.Sprintf(format, args...)})
	}
}

func (i *Inspection) count(c *sqlite.Conn) error {
	var tables []string
	err := forEach(c,
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'goose_*' AND name NOT GLOB 'sqlite_*'
			AND name NOT GLOB '`+derived+`*'`,
		func(st *sqlite.Stmt) { tables = append(tables, st.ColumnText(0)) })
	i.Tables = len(tables)
	for _, table := range tables {
		err = errors.Join(err,
			forEach(c, "SELECT count(*) FROM "+table, func(st *sqlite.Stmt) { i.Rows += st.ColumnInt64(0) }))
	}
	return err
}

// forEach runs a query and calls fn for each row of its result.
func forEach(c *sqlite.Conn, sql string, fn func(*sqlite.Stmt)) error {
	return sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: func(st *sqlite.Stmt) error {
		fn(st)
		return nil
	}})
}
