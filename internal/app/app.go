// Package app connects all other packages to a running service: it opens the store
// and the keys, creates the services, serves HTTP, and shuts everything down in
// order. It also holds what the command line does without a running service.
package app

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/foundation/accesslog"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/processors"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/mailer"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/route"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/simulate"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Surroundings holds what a service takes from outside, so that tests can replace
// it. In an App, Now and At are those of its steady clock.
type Surroundings struct {
	Now func() time.Time
	At  func(time.Time) <-chan time.Time // fires at a time by the clock of Now
	// Elapsed returns the time since a fixed moment by a clock that is never set, with
	// which Now is compared; nil leaves Now unchecked. Now may go back only if there is one.
	Elapsed func() time.Duration
	Random  io.Reader // cryptographically secure, safe for concurrent use
	Log     *slog.Logger
	// Out is where the demo prints its credentials.
	Out io.Writer
	// Version is the version of dropyard, which the metrics show.
	Version string
	// Memory is how much memory Go may use, in bytes. The room for requests and
	// responses in flight is a part of it.
	Memory int64
	// Hasher hashes passwords.
	Hasher *credential.Hasher
	// Post sends mails instead of the mail server in the settings. With nil and without
	// a server there is no mail, and links are returned to those who made them.
	Post mail.Post
	// OrderStore wraps the store of orders, to measure what storage costs; nil
	// leaves it as it is.
	OrderStore func(order.Store) order.Store
}

// System returns the surroundings of a real service: the system's clock and random
// numbers, standard output and error. It also sets the garbage collector and the
// memory limit of the process.
func System() Surroundings {
	processors.Spread()
	collector.start()
	start := time.Now()
	return Surroundings{
		Memory:  limitMemory(),
		Now:     time.Now,
		At:      func(at time.Time) <-chan time.Time { return time.After(time.Until(at)) },
		Elapsed: func() time.Duration { return time.Since(start) },
		Random:  rand.Reader,
		Log:     slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Out:     os.Stdout,
		Hasher:  credential.NewHasher(credential.DefaultCost, rand.Reader),
	}
}

// App is a running service.
type App struct {
	Surroundings
	// machine returns the time of the machine's clock, for what is compared with the clocks
	// of others. All else goes by Now, which never goes back.
	machine   func() time.Time
	clock     *clock.Steady
	config    *config.Config
	listener  net.Listener
	http      *http.Server
	locks     locks  // on the data directory
	warning   string // about the data directory; may be empty
	store     *store.Store
	masterKey credential.MasterKeys
	sealer    *credential.Sealer // of what is stored or given out sealed
	// ticketSealer seals what people have typed between the steps of a sign-in.
	ticketSealer *credential.Sealer
	demo         *demo // nil without --demo
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
	dispatch        *dispatch.Service
	feed            *feed.Service
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
	// endPictures closes what pictures holds open; nil until pictures is set.
	endPictures func()
	room        *api.Room
	security    *securitylog.Log
	accessLog   *accesslog.Log // nil without --access-log
	metrics     *metricsServer
	tracer      *tracing.Tracer // nil without --traces-endpoint
	redirect    *redirect       // nil without --tls-redirect
	ready       readiness
	nodes       *nodes
	lastTime    *lastTime
}

// Limits of the HTTP server. Reading a request and writing its response may take as
// long as the interface allows a request (section 8), and a little longer, so that
// the response to a request that took too long can still be written.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	answerTimeout = 35 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	// drainTimeout bounds how long a shutdown waits for requests under way.
	drainTimeout = 40 * time.Second
)

// Check returns an error for the first invalid setting. It opens and creates
// nothing.
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

