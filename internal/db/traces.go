package db

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// traces records transactions as spans, without their statements.
type traces struct {
	tracer *tracing.Tracer // nil records nothing
	system string          // of the database, as OpenTelemetry names it
}

// Trace records the transactions of requests that are recorded. It must be called before
// the database is used.
func (d *Database) Trace(tracer *tracing.Tracer) {
	system := "sqlite"
	if d.Shared() {
		system = "postgresql"
	}
	d.guard().traces = traces{tracer, system}
}

func (t traces) start(ctx context.Context, name string) (context.Context, *tracing.Span) {
	ctx, span := t.tracer.Start(ctx, name, tracing.Client)
	span.Set("db.system.name", t.system)
	return ctx, span
}

// ended ends the span of a transaction. Only a database that cannot be reached is a failure
// of the transaction; other errors are those of what ran in it, or of its request.
func ended(span *tracing.Span, err error) {
	if errors.Is(err, refusal.ErrUnreachable) {
		span.Fail("unreachable")
	}
	span.End()
}
