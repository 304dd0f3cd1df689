package db

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/jackc/pgx/v5"
)

// roomSuffix is added to the name of the embedded database for a file that exists while
// room is being proven.
const roomSuffix = "-room"

// roomNeeded is how much room a probe proves, in bytes: more than a batch of 500 orders takes.
const roomNeeded = 8 << 20

// room writes a file beside the database, and removes it. Unlike a look at the free space
// this finds quotas, too. SQLite itself may write in the room that its log already has.
func (e *sqliteEngine) room(context.Context) error {
	name := e.path + roomSuffix
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("%w: %w", refusal.ErrFull, err)
	}
	_, err = file.Write(make([]byte, roomNeeded))
	if err = errors.Join(err, file.Close(), os.Remove(name)); err != nil {
		return fmt.Errorf("%w: %w", refusal.ErrFull, err)
	}
	return nil
}

// roomSQL fills a temporary table, whose file begins and ends with the transaction. A row
// takes 1 KiB.
const roomSQL = `CREATE TEMPORARY TABLE dropyard_room ON COMMIT DROP AS
	SELECT repeat('-', 992) AS filler FROM generate_series(1, %d)`

// room fills a temporary table in the tablespace of the database. On a distributed database
// it cannot be found out on which server there was no room, nor may every role make such tables.
func (e *postgresEngine) room(ctx context.Context) error {
	if e.distributed {
		return nil
	}
	c, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	if err != nil {
		return postgresError(err)
	}
	defer func() { _ = c.Close(ctx) }() // and so the transaction is undone
	for _, sql := range []string{"BEGIN", "SET LOCAL temp_tablespaces = ''", fmt.Sprintf(roomSQL, roomNeeded>>10)} {
		if _, err = c.Exec(ctx, sql); err != nil {
			break
		}
	}
	if sqlState(err) == notPrivileged {
		return nil
	}
	return postgresError(err)
}
