package app

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/api/ops"
	"github.com/dropyard/dropyard/internal/api/v1"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/report"
)

// Limits of the HTTP server. Reading a request and writing its response may take as
// long as the contract allows a request (docs/contract.md, Errors), and a little longer, so that
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

// server returns the HTTP server, which does not listen yet.
func (a *App) server() *http.Server {
	return &http.Server{
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
	if tcp, ok := conn.(interface{ SetReadBuffer(bytes int) error }); ok {
		_ = tcp.SetReadBuffer(receiveBuffer) // where this fails, the system's own bound holds
	}
	return ctx
}

// handler returns the handler of all that the service answers.
func (a *App) handler() http.Handler {
	proxies, _ := a.config.Proxies() // Check has parsed them before
	pages := a.pages()
	server := api.New(api.Config{
		Config: httpd.Config{
			Receipts:          a.store.Receipts(),
			Actors:            a.store,
			At:                a.At,
			BaseURL:           a.URL,
			Pages:             pages.others,
			RefusedPage:       pages.refused,
			Now:               a.Now,
			MachineNow:        a.machine,
			Random:            a.Random,
			Log:               a.Log,
			RateLimit:         a.config.RateLimit,
			StrangerLimit:     a.config.StrangerLimit,
			RegistrationLimit: a.config.RegistrationLimit,
			NewAccountChanges: newAccountChanges(a.config),
			Memory:            a.inFlight,
			SharedRates:       a.sharedRates(),
			TrustedProxies:    proxies,
			SecureCookies:     a.config.Secure(),
			Observer:          a.metrics.API(),
			Tracer:            a.tracer,
			Security:          a.security,
			AccessLog:         a.accessLog,
			Deprecated:        a.Deprecated,
		},
		V1: v1.New(v1.Config{
			Orders: a.orders, Partners: a.partners, Stock: a.stock, Webhooks: a.webhooks, Reports: a.reports(),
			RequestLog: a.requestLog, Accounting: a.accounting, UserSignIns: a.userSignIns,
			LinkKeys: a.masterKey.DeriveAll("label links"),
			Clock:    a.calendar.ClockAt, BaseURL: a.URL, Now: a.Now, RateLimit: a.config.RateLimit,
		}),
		Ops: ops.New(ops.Config{
			Orders: a.orders, Partners: a.partners, Operators: a.operators,
			OperatorSignIns: a.operatorSignIns, UserSignIns: a.userSignIns, SignInRules: a.rules,
			Accounting: a.accounting, Dispatch: a.dispatch, Feed: a.feed, Stock: a.stock, Proofs: a.proofs,
			RateCards: a.rateCards,
			Retention: a.retention, Reports: a.reports(), OpenID: a.openID(),
			System: a.system, AcceptClock: a.acceptClock, Resume: a.resume, BeginBackup: a.beginBackup,
			Exports: a.listExports, BeginExport: a.beginExport, Now: a.Now, Log: a.Log,
		}),
		Orders:          a.orders,
		Partners:        a.partners,
		OperatorSignIns: a.operatorSignIns, UserSignIns: a.userSignIns,
		Proofs:        a.proofs,
		TrackingPages: pages.tracking,
		Ready:         a.reasons,
		Held:          a.hold.on,
	})
	a.atClose(ending(server.Close))
	if a.config.LocalDemo() {
		return onlyThisMachine(server)
	}
	return server
}

// reports returns the service that answers what happened in a period.
func (a *App) reports() *report.Service {
	return report.NewService(a.store.Reports(), a.calendar.Clock, a.Now)
}

// openID returns the client of the OpenID provider; nil if there is none.
func (a *App) openID() *openid.Client {
	if a.config.OIDCIssuer == "" {
		return nil
	}
	return openIDOf(a.config, a.URL()+ops.OpenIDCallback, openid.Config{
		Sealer: a.sealer, Now: a.machine, Random: a.Random, Log: a.Log,
	})
}

// openIDOf returns a client with the settings of one, added to the rest of its configuration.
func openIDOf(settings *config.Config, redirect string, rest openid.Config) *openid.Client {
	rest.Issuer, rest.ClientID, rest.ClientSecret = settings.OIDCIssuer, settings.OIDCClientID, settings.OIDCClientSecret
	rest.RedirectURL, rest.RoleClaim, rest.TrustEmails = redirect, settings.OIDCRoleClaim, settings.OIDCTrustEmails
	rest.Roles, _ = settings.OIDCRoleValues() // checked at the start
	return openid.New(rest)
}

// sharedRates returns the limiter of the rates that nodes share; nil with the
// embedded database, which has one node, so that requests need no write.
func (a *App) sharedRates() *throttle.Shared {
	if !a.store.Shared() {
		return nil
	}
	return throttle.NewShared(httpd.PerMinute(a.config.RateLimit), a.store.Rates(), a.machine, a.Log,
		a.metrics.SharedRates())
}
