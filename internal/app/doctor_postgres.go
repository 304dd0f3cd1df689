package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/store"
)

// oldestPostgres is the oldest release of PostgreSQL that the service is tested with.
const oldestPostgres = 150000

// doctorWaits bounds how long a server of databases may take to answer.
const doctorWaits = 15 * time.Second

// checkPostgres checks the server, the database in it and the master key.
func (d *Diagnosis) checkPostgres(ctx context.Context, settings *config.Config) error {
	unbounded := ctx
	ctx, cancel := context.WithTimeout(ctx, doctorWaits)
	defer cancel()
	found, err := store.Schema.ExaminePostgres(ctx, settings.DatabaseURL)
	if errors.Is(err, db.ErrPooled) {
		d.find("%v", err)
		return nil
	}
	if err != nil {
		d.find("PostgreSQL cannot be used: %s: start the server, or correct --database",
			strings.Join(strings.Fields(err.Error()), " "))
		return nil
	}
	d.judgeServer(found)
	d.judgeDurability(found, settings.DatabaseMayLoseData)
	if found.Sorting != nil {
		d.find("%v", found.Sorting)
	}
	d.judgeSchema(found)
	if where, err := settings.ProofStore(); err == nil && where.Endpoint == nil {
		d.note("the pictures of proofs are in %s: with several nodes all of them must mount that folder, "+
			"or set --proofs to a bucket", where.Directory)
	}
	if found.SchemaVersion == 0 || len(found.Missing) > 0 {
		return nil
	}
	database, err := db.OpenPostgresAsItIs(ctx, settings.DatabaseURL)
	if err != nil {
		return err
	}
	providers := &companies{}
	err = errors.Join(d.checkStored(ctx, settings, database), providers.read(ctx, database), database.Close())
	return errors.Join(err, providers.ask(unbounded, settings, d))
}

func (d *Diagnosis) judgeServer(found *db.Server) {
	how := "without TLS"
	if found.TLS {
		how = "with TLS"
	}
	d.note("PostgreSQL %s, connected %s; %d connections of others, %d allowed", found.VersionText, how, found.OtherConns,
		found.MaxConns)
	if found.Version < oldestPostgres {
		d.find("PostgreSQL %s is older than %d, with which the service is tested: upgrade the server", found.VersionText,
			oldestPostgres/10_000)
	}
	if found.PoolConns > found.MaxConns {
		d.find("one node opens up to %d connections, but the server allows %d: set pool_max_conns in the URL of the database to less, or max_connections of the server to more", found.PoolConns, found.MaxConns)
	} else if found.PoolConns > found.MaxConns-found.OtherConns {
		d.note("one node opens up to %d connections, and %d are free", found.PoolConns,
			max(0, found.MaxConns-found.OtherConns))
	}
	if found.Ahead.Abs()-found.Doubt > time.Second {
		d.note("the clock of PostgreSQL differs from this machine's by %v (give or take %v)",
			found.Ahead.Round(time.Millisecond), found.Doubt.Round(time.Millisecond))
	}
	if found.Ahead.Abs()-found.Doubt > signature.MaxSkew {
		d.find("the clocks differ by %v, at most %v is allowed: run NTP on both machines", found.Ahead.Round(time.Second),
			signature.MaxSkew)
	}
}

// judgeDurability finds settings with which a crash loses what was acknowledged.
func (d *Diagnosis) judgeDurability(found *db.Server, mayLoseData bool) {
	lossy := false
	for _, name := range []string{"fsync", "full_page_writes"} {
		if found.Settings[name] != "off" {
			continue
		}
		lossy = true
		if mayLoseData {
			d.note("%s of PostgreSQL is off, so a power failure can destroy the database; --database-may-lose-data accepts that",
				name)
		} else {
			d.find(
				"%s of PostgreSQL is off, so a power failure can destroy the database, and no service starts on it: set it to on",
				name,
			)
		}
	}
	if mayLoseData && !lossy {
		d.note("--database-may-lose-data is set, and not needed")
	}
	if found.Settings["synchronous_commit"] == "off" {
		d.note("synchronous_commit of PostgreSQL is off; the service sets it to on for its own sessions")
	}
	if found.Settings["transaction_read_only"] == "on" {
		d.find("the database is read-only, as that of a standby is: set --database to the primary, or default_transaction_read_only to off")
	}
}

