// Package app connects all other packages to a running service: it opens the store
// and the keys, creates the services, serves HTTP, and shuts everything down in
// order. It also holds what the command line does without a running service.
package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/backups"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/exports"
	"github.com/dropyard/dropyard/internal/foundation/accesslog"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/inbound"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/route"
	"github.com/dropyard/dropyard/internal/search"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/simulate"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// App is a running service.
type App struct {
	Surroundings
	// machine returns the time of the machine's clock, for what is compared with the clocks
	// of others. All else goes by Now, which never goes back.
	machine   func() time.Time
	clock     *clock.Steady
	calendar  *pricing.Calendar // of the time zones of the surroundings
	trust     *clock.Trust      // by whose time stored data ages
	config    *config.Config
	listener  net.Listener
	http      *http.Server
	warnings  []string // about the data directory and its file system; may be empty
	store     *store.Store
	masterKey credential.MasterKeys
	sealer    *credential.Sealer // of what is stored or given out sealed
	// ticketSealer seals what people have typed between the steps of a sign-in.
	ticketSealer *credential.Sealer
	trialLimit   *throttle.Limiter // of trials of settings
	backups      *backups.Service  // nil unless the settings say where backups are kept
	exports      *exports.Service  // nil unless the settings say where days are exported to
	demo         *demo             // nil without --demo
	day          *demoDay          // nil unless there is a demo that is not quiet
	orders       *order.Service
	partners     *partner.Service
	operators    *operator.Service
	// operatorSignIns and userSignIns are what people do about their own sign-in, rules
	// what they must.
	operatorSignIns *signin.Service
	userSignIns     *signin.Service
	rules           *signin.Rules
	mailer          *mailer.Service // nil without a mail server
	recipients      *recipient.Service
	stock           *stock.Service
	rateCards       *ratecard.Service
	accounting      *accounting.Service
	dispatch        *dispatch.Service
	feed            *feed.Service
	filler          *search.Filler
	acceptor        *order.Acceptor
	retention       *retention.Service
	requestLog      *requestlogger.Service
	simulator       *simulate.Service
	webhooks        *webhook.Service
	sender          *webhook.Sender
	outbound        *outbound.Client
	proofs          *proof.Service
	pictures        proof.Store // of the proofs
	cleaner         *picture.Cleaner
	strangers       *strangers
	inFlight        *httpd.Memory
	security        *securitylog.Log
	accessLog       *accesslog.Log // nil without --access-log
	metrics         *metricsServer
	tracer          *tracing.Tracer // nil without --traces-endpoint
	redirect        *redirect       // nil without --tls-redirect
	connections     *inbound.Bounds
	ready           readiness
	nodes           *nodes
	lineage         *lineage
	hold            hold
	ends            []func() error
}

// Check returns an error for the first invalid setting. It opens no connection and creates
// nothing.
func Check(settings *config.Config) error {
	if err := settings.Check(); err != nil {
		return err
	}
	if err := CheckPlaces(settings); err != nil {
		return err
	}
	if zone.Own().Location(settings.Zone()) == nil {
		return fmt.Errorf("--time-zone: %q is not a time zone of Canada (example: America/Toronto)", settings.TimeZone)
	}
	if settings.OperatorEmail == "" {
		return nil
	}
	if err := operator.Check(operator.Operator{Email: settings.OperatorEmail, Role: operator.RoleAdmin},
		settings.OperatorPassword); err != nil {
		return fmt.Errorf("the first operator: %w", err)
	}
	return nil
}

// CheckPlaces returns an error if a setting that says where data are kept is invalid, for
// commands that have no other settings. It opens no connection and creates nothing.
func CheckPlaces(settings *config.Config) error {
	if err := settings.CheckPlaces(); err != nil {
		return err
	}
	if err := checkURL(settings); err != nil {
		return fmt.Errorf("--database: %w", err)
	}
	return nil
}

