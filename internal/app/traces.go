package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// openTracer creates the tracer if the settings have a collector. Lines of the log then
// name the trace of the request that they belong to.
func (a *App) openTracer() error {
	if a.config.TracesEndpoint == "" {
		return nil
	}
	instance, err := identifier.New(a.Random, "")
	if err != nil {
		return err
	}
	a.tracer, err = tracing.New(tracing.Config{
		Endpoint: a.config.TracesEndpoint, Ratio: a.config.TracesRatio,
		Service: "dropyard", Version: a.Version, Instance: instance, Log: a.Log,
	})
	if err != nil {
		return fmt.Errorf("--traces-endpoint: %w", err)
	}
	a.atClose(ending(a.closeTracer))
	a.Log = slog.New(tracing.LogHandler(a.Log.Handler()))
	return nil
}

// flushTime is how long a collector may take for the last spans when the service ends.
const flushTime = 5 * time.Second

// closeTracer sends the spans that wait. That it fails to is no error of the service.
func (a *App) closeTracer() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := a.tracer.Close(ctx); err != nil {
		a.Log.Warn("the last traces were not sent", "error", err)
	}
}
