package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/retention"
)

// The settings in which a database says where it comes from. dropyard restore and copy write
// the note; the next start of a service removes it, and does what it asks for.
const (
	LineageSetting = "lineage"
	NoteSetting    = "came_by"
	HoldSetting    = "hold"

	NoteRestored = "restored" // from a backup
	NoteCopied   = "copied"   // whole, from a database in use until then
)

// The margins by which numbers are raised that may have been given out after the state
// that a database was put back to.
const (
	ProductMargin  = 10_000
	MovementMargin = 1_000_000
	SequenceMargin = 10_000 // of the versions of couriers' sequences
)

// afterRestore are the statements that make an older state of the data safe to go on from.
// No number is given out twice. All people have to sign in again, because their sessions may
// have ended since. Links are void, with the mails that hold them: they may have been used or
// withdrawn since.
var afterRestore = []string{
	fmt.Sprintf("UPDATE partner_counters SET last_product = last_product + %d, last_movement = last_movement + %d",
		ProductMargin, MovementMargin),
	fmt.Sprintf("UPDATE courier_sequences SET version = version + %d", SequenceMargin),
	"DELETE FROM sessions",
	"DELETE FROM operator_sessions",
	"DELETE FROM one_time_links",
	"DELETE FROM mails WHERE kind IN ('invitation', 'reset', 'email', 'proof')",
	// Leases of nodes that are not there.
	"DELETE FROM nodes",
}

// Branching begins a new epoch of a database that was put back, copied or moved.
type Branching struct {
	Before, After string // the setting LineageSetting; Before is empty if there is none
	Hold          string // the setting HoldSetting; empty to leave it as it is
	// Older is set if the data may be older than what was in use before.
	Older bool
	Entry *audit.Entry // nil if nothing is held
}

// Branch writes the lineage and all that follows from it in one transaction. It is false,
// and nothing is written, if another node has changed the lineage since it was read.
func (s *Store) Branch(ctx context.Context, b Branching) (done bool, err error) {
	err = s.engine.write(ctx, func(c conn) error {
		if done, err = replaceOrAddSetting(ctx, c, LineageSetting, b.Before, b.After); err != nil || !done {
			return err
		}
		if b.Older {
			for _, statement := range afterRestore {
				if _, err := c.exec(ctx, statement); err != nil {
					return err
				}
			}
		}
		if b.Hold != "" {
			if _, err := writeNow(ctx, c, setServiceSettings, &setting{HoldSetting, b.Hold}); err != nil {
				return err
			}
		}
		if _, err := c.exec(ctx, "DELETE FROM settings WHERE name = $1", NoteSetting); err != nil || b.Entry == nil {
			return err
		}
		return auditing{c}.AddAudit(ctx, b.Entry)
	})
	return done && err == nil, err
}

func replaceOrAddSetting(ctx context.Context, c conn, name, before, value string) (bool, error) {
	if before != "" {
		return replaceSettingIn(ctx, c, name, before, value)
	}
	rows, err := writeNow(ctx, c, addServiceSettings, &setting{name, value})
	return rows == 1, err
}

// Place identifies the database of a server: by the system identifier of its cluster, unless
// that may not be read, and the number of the database in it. It is empty for an
// embedded one. A standby that is promoted keeps it; what pg_restore fills has another.
func (s *Store) Place(ctx context.Context) (place string, err error) {
	if !s.Shared() {
		return "", nil
	}
	err = s.engine.read(ctx, func(c conn) error {
		var allowed bool
		const may = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')"
		if err := c.query(ctx, may, nil, func(r row) error { return r.scan(&allowed) }); err != nil {
			return err
		}
		system := "''"
		if allowed {
			system = "(SELECT system_identifier FROM pg_control_system())::text"
		}
		found := false
		sql := "SELECT " + system + " || '/' || oid::text FROM pg_catalog.pg_database WHERE datname = current_database()"
		err := c.query(ctx, sql, nil, func(r row) error {
			found = true
			return r.scan(&place)
		})
		if err == nil && !found {
			err = errors.New("the database has no row in pg_database")
		}
		return err
	})
	return place, err
}

// ChangeHold writes the setting HoldSetting, if it still has the value before, together with
// an entry of the audit log, and reports whether it had. An empty value means none.
func (s *Store) ChangeHold(ctx context.Context, before, value string, entry *audit.Entry) (changed bool, err error) {
	err = s.Retention().Write(ctx, func(tx retention.Writer) error {
		c := tx.(retentionTx).conn
		if changed, err = replaceOrAddSetting(ctx, c, HoldSetting, before, value); err != nil || !changed {
			return err
		}
		if value == "" {
			if _, err := c.exec(ctx, "DELETE FROM settings WHERE name = $1", HoldSetting); err != nil {
				return err
			}
		}
		return tx.AddAudit(ctx, entry)
	})
	return changed, err
}
