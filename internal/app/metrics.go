package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/metrics"
	"github.com/dropyard/dropyard/internal/webhook"
)

// metricsServer serves the metrics on an address of their own, which should not be
// public.
type metricsServer struct {
	*metrics.Metrics
	listener net.Listener
	http     *http.Server
}

// openMetrics creates the metrics, and listens if the settings have an address for
// them. Without one they are counted all the same.
func (a *App) openMetrics(ctx context.Context) (err error) {
	a.metrics = &metricsServer{Metrics: metrics.New(a.Version)}
	if a.config.MetricsListen == "" {
		return nil
	}
	if a.metrics.listener, err = listen(ctx, "--metrics-listen", a.config.MetricsListen); err != nil {
		return err
	}
	a.atClose(func() error { return ended(a.metrics.listener.Close()) })
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.metrics.Handler())
	a.metrics.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout,
	}
	return nil
}

// serve serves the metrics of a service that has started, until close.
func (m *metricsServer) serve(a *App) {
	m.WatchMemory(a.inFlight.Stats)
	m.WatchConnections(a.connections.Stats)
	m.WatchStore(a.store.Stats)
	m.WatchSender(a.sender.Stats)
	m.WatchTraces(a.tracer.Stats)
	m.WatchFeed(a.feed.Stats)
	m.WatchClock(a.clock.Ahead)
	m.WatchBacklog(a.backlog, a.Now)
	m.WatchMails(func(ctx context.Context) (int64, error) { return mailer.Waiting(ctx, a.store.Mails()) })
	m.WatchAccessLog(a.accessLog.Stats)
	m.WatchInstallation(a.watched())
	if m.http != nil {
		go func() { _ = m.http.Serve(m.listener) }()
		a.atClose(m.http.Close)
	}
}

// watched returns what the metrics read of the installation.
func (a *App) watched() metrics.Installation {
	watched := metrics.Installation{
		Reasons: a.reasons, Disks: a.disks, Delays: a.orders.Delays, Held: a.hold.on, DaysBehind: a.exportsBehind,
	}
	if !a.store.Shared() {
		watched.LastBackup = func() (*time.Time, error) { return lastBackup(a.config) }
	}
	return watched
}

func (a *App) backlog(ctx context.Context) (b webhook.Backlog, err error) {
	err = a.store.Webhooks().Read(ctx, func(tx webhook.Reader) error {
		b, err = tx.Backlog(ctx)
		return err
	})
	return b, err
}

// ended returns the error of closing a listener, which the server that used it may have
// closed before.
func ended(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
