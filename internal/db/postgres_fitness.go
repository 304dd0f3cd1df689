package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// CheckSource returns an error if the PostgreSQL database at url cannot be read reliably.
func CheckSource(ctx context.Context, url string) error {
	return withServer(ctx, url, func(context.Context, *pgx.Conn) error { return nil })
}

// CheckServer returns an error if a service cannot rely on the PostgreSQL database at url:
// if a pooler shares its sessions, if it sorts ids other than by their bytes, or if a
// crash of the server can lose what it has committed, unless mayLoseData allows that.
// It changes nothing.
func CheckServer(ctx context.Context, url string, mayLoseData bool) error {
	return withServer(ctx, url, func(ctx context.Context, c *pgx.Conn) error {
		if err := checkSorting(ctx, c); err != nil || mayLoseData {
			return err
		}
		for _, name := range lossySettings {
			var value string
			if err := c.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value); err != nil {
				return err
			}
			if value == "off" {
				return fmt.Errorf("%s of PostgreSQL is off, so that a crash of its machine can destroy the database, "+
					"and lose orders that were acknowledged: set it to on, or accept that with --database-may-lose-data", name)
			}
		}
		return nil
	})
}

// lossySettings are those of the server that no session can change, and with which a crash
// of its machine loses data.
var lossySettings = []string{"fsync", "full_page_writes"}

// withServer calls fn with a connection to the database, if its sessions are not shared.
func withServer(ctx context.Context, url string, fn func(context.Context, *pgx.Conn) error) (err error) {
	config, err := parsePostgres(url)
	if err != nil {
		return err
	}
	var sessions []*pgx.Conn
	defer func() {
		for _, c := range sessions {
			err = errors.Join(err, c.Close(context.WithoutCancel(ctx)))
		}
	}()
	for range checkedSessions {
		c, err := pgx.ConnectConfig(ctx, settling(config.ConnConfig))
		if err != nil {
			return notReached(config.ConnConfig, err)
		}
		sessions = append(sessions, c)
	}
	if err := checkSessions(ctx, sessions...); err != nil {
		return err
	}
	return fn(ctx, sessions[0])
}

// sampleCharacters are those of ids. Languages sort some pairs of them as one letter.
const sampleCharacters = "0123456789abcdefghijklmnopqrstuvwxyz"

// checkSorting returns an error if the database does not sort ids by their bytes, as this
// program does: lists would be out of order, and rows between two pages left out.
func checkSorting(ctx context.Context, c *pgx.Conn) error {
	rows, err := c.Query(ctx, `SELECT 'ord_' || a || b AS id
		FROM unnest(string_to_array($1, NULL)) AS a, unnest(string_to_array($1, NULL)) AS b ORDER BY id`, sampleCharacters)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || slices.IsSorted(ids) {
		return err
	}
	return unsorted(ids)
}

func unsorted(ids []string) error {
	for i, id := range ids[1:] {
		if id < ids[i] {
			return fmt.Errorf("the database sorts %s after %s, by the rules of a language, but ids "+
				"must be sorted by their bytes: create another one with "+
				"createdb --template=template0 --encoding=UTF8 --locale-provider=libc --locale=C NAME, "+
				"and move the data with dropyard copy", id, ids[i])
		}
	}
	return nil
}
