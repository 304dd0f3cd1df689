// Package store keeps all that the service stores. All SQL about its tables is here, written
// once for both engines of package db, and so are the migrations. Each package declares the
// transactions that it needs, such as order.Store; the methods of Store return them.
package store

import (
	"context"
	"embed"
	"log/slog"

	"github.com/dropyard/dropyard/internal/db"
)

//go:embed migrations
var migrations embed.FS

// The columns that are sealed under the master key.
var (
	SealedAPIKeys     = db.SealedColumn{Table: apiKeys.Name, Key: "key_id", Column: "secret"}
	SealedEndpoints   = db.SealedColumn{Table: endpoints.Name, Key: "partner_id", Column: "secret"}
	SealedNextSecrets = db.SealedColumn{Table: endpoints.Name, Key: "partner_id", Column: "next_secret"}
	SealedFurther     = db.SealedColumn{Table: furtherEndpoints.Name, Key: "endpoint_id", Column: "secret"}
	SealedFurtherNext = db.SealedColumn{Table: furtherEndpoints.Name, Key: "endpoint_id", Column: "next_secret"}
	SealedTOTPSecrets = db.SealedColumn{Table: signIns.Name, Key: "person_id", Column: "totp_secret"}
	SealedMails       = db.SealedColumn{Table: mails.Name, Key: "mail_id", Column: "sealed"}
	SealedOpenID      = db.SealedColumn{Table: partnerOpenID.Name, Key: "partner_id", Column: "client_secret"}
)

// Schema is what this release keeps in its databases.
var Schema = &db.Schema{
	Migrations: migrations,
	Sealed: []db.SealedColumn{
		SealedAPIKeys, SealedEndpoints, SealedNextSecrets, SealedFurther, SealedFurtherNext, SealedTOTPSecrets, SealedMails,
		SealedOpenID,
	},
	Pictures: "SELECT name FROM order_proofs",
	Providers: db.TableQuery{
		Table: "partner_openid",
		Query: "SELECT partner_id, issuer FROM partner_openid WHERE stopped_at = 0 ORDER BY partner_id",
	},
	Disagreeing: []db.TableQuery{
		{Table: openOrders.Name, Query: unlikeOrders}, {Table: journal.Name, Query: WrongEntries},
		{Table: statements.Name, Query: Misnumbered}, {Table: exportDays.Name, Query: WrongExports},
		{Table: furtherDeliveries.Name, Query: WrongDeliveries},
	},
	Distributed: orders.Name,
}

// Store is an open database of the service.
type Store struct {
	*db.Database
	// orderReads reads single orders in groups; nil if the engine does not need it.
	orderReads *orderReads
}

// OpenSQLite opens the embedded store, creates it if there is none, and brings
// its schema up to date. The error is a *db.FaultError if the files are damaged, or if a
// database that was here is missing.
func OpenSQLite(ctx context.Context, path string) (*Store, error) {
	examined, err := Schema.ExamineSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	return Open(ctx, examined, slog.Default())
}

// Open opens the embedded store that was examined, as OpenSQLite does.
func Open(ctx context.Context, examined *db.Examined, log *slog.Logger) (*Store, error) {
	opened, err := examined.Open(ctx, log)
	if err != nil {
		return nil, err
	}
	return &Store{Database: opened}, nil
}

// OpenPostgres opens a PostgreSQL database and brings its schema up to date.
// Several nodes may do so at the same time.
func OpenPostgres(ctx context.Context, url string) (*Store, error) {
	opened, err := Schema.OpenPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	s := &Store{Database: opened}
	if !opened.Sharded() {
		s.orderReads = db.NewGrouped(opened, storedByKeys)
	}
	return s, nil
}

// view is the store as one package sees it: a transaction of the package's own type
// around each connection.
type view[R, W any] struct {
	database *db.Database
	reader   func(db.Conn) R
	writer   func(db.Conn) W
}

// Read runs fn on a consistent view of the data.
func (v view[R, W]) Read(ctx context.Context, fn func(R) error) error {
	return v.database.Read(ctx, func(c db.Conn) error { return fn(v.reader(c)) })
}

// ReadOnce is Read for an fn that sends statements once.
func (v view[R, W]) ReadOnce(ctx context.Context, fn func(R) error) error {
	return v.database.ReadOnce(ctx, func(c db.Conn) error { return fn(v.reader(c)) })
}

// Write runs fn in a transaction: durably committed when it returns nil, undone
// when it returns an error. fn may run again after a lost race. If the context carries an
// actor, the transaction begins by reading it again, and refuses one who may no longer act.
func (v view[R, W]) Write(ctx context.Context, fn func(W) error) error {
	return v.database.Write(ctx, func(c db.Conn) error {
		tx := v.writer(c)
		if err := admit(ctx, c, tx); err != nil {
			return err
		}
		return fn(tx)
	})
}
