// Package app puts the rooms together: it opens the store and the keys, makes
// the services, serves, and on the way out lets everything finish.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/simulate"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Surroundings is what the service takes from the world it runs in.
type Surroundings struct {
	Now    func() time.Time
	At     func(time.Time) <-chan time.Time // fires at a time
	Random io.Reader
	Log    *slog.Logger
	// Out is where the demo prints its credentials.
	Out io.Writer
	// Version is the version of dropyard, for the metrics.
	Version string
	// Hasher hashes passwords.
	Hasher *credential.Hasher
	// OrderStore replaces where orders are kept; for measuring what storage
	// costs. nil keeps them in the store.
	OrderStore func(order.Store) order.Store
}

// collectLess lets the heap grow fivefold before it is collected, unless GOGC
// says otherwise: what lives is small, and a quarter of the CPU went into
// collecting the garbage of requests again and again.
func collectLess() {
	const percent = 400
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// System is the real world.
func System() Surroundings {
	collectLess()
	return Surroundings{
		Now:    time.Now,
		At:     func(at time.Time) <-chan time.Time { return time.After(time.Until(at)) },
		Random: rand.Reader,
		Log:    slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Out:    os.Stdout,
		Hasher: credential.NewHasher(credential.DefaultCost, rand.Reader),
	}
}

// App is a running service.
type App struct {
	Surroundings
	config    *config.Config
	listener  net.Listener
	http      *http.Server
	store     *store.Store
	masterKey credential.MasterKey
	orders    *order.Service
	partners  *partner.Service
	operators *operator.Service
	stock     *stock.Service
	rateCards *ratecard.Service
	dispatch  *dispatch.Service
	acceptor  *order.Acceptor
	retention *retention.Service
	simulator *simulate.Service
	webhooks  *webhook.Service
	sender    *webhook.Sender
	outbound  *outbound.Client
	proofs    *proof.Service
	pictures  proof.Store // of the proofs
	// endPictures ends what pictures has open; nil until it is open.
	endPictures func()
	metrics     *metricsServer
}

// Limits of the HTTP server. Reading and writing a request together may take
// as long as the interface allows a request (section 8), and a little more so
// that the answer that says so still gets out.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	answerTimeout = 35 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	// drainTimeout bounds how long a stop waits for requests under way.
	drainTimeout = 40 * time.Second
)

// Check tells the first setting that cannot be. It opens and makes nothing.
func Check(settings *config.Config) error {
	if err := settings.Check(); err != nil {
		return err
	}
	if settings.OperatorEmail == "" {
		return nil
	}
	if err := operator.Check(operator.Operator{Email: settings.OperatorEmail, Role: operator.RoleAdmin}, settings.OperatorPassword); err != nil {
		return fmt.Errorf("the first operator: %w", err)
	}
	return nil
}

