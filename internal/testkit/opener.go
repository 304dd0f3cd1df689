package testkit

import (
	"context"
	"io"
	"os"
	"testing"
)

// Opener opens databases for tests on every engine. D is what they are opened as.
type Opener[D io.Closer] struct {
	sqlite, postgres func(ctx context.Context, where string) (D, error)
	distribute       func(ctx context.Context, url string) error
	file             SQLiteTemplate
	server           PostgresTemplate
}

// NewOpener returns an opener of databases that functions open at a path, and at a URL.
// distribute spreads the tables at a URL over the nodes of Citus.
func NewOpener[D io.Closer](
	sqlite, postgres func(context.Context, string) (D, error), distribute func(context.Context, string) error,
) *Opener[D] {
	filled := func(open func(context.Context, string) (D, error)) func(context.Context, string) error {
		return func(ctx context.Context, where string) error {
			opened, err := open(ctx, where)
			if err != nil {
				return err
			}
			return opened.Close()
		}
	}
	return &Opener[D]{
		sqlite: sqlite, postgres: postgres, distribute: distribute,
		file: SQLiteTemplate{Fill: filled(sqlite)}, server: PostgresTemplate{Fill: filled(postgres)},
	}
}

// Path returns the path of an empty database with the current schema.
func (o *Opener[D]) Path(t testing.TB) string { return o.file.Path(t) }

// URL returns the URL of an empty database with the current schema.
func (o *Opener[D]) URL(t testing.TB) string { return o.server.URL(t) }

// Closing returns what was opened, and has it closed when the test ends.
func Closing[D io.Closer](t *testing.T) func(D, error) D {
	return func(opened D, err error) D {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.Close() })
		return opened
	}
}

// Engines returns, for each engine, a function that opens an empty database. Citus is among
// them where the tests are given a server.
func (o *Opener[D]) Engines() map[string]func(t *testing.T) D {
	engines := map[string]func(*testing.T) D{
		"sqlite":   func(t *testing.T) D { return Closing[D](t)(o.sqlite(t.Context(), o.Path(t))) },
		"postgres": func(t *testing.T) D { return Closing[D](t)(o.postgres(t.Context(), o.URL(t))) },
	}
	if os.Getenv(CitusVariable) != "" {
		engines["citus"] = func(t *testing.T) D {
			url := CitusURL(t)
			if err := Closing[D](t)(o.postgres(t.Context(), url)).Close(); err != nil {
				t.Fatal(err)
			}
			if err := o.distribute(t.Context(), url); err != nil {
				t.Fatal(err)
			}
			return Closing[D](t)(o.postgres(t.Context(), url))
		}
	}
	return engines
}