// Start opens everything and listens; Run then serves. Invalid settings fail before
// anything is opened or created.
func Start(ctx context.Context, settings *config.Config, world Surroundings) (*App, error) {
	if err := Check(settings); err != nil {
		return nil, err
	}
	a := &App{
		Surroundings: world, calendar: pricing.NewCalendar(world.Zones), config: settings, inFlight: newMemory(world.Memory),
		machine: world.Now,
	}
	a.clock = clock.New(world.Now, world.Elapsed, world.At, world.Log)
	a.Now, a.At = a.clock.Now, a.clock.At
	if err := a.start(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// start may fail half way; close then closes what was opened.
func (a *App) start(ctx context.Context) (err error) {
	if a.listener, err = listen(ctx, "--listen", a.config.Listen); err != nil {
		return err
	}
	a.atClose(func() error { return ended(a.listener.Close()) })
	if err := a.openMetrics(ctx); err != nil {
		return err
	}
	if err := a.openTracer(); err != nil {
		return err
	}
	if err := a.open(ctx); err != nil {
		return err
	}
	if err := a.prepare(ctx); err != nil {
		return err
	}
	a.openConnections()
	a.http = a.server()
	if err := a.openTLS(ctx); err != nil {
		return err
	}
	a.http.RegisterOnShutdown(a.webhooks.EndFeeds)
	a.http.RegisterOnShutdown(a.feed.EndWaits)
	a.retention.Run()
	a.requestLog.Run()
	a.filler.Run()
	if a.backups != nil {
		a.backups.Run()
	}
	if a.exports != nil {
		a.exports.Run()
		a.atClose(ending(a.exports.Close))
	}
	a.acceptor.Run(a.orders)
	a.atClose(ending(a.acceptor.Close))
	a.accounting.Run()
	a.atClose(ending(a.accounting.Close))
	a.startSimulation()
	a.startDemoShop()
	a.startDay()
	if a.mailer != nil {
		a.mailer.Run()
		a.recipients.Run()
	}
	a.metrics.serve(a)
	if err := a.welcome(ctx); err != nil {
		return err
	}
	a.Log.Info("ready", "url", a.URL(), "settings", a.config.String())
	a.reportOpening()
	return nil
}

// URL returns the public address of the service.
func (a *App) URL() string { return a.config.Public(a.listener.Addr()) }

// Address returns the address on which the service listens.
func (a *App) Address() string { return a.listener.Addr().String() }

// MetricsAddress returns the address on which the metrics are served; empty if
// they are not.
func (a *App) MetricsAddress() string {
	if a.metrics.listener == nil {
		return ""
	}
	return a.metrics.listener.Addr().String()
}

// open opens the data directory and creates the services.
func (a *App) open(ctx context.Context) (err error) {
	a.security = securitylog.New(a.Log, a.Now, a.metrics.Security())
	a.atClose(ending(a.security.Close))
	if err := a.openData(ctx); err != nil {
		return err
	}
	if err := a.openLineage(ctx); err != nil {
		return err
	}
	if err := a.openClock(ctx); err != nil {
		return err
	}
	if err := a.openHold(ctx); err != nil {
		return err
	}
	if err := a.openNodes(ctx); err != nil {
		return err
	}
	if err := a.openAccessLog(); err != nil {
		return err
	}
	if a.sealer, err = sealerOf(a.masterKey, "secrets"); err != nil {
		return err
	}
	if a.ticketSealer, err = sealerOf(a.masterKey, "sign-in tickets"); err != nil {
		return err
	}
	a.cleaner = picture.NewCleaner()
	a.openStrangers()
	a.trialLimit = throttle.New(trialRate, a.machine)
	if err := a.openMail(); err != nil {
		return err
	}
	a.openAccounts()
	a.openRecipients()
	a.rateCards = ratecard.NewService(ratecard.Config{
		Store: a.store.RateCards(), Calendar: a.calendar, Now: a.Now, Random: a.Random, Log: a.Log,
		Unreadable: a.unreadable("rate_card"),
	})
	a.accounting = accounting.NewService(accounting.Config{
		Store: a.store.Accounting(), Now: a.Now, Random: a.Random, Zone: a.Zones.Location(a.config.Zone()),
		Startable: func(ctx context.Context) error { return a.nodes.editable(ctx) },
		Post:      a.Post, BaseURL: a.URL, Announce: func(keys ...outbox.EndpointKey) { a.sender.Wake(keys...) },
		At: a.At, Log: a.Log,
	})
	a.stock = stock.NewService(stock.Config{
		Store: a.store.Stock(), Now: a.Now, Random: a.Random,
		Wake: func(keys ...outbox.EndpointKey) { a.sender.Wake(keys...) },
	})
	if err := a.openProofs(); err != nil {
		return err
	}
	a.retention = newRetention(a.store, a.pictures, a.config, a.Surroundings, a.trust.Age, a.metrics.Retention())
	a.atClose(ending(a.retention.Close))
	a.requestLog = requestlogger.NewService(requestlogger.Config{
		Store: a.store.RequestLog(), Now: a.Now, Random: a.Random, Log: a.Log, MaxBytes: a.config.RequestLogBytes,
		Aged: a.trust.Age, Observer: a.metrics.RequestLog(), Unreadable: a.unreadable("request_log"),
	})
	a.atClose(ending(a.requestLog.Close))
	if err := a.openWebhooks(ctx, a.sealer); err != nil {
		return err
	}
	a.acceptor = order.NewAcceptor(a.Log)
	a.dispatch = dispatch.NewService(dispatch.Config{
		Store: a.store.Dispatch(), Now: a.Now, Random: a.Random, SettingsChanged: a.acceptor.WakeAll,
		Pace: route.Pace{Speed: a.config.Speed(), AtStop: a.config.StopTime}, Damaged: a.unreadableOrder,
	})
	a.openFeed()
	a.openSearch()
	a.openOrders()
	a.openSimulation()
	if err := a.openBackups(); err != nil {
		return err
	}
	if err := a.openExports(); err != nil {
		return err
	}
	a.openReadiness()
	a.followHold()
	return nil
}

// prepare creates what the settings ask for: the first operator and the demo.
func (a *App) prepare(ctx context.Context) error {
	if a.config.OperatorEmail != "" {
		ctx := audit.WithOperation(ctx, audit.Operation{OperatorID: "settings"})
		if _, err := a.operators.EnsureOperator(ctx, a.config.OperatorEmail, a.config.OperatorPassword,
			operator.RoleAdmin); err != nil {
			return fmt.Errorf("add the first operator: %w", err)
		}
	}
	if a.config.Demo {
		return a.seedDemo(ctx)
	}
	return nil
}

// Run serves until ctx ends. Then it accepts no more connections, waits for the
// requests under way and closes everything.
func (a *App) Run(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- a.serveHTTP() }()
	var cause error
	select {
	case cause = <-failed:
	case <-ctx.Done():
	}
	a.ready.draining.Store(true)
	a.Log.Info("draining")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := a.http.Shutdown(drain); err != nil {
		cause = errors.Join(cause, fmt.Errorf("requests were cut off after %v: %w", drainTimeout, err), a.http.Close())
	}
	return errors.Join(cause, a.close())
}

// atClose adds what close does before all that was added earlier. Whoever opens or starts
// something adds how it ends.
func (a *App) atClose(end func() error) { a.ends = append(a.ends, end) }

// close ends what was opened or started, the latest first, so that everything that a
// service uses outlives it. It also does so for an app that failed to start.
func (a *App) close() (err error) {
	for _, end := range slices.Backward(a.ends) {
		err = errors.Join(err, end())
	}
	return err
}

// ending returns a function for atClose that cannot fail.
func ending(end func()) func() error {
	return func() error {
		end()
		return nil
	}
}