// Start opens everything and listens; Run then serves. Nothing is made before
// the settings have proved usable.
func Start(ctx context.Context, settings *config.Config, world Surroundings) (*App, error) {
	if err := Check(settings); err != nil {
		return nil, err
	}
	a := &App{Surroundings: world, config: settings}
	if err := a.start(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// start may leave the app half started; close then ends what there is.
func (a *App) start(ctx context.Context) (err error) {
	var network net.ListenConfig
	if a.listener, err = network.Listen(ctx, "tcp", a.config.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := a.openMetrics(ctx); err != nil {
		return err
	}
	if err := a.open(ctx); err != nil {
		return err
	}
	if err := a.prepare(ctx); err != nil {
		return err
	}
	a.http = &http.Server{
		Handler:           a.handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(a.Log.Handler(), slog.LevelDebug),
		// OPTIONS * is refused like any unknown path, not answered in plain text.
		DisableGeneralOptionsHandler: true,
	}
	a.http.RegisterOnShutdown(a.webhooks.EndFeeds)
	a.retention.Run()
	a.dispatch.Run()
	a.acceptor.Run(a.orders)
	a.startSimulation()
	a.metrics.serve(a)
	a.Log.Info("ready", "url", a.URL(), "settings", a.config.String())
	return nil
}

// URL is the public address of the service.
func (a *App) URL() string { return a.config.Public(a.listener.Addr()) }

// Address is where the service listens.
func (a *App) Address() string { return a.listener.Addr().String() }

// MetricsAddress returns the address on which the metrics are served; empty if
// they are not.
func (a *App) MetricsAddress() string {
	if a.metrics.listener == nil {
		return ""
	}
	return a.metrics.listener.Addr().String()
}

// open opens the store and the master key, and makes the services.
func (a *App) open(ctx context.Context) error {
	if err := os.MkdirAll(a.config.Data, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	var err error
	if a.store, err = openStore(ctx, a.config); err != nil {
		return err
	}
	if err := a.store.CheckWhole(ctx); err != nil {
		return err
	}
	if a.masterKey, err = a.openMasterKey(ctx); err != nil {
		return err
	}
	sealer, err := credential.NewSealer(a.masterKey.Derive("secrets"))
	if err != nil {
		return err
	}
	a.partners = partner.NewService(partner.Config{
		Store: a.store.Partners(), Now: a.Now, Random: a.Random, Hasher: a.Hasher, Sealer: sealer, Log: a.Log,
		Observer: a.metrics.Logins("partner"),
	})
	a.operators = newOperators(a.store, a.Surroundings, a.metrics.Logins("operator"))
	a.rateCards = ratecard.NewService(ratecard.Config{Store: a.store.RateCardStore(), Now: a.Now, Random: a.Random})
	a.stock = stock.NewService(stock.Config{Store: a.store.Stock(), Now: a.Now, Random: a.Random})
	if err := a.openProofs(); err != nil {
		return err
	}
	a.retention = newRetention(a.store, a.pictures, a.config, a.Surroundings, a.metrics.Retention())
	if err := a.openWebhooks(ctx, sealer); err != nil {
		return err
	}
	a.acceptor = order.NewAcceptor(a.Log)
	a.dispatch = dispatch.NewService(dispatch.Config{
		Store: a.store.Dispatch(), Now: a.Now, Random: a.Random, Log: a.Log, Settled: a.acceptor.WakeAll,
	})
	orders := a.store.Orders()
	if a.OrderStore != nil {
		orders = a.OrderStore(orders)
	}
	a.orders = order.NewService(order.Config{
		Store:       orders,
		Writers:     a.store.Writers(),
		ByPartner:   a.store.Sharded(),
		Now:         a.Now,
		Random:      a.Random,
		Card:        a.cardOf,
		Quoter:      pricing.NewQuoter(a.masterKey.Derive("quotes")),
		Encode:      record.Encode,
		TrackingURL: func(orderID string) string { return a.URL() + "/track/" + orderID },
		ProofURL:    a.proofURL,
		Announce:    a.sender.Wake,
		Created:     a.acceptor.Wake,
		Observer:    a.metrics.Orders(),
	})
	return nil
}

// cardOf is the rate card that holds for a partner at a time.
func (a *App) cardOf(ctx context.Context, partnerID string, at time.Time) (*pricing.Card, error) {
	settings, err := a.partners.Settings(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	return a.rateCards.At(ctx, settings.RateCard, at)
}

func openStore(ctx context.Context, settings *config.Config) (*store.Store, error) {
	if settings.Postgres() {
		return store.OpenPostgres(ctx, settings.DatabaseURL)
	}
	return store.OpenSQLite(ctx, settings.Database())
}

const fingerprintSetting = "master_key_fingerprint"

// openMasterKey reads the master key and holds it against the fingerprint that
// the database knows. A first start makes the key and notes the fingerprint.
func (a *App) openMasterKey(ctx context.Context) (key credential.MasterKey, err error) {
	known := ""
	err = a.store.Read(ctx, func(tx *store.Tx) error {
		known, err = tx.Setting(ctx, fingerprintSetting)
		return err
	})
	if err != nil {
		return key, err
	}
	if key, err = credential.OpenMasterKey(a.config.MasterKey(), known, a.Random); err != nil || known != "" {
		return key, err
	}
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.AddSetting(ctx, fingerprintSetting, key.Fingerprint()); err != nil {
			return err
		}
		known, err = tx.Setting(ctx, fingerprintSetting)
		return err
	})
	if err != nil {
		return key, err
	}
	// Another node may have been first, and with another key.
	return credential.OpenMasterKey(a.config.MasterKey(), known, a.Random)
}

// prepare makes what the settings ask for: the first operator, the demo.
func (a *App) prepare(ctx context.Context) error {
	if a.config.OperatorEmail != "" {
		ctx := audit.WithOperation(ctx, audit.Operation{OperatorID: "settings"})
		if _, err := a.operators.EnsureOperator(ctx, a.config.OperatorEmail, a.config.OperatorPassword, operator.RoleAdmin); err != nil {
			return fmt.Errorf("add the first operator: %w", err)
		}
	}
	if a.config.Demo {
		return a.seedDemo(ctx)
	}
	return nil
}

func (a *App) handler() http.Handler {
	proxies, _ := a.config.Proxies() // Check has read them before
	return api.New(api.Config{
		Orders:         a.orders,
		Partners:       a.partners,
		Operators:      a.operators,
		Dispatch:       a.dispatch,
		Stock:          a.stock,
		RateCards:      a.rateCards,
		Webhooks:       a.webhooks,
		Proofs:         a.proofs,
		TrackingPage:   web.Tracking,
		Now:            a.Now,
		Random:         a.Random,
		Log:            a.Log,
		RateLimit:      a.config.RateLimit,
		SharedRates:    a.sharedRates(),
		TrustedProxies: proxies,
		SecureCookies:  a.config.Secure(),
		Observer:       a.metrics.API(),
	})
}

// sharedRates makes the limiter that nodes share. It is nil where there is but
// one: then nothing needs to be written for each request.
func (a *App) sharedRates() *throttle.Shared {
	if !a.store.Shared() {
		return nil
	}
	return throttle.NewShared(api.PartnerRate(a.config.RateLimit), a.store.Rates(), a.Now, a.Log, a.metrics.SharedRates())
}

// Run serves until ctx ends. Then it stops accepting, finishes what runs, and
// closes everything.
func (a *App) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- a.http.Serve(a.listener) }()
	var cause error
	select {
	case cause = <-failed:
	case <-ctx.Done():
	}
	a.Log.Info("draining")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := a.http.Shutdown(drain); err != nil {
		cause = errors.Join(cause, fmt.Errorf("requests were cut off after %v: %w", drainTimeout, err), a.http.Close())
	}
	return errors.Join(cause, a.close())
}

// close ends the services before the store they use. It copes with an app that
// was only half started.
func (a *App) close() error {
	errs := []error{a.metrics.close()}
	if a.simulator != nil {
		a.simulator.Close()
	}
	if a.dispatch != nil {
		a.acceptor.Close()
		a.dispatch.Close()
	}
	if a.orders != nil {
		a.orders.Close()
	}
	if a.sender != nil {
		a.sender.Close()
	}
	if a.outbound != nil {
		a.outbound.Close()
	}
	if a.retention != nil {
		a.retention.Close()
	}
	if a.endPictures != nil {
		a.endPictures()
	}
	if a.partners != nil {
		errs = append(errs, a.partners.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	if a.listener != nil {
		// The server has closed it already if it ever ran.
		if err := a.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