// Start opens everything and listens; Run then serves. Invalid settings fail before
// anything is opened or created.
func Start(ctx context.Context, settings *config.Config, world Surroundings) (*App, error) {
	if err := Check(settings); err != nil {
		return nil, err
	}
	a := &App{Surroundings: world, config: settings, room: newRoom(world.Memory), machine: world.Now}
	a.clock = clock.New(world.Now, world.Elapsed, world.At, world.Log)
	a.Now, a.At = a.clock.Now, a.clock.At
	if err := a.start(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// start may fail half way; close then closes what was opened.
func (a *App) start(ctx context.Context) (err error) {
	var network net.ListenConfig
	if a.listener, err = network.Listen(ctx, "tcp", a.config.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
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
	a.http = &http.Server{
		Handler:           a.handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       bodyTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ConnContext:       boundReceived,
		HTTP2:             boundStreams(),
		ErrorLog:          slog.NewLogLogger(a.Log.Handler(), slog.LevelDebug),
		// OPTIONS * is refused in JSON like any unknown path, instead of being answered
		// by net/http.
		DisableGeneralOptionsHandler: true,
	}
	if err := a.openTLS(ctx); err != nil {
		return err
	}
	a.http.RegisterOnShutdown(a.webhooks.EndFeeds)
	a.http.RegisterOnShutdown(a.feed.EndWaits)
	a.retention.Run()
	a.requestLog.Run()
	a.dispatch.Run()
	a.acceptor.Run(a.orders)
	a.startSimulation()
	if a.mailer != nil {
		a.mailer.Run()
		a.recipients.Run()
	}
	a.metrics.serve(a)
	a.Log.Info("ready", "url", a.URL(), "settings", a.config.String())
	a.reportOpening()
	return nil
}

// receiveBuffer is how much of what a connection sends the system may hold until the
// service reads it, in bytes. Linux lets it grow to 6 MiB, which strangers could make
// it hold for every connection. At 100 ms to the client it still allows 1.2 MB/s.
const receiveBuffer = 128 << 10

// boundReceived bounds the receive buffer of a new connection.
func boundReceived(ctx context.Context, conn net.Conn) context.Context {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(receiveBuffer) // where this fails, the system's own bound holds
	}
	return ctx
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
	if err := a.openData(ctx); err != nil {
		return err
	}
	if err := a.openClock(ctx); err != nil {
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
	if err := a.openMail(); err != nil {
		return err
	}
	a.openAccounts()
	a.openRecipients()
	a.rateCards = ratecard.NewService(ratecard.Config{
		Store: a.store.RateCards(), Now: a.Now, Random: a.Random, Log: a.Log,
		Unreadable: a.unreadable("rate_card"),
	})
	a.stock = stock.NewService(stock.Config{Store: a.store.Stock(), Now: a.Now, Random: a.Random})
	if err := a.openProofs(); err != nil {
		return err
	}
	a.retention = newRetention(a.store, a.pictures, a.config, a.Surroundings, a.metrics.Retention())
	a.requestLog = requestlogger.NewService(requestlogger.Config{
		Store: a.store.RequestLog(), Now: a.Now, Random: a.Random, Log: a.Log, MaxBytes: a.config.RequestLogBytes,
		Observer: a.metrics.RequestLog(), Unreadable: a.unreadable("request_log"),
	})
	if err := a.openWebhooks(ctx, a.sealer); err != nil {
		return err
	}
	a.acceptor = order.NewAcceptor(a.Log)
	a.dispatch = dispatch.NewService(dispatch.Config{
		Store: a.store.Dispatch(), Now: a.Now, Random: a.Random, Log: a.Log, SettingsChanged: a.acceptor.WakeAll,
		Pace: route.Pace{Speed: a.config.Speed(), AtStop: a.config.StopTime}, Damaged: a.unreadableOrder,
	})
	a.openFeed()
	a.openOrders()
	a.openSimulation()
	a.openReadiness()
	return a.openNodes(ctx)
}

// openOrders starts the service of orders. The services that it calls must be
// there already.
func (a *App) openOrders() {
	kept := a.store.Orders()
	if a.OrderStore != nil {
		kept = a.OrderStore(kept)
	}
	a.orders = order.NewService(order.Config{
		Store:       kept,
		Writers:     a.store.Writers(),
		ByPartner:   a.store.Sharded(),
		Now:         a.Now,
		Random:      a.Random,
		Card:        a.cardOf,
		Quota:       a.quotaOf,
		Quoter:      quoterOf(a.masterKey),
		Encode:      record.Encode,
		Mail:        a.recipients.OfMove,
		TrackingURL: func(orderID string) string { return a.URL() + "/track/" + orderID },
		ProofURL:    a.proofURL,
		Announce:    a.sender.Wake,
		Created:     a.created,
		HandedOver:  a.handOver,
		Committed:   a.committed,
		Observer:    a.metrics.Orders(),
		Tracer:      a.tracer,
		Damaged:     a.unreadableOrder,

		EncodeForOperators: record.EncodeForOperators,
		AppendListed:       record.AppendListed,
	})
}

// handOverTime is how long keeping a sequence may take after the orders have moved.
const handOverTime = 10 * time.Second

// handOver keeps the sequence of orders that have another courier now. The orders have
// moved: a caller who has hung up ends nothing.
func (a *App) handOver(ctx context.Context, to string, from map[string]string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOverTime)
	defer cancel()
	if err := a.dispatch.HandOver(ctx, to, from); err != nil {
		a.Log.Error("orders that were handed over have no place in their new courier's sequence", "courier_id", to, "orders", len(from), "error", err)
	}
}

// created is called with the accounts whose new orders have been committed.
func (a *App) created(partnerIDs ...string) {
	a.acceptor.Wake(partnerIDs...)
	a.simulator.Wake(partnerIDs...)
}

// unreadable returns a function that counts a stored document that cannot be read.
func (a *App) unreadable(kind string) func() {
	return func() { a.metrics.Unreadable(kind) }
}

// unreadableOrder logs and counts a stored order that cannot be read.
func (a *App) unreadableOrder(damaged *delivery.DamagedError) {
	a.metrics.Unreadable("order")
	a.Log.Error("a stored order cannot be read", "order_id", damaged.OrderID, "error", damaged.Err)
}

// cardOf returns the rate card in force for a partner at a time.
func (a *App) cardOf(ctx context.Context, partnerID string, at time.Time) (*pricing.Card, error) {
	settings, err := a.partners.Settings(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	return a.rateCards.At(ctx, settings.RateCard, at)
}

// quotaOf returns the limits of a partner.
func (a *App) quotaOf(ctx context.Context, partnerID string) (order.Quota, error) {
	settings, err := a.partners.Settings(ctx, partnerID)
	quota := order.Quota{OrdersPerDay: settings.OrdersPerDay, StoredBytes: settings.StoredBytes}
	if quota.OrdersPerDay == partner.DefaultQuota {
		quota.OrdersPerDay = a.config.OrdersPerDay
	}
	if quota.StoredBytes == partner.DefaultQuota {
		quota.StoredBytes = a.config.StoredBytes
	}
	return quota, err
}

// prepare creates what the settings ask for: the first operator and the demo.
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
	proxies, _ := a.config.Proxies() // Check has parsed them before
	pages := a.pages()
	server := api.New(api.Config{
		Orders:          a.orders,
		Partners:        a.partners,
		Operators:       a.operators,
		OperatorSignIns: a.operatorSignIns,
		UserSignIns:     a.userSignIns,
		SignInRules:     a.rules,
		Dispatch:        a.dispatch,
		Feed:            a.feed,
		Stock:           a.stock,
		RateCards:       a.rateCards,
		Retention:       a.retention,
		Reports:         a.reports(),
		RequestLog:      a.requestLog,
		Receipts:        a.store.Receipts(),
		Webhooks:        a.webhooks,
		Proofs:          a.proofs,
		BaseURL:         a.URL,
		TrackingPages:   pages.tracking,
		Pages:           pages.others,
		RefusedPage:     pages.refused,
		Ready:           a.reasons,
		System:          a.system,
		Now:             a.Now,
		MachineNow:      a.machine,
		Random:          a.Random,
		Log:             a.Log,
		RateLimit:       a.config.RateLimit,
		StrangerLimit:   a.config.StrangerLimit,
		Room:            a.room,
		SharedRates:     a.sharedRates(),
		TrustedProxies:  proxies,
		SecureCookies:   a.config.Secure(),
		OpenID:          a.openID(),
		Observer:        a.metrics.API(),
		Tracer:          a.tracer,
		Security:        a.security,
		AccessLog:       a.accessLog,
	})
	if a.config.LocalDemo() {
		return onlyThisMachine(server)
	}
	return server
}

// reports returns the service that answers what happened in a period.
func (a *App) reports() *report.Service { return report.NewService(a.store.Reports(), a.Now) }

// openID returns the client of the OpenID provider; nil if there is none.
func (a *App) openID() *openid.Client {
	if a.config.OIDCIssuer == "" {
		return nil
	}
	return openid.New(openid.Config{
		Issuer: a.config.OIDCIssuer, ClientID: a.config.OIDCClientID, ClientSecret: a.config.OIDCClientSecret,
		RedirectURL: a.URL() + api.OpenIDCallback, RoleClaim: a.config.OIDCRoleClaim,
		Sealer: a.sealer, Now: a.machine, Random: a.Random, Log: a.Log,
	})
}

// sharedRates returns the limiter of the rates that nodes share; nil with the
// embedded database, which has one node, so that requests need no write.
func (a *App) sharedRates() *throttle.Shared {
	if !a.store.Shared() {
		return nil
	}
	return throttle.NewShared(api.PartnerRate(a.config.RateLimit), a.store.Rates(), a.machine, a.Log, a.metrics.SharedRates())
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

// close closes the services before the store that they use. Of an app that failed
// to start it closes what was opened.
func (a *App) close() error {
	errs := []error{a.metrics.close(), a.redirect.close()}
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
	if a.feed != nil {
		a.feed.Close()
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
	if a.requestLog != nil {
		a.requestLog.Close()
	}
	if a.endPictures != nil {
		a.endPictures()
	}
	if a.recipients != nil {
		a.recipients.Close()
	}
	if a.mailer != nil {
		a.mailer.Close()
	}
	if a.operatorSignIns != nil {
		a.operatorSignIns.Close()
		a.userSignIns.Close()
	}
	if a.partners != nil {
		errs = append(errs, a.partners.Close())
	}
	a.nodes.close()
	a.lastTime.close()
	a.security.Close()
	a.closeTracer()
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	errs = append(errs, a.locks.release())
	if a.listener != nil {
		// The server has closed it already if it was running.
		if err := a.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, a.accessLog.Close())
	return errors.Join(errs...)
}
