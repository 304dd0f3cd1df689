package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/api/ops"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/store"
)

// operatorsOf returns the service of operators for a command, in which nobody signs in.
func operatorsOf(db *store.Store, world Surroundings) *operator.Service {
	return operator.NewService(operator.Config{
		Store: db.Operators(), Now: world.Now, Random: world.Random, Hasher: world.Hasher, Log: world.Log,
		Admits: func(ctx context.Context, role operator.Role) error { return admitsRole(ctx, db, "", world.Now(), role) },
	})
}

// NewOperator describes an operator to add, as given on the command line.
type NewOperator struct{ Email, Password, Role, CourierID string }

// AddOperator adds an operator to the database, which it creates if there is none.
func AddOperator(ctx context.Context, settings *config.Config, world Surroundings, wanted NewOperator) (err error) {
	added := operator.Operator{Email: wanted.Email, Role: operator.Role(wanted.Role), CourierID: wanted.CourierID}
	if err := operator.Check(added, wanted.Password); err != nil {
		return err // before a database is created
	}
	db, err := openStore(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx = audit.WithOperation(ctx, audit.Operation{OperatorID: "command line"})
	_, err = operatorsOf(db, world).Add(ctx, added, wanted.Password)
	return err
}

// ExportAudit writes the audit log from a time up to, but not including, another as
// JSON Lines, oldest entry first. A zero time means no bound.
func ExportAudit(
	ctx context.Context, settings *config.Config, world Surroundings, from, to time.Time, out io.Writer,
) error {
	db, err := openExisting(ctx, settings)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriterSize(out, 64<<10)
	err = operatorsOf(db,
		world).ExportAudit(ctx, operator.AuditFilter{From: from, To: to}, func(entry *operator.Audited) error {
		line, err := ops.AuditLine(entry)
		if err != nil {
			return err
		}
		_, err = buffer.Write(append(line, '\n'))
		return err
	})
	if err == nil {
		err = buffer.Flush()
	}
	return errors.Join(err, db.Close())
}

// openExisting opens the database, which must exist.
func openExisting(ctx context.Context, settings *config.Config) (*store.Store, error) {
	if err := databaseExists(settings); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return openStore(ctx, settings)
}

// databaseExists returns an error if the embedded database is missing: probably the command looks in the wrong place.
func databaseExists(settings *config.Config) error {
	if settings.Postgres() {
		return nil
	}
	if _, err := os.Stat(settings.Database()); err != nil {
		return fmt.Errorf("%w; --data names the data directory of the service", err)
	}
	return nil
}