func (d *Diagnosis) judgeSchema(found *db.Server) {
	known, err := store.Schema.Version()
	switch {
	case err != nil:
		d.find("%v", err)
	case found.SchemaVersion == 0:
		d.note("no service has used the database yet")
	case found.SchemaVersion > known:
		d.find("the schema has version %d, this release knows %d: use the release that has migrated it, or a later one",
			found.SchemaVersion, known)
	case found.SchemaVersion < known:
		d.note("the schema has version %d; the next start brings it to %d", found.SchemaVersion, known)
	default:
		d.note("schema version %d", found.SchemaVersion)
	}
	if len(found.Missing) > 0 {
		d.find("the user of the database lacks privileges: %s; grant them, or make the user the owner of the tables",
			strings.Join(found.Missing, ", "))
	}
}

// checkStored checks the master key and what is sealed under it.
func (d *Diagnosis) checkStored(ctx context.Context, settings *config.Config, database *db.Database) error {
	mark, err := database.Setting(ctx, clock.MarkSetting)
	if err != nil {
		return err
	}
	d.checkTrust(mark, time.Now())
	if err := d.checkPlace(ctx, settings, database); err != nil {
		return err
	}
	if err := d.checkBooks(ctx, database); err != nil {
		return err
	}
	state, err := database.Setting(ctx, store.ExportsSetting)
	if err != nil {
		return err
	}
	d.checkExports(state)
	known, err := database.Setting(ctx, fingerprintSetting)
	if err != nil || !d.checkKey(settings, known) {
		return err
	}
	secrets := newSecrets(settings)
	for _, column := range store.Schema.Sealed {
		if err := eachSealed(ctx, database, column, secrets.check); err != nil {
			return err
		}
	}
	secrets.report(d)
	return nil
}

// mostWrongEntries bounds what is found in the books.
const mostWrongEntries = 20

// checkBooks looks for entries of the journal that do not add up or stand there twice, and for statements that do not
// follow each other.
func (d *Diagnosis) checkBooks(ctx context.Context, database *db.Database) error {
	return database.Read(ctx, func(c db.Conn) error {
		for _, check := range []struct{ table, query, read string }{
			{"journal", store.WrongEntries, "docs/money.md, Doctor"}, {"statements", store.Misnumbered, "docs/money.md, Doctor"},
			{"export_days", store.WrongExports, "docs/exports.md"},
			{"further_deliveries", store.WrongDeliveries, "docs/operating.md, dropyard doctor"},
		} {
			if has, err := hasTable(ctx, c, check.table); err != nil {
				return err
			} else if !has {
				continue
			}
			if err := c.Query(ctx, check.query+" LIMIT $1", []any{mostWrongEntries}, func(r db.Row) error {
				var problem string
				err := r.Scan(&problem)
				d.find("%s: read %s", problem, check.read)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// hasTable reports whether there is a table: databases of earlier releases lack some until the next start.
func hasTable(ctx context.Context, c db.Conn, name string) (bool, error) {
	return db.Exists(ctx, c, "SELECT relname FROM pg_class WHERE oid = to_regclass($1)", name)
}

// eachSealed calls fn with each value of a column.
func eachSealed(
	ctx context.Context, database *db.Database, of db.SealedColumn, fn func(db.SealedColumn, db.SealedValue),
) error {
	has := false
	if err := database.Read(ctx, func(c db.Conn) (err error) {
		has, err = hasTable(ctx, c, of.Table)
		return err
	}); err != nil || !has {
		return err
	}
	var after string
	for {
		found, err := database.SealedAfter(ctx, of, after, resealBatch)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, value := range found {
			fn(of, value)
		}
		after = found[len(found)-1].Key
	}
}
