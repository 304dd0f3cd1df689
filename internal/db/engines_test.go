package db

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// serviceSchema is the schema of the service. Package store embeds its migrations.
var serviceSchema = &Schema{
	Migrations: os.DirFS("../store"), Pictures: "SELECT name FROM order_proofs", Distributed: "orders",
}

func openSQLite(ctx context.Context, path string) (*Database, error) {
	examined, err := serviceSchema.ExamineSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	return examined.Open(ctx, slog.Default())
}

var openPostgres = serviceSchema.OpenPostgres

var (
	opener = testkit.NewOpener(openSQLite, openPostgres, func(ctx context.Context, url string) error {
		_, err := Distribute(ctx, url, 4)
		return err
	})
	// engines holds, for each engine, a function that opens an empty database.
	engines = opener.Engines()
	closing = testkit.Closing[*Database]
)
