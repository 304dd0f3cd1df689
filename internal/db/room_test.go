package db

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestChangeWithoutRoom makes a change for which the database file would have to grow, and
// must not. A probe needs no room, and succeeds.
func TestChangeWithoutRoom(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	e := s.guard().engine.(*sqliteEngine)
	limit := func(pages int64) {
		must(t, e.writer.borrow(t.Context(), func(c *sqliteConn) error {
			_, err := oneNumber(t.Context(), c, fmt.Sprint("PRAGMA max_page_count = ", pages))
			return err
		}))
	}
	must(t, s.guard().ping(t.Context(), true))
	limit(1) // SQLite takes the number of pages that there are
	large := strings.Repeat("-", 1<<20)
	if err := s.SetSetting(t.Context(), "large", large); !errors.Is(err, refusal.ErrFull) || s.Full() == nil {
		t.Errorf("got %v, and full: %v, want ErrFull and an error", err, s.Full())
	}
	must(t, s.guard().ping(t.Context(), true))
	limit(1 << 30)
	must(t, s.SetSetting(t.Context(), "large", large))
}

func TestRoomBesideTheDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s, _ := openLogged(t, filepath.Join(folder, "dropyard.db"))
	e := s.guard().engine.(*sqliteEngine)
	must(t, e.room(t.Context()))
	if left, err := filepath.Glob(filepath.Join(folder, "*"+roomSuffix)); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want no file left of a proof of room", left, err)
	}
	must(t, os.Mkdir(e.path+roomSuffix, 0o700)) // stands for a disk on which no file can be made
	if err := e.room(t.Context()); !errors.Is(err, refusal.ErrFull) {
		t.Errorf("got %v where no file can be written, want ErrFull", err)
	}
}

// TestChangeWithoutRoomOnPostgres has the server refuse changes of one table as on a full
// disk. A probe changes another one, and succeeds.
func TestChangeWithoutRoomOnPostgres(t *testing.T) {
	t.Parallel()
	s, other := beside(t)
	doOn(t, other, `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
	doOn(t, other, "CREATE TRIGGER no_room BEFORE INSERT ON settings EXECUTE FUNCTION no_room()")
	if err := s.SetSetting(t.Context(), "name", "value"); !errors.Is(err, refusal.ErrFull) || s.Full() == nil {
		t.Errorf("got %v, and full: %v, want ErrFull and an error", err, s.Full())
	}
	must(t, s.guard().ping(t.Context(), true))
	must(t, s.guard().room(t.Context()))
	var database string
	must(t, other.QueryRow(t.Context(), "SELECT current_database()").Scan(&database))
	var tables int
	must(t, other.QueryRow(t.Context(), "SELECT count(*) FROM pg_class WHERE relname = 'dropyard_room'").Scan(&tables))
	if tables != 0 {
		t.Errorf("got %d tables left of a proof of room, want none", tables)
	}
	limit := "ALTER DATABASE " + pgx.Identifier{database}.Sanitize() + " SET default_transaction_read_only = on"
	doOn(t, other, limit)
	if err := s.guard().room(t.Context()); err == nil {
		t.Error("got no error where no table can be made, want one")
	}
}

// TestOtherLacksOfResources: what the server lacks besides room passes by itself.
func TestOtherLacksOfResources(t *testing.T) {
	t.Parallel()
	for code, full := range map[string]bool{"53100": true, "53200": false, "53300": false} {
		err := postgresError(&pgconn.PgError{Code: code})
		if !errors.Is(err, refusal.ErrUnreachable) || errors.Is(err, refusal.ErrFull) != full {
			t.Errorf("%s: got %v, want ErrUnreachable, and ErrFull: %t", code, err, full)
		}
	}
}
