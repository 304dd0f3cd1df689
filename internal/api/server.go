// Package api serves HTTP in JSON: the partner interface below /v1, public
// tracking below /track, and the operator interface below /ops/v1. Handlers are
// thin: they read a request, call one use case and return its error. What every request
// passes before and after them is in package httpd.
package api

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/foundation/budget"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/visit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Config holds what the interface needs. In the configuration of its server, New sets what
// the rooms know.
type Config struct {
	httpd.Config

	Orders    *order.Service
	Partners  *partner.Service
	Operators *operator.Service
	// OperatorSignIns and UserSignIns are what people do about their own sign-in, and
	// SignInRules what they must do.
	OperatorSignIns *signin.Service
	UserSignIns     *signin.Service
	SignInRules     *signin.Rules
	Dispatch        *dispatch.Service
	Feed            *feed.Service
	Stock           *stock.Service
	Webhooks        *webhook.Service
	Proofs          *proof.Service
	RateCards       *ratecard.Service
	Retention       *retention.Service
	Reports         *report.Service
	RequestLog      *requestlogger.Service

	// TrackingPages are the pages of recipients (package web/track).
	TrackingPages TrackingPages
	// Clock returns the time zone of a province.
	Clock func(province string) *time.Location
	// OpenID signs operators in through an OpenID provider; nil if there is none.
	OpenID *openid.Client
	// Ready returns why the service is not ready.
	Ready Readiness
	// System describes the installation, for admins.
	System func(context.Context) (installation.State, error)
	// AcceptClock has data age by the clock of this machine, although it was doubted.
	AcceptClock func(context.Context) error
	// Resume has webhooks and mails sent again that are held, which Held reports.
	Resume func(context.Context) error
	Held   func() bool
}

// TrackingPages are the pages of recipients, which are a part of the interface.
type TrackingPages struct {
	Order visit.Serve // of an order
	Mail  visit.Serve // on which the mails about an order are stopped
}

// Server has the handlers of the whole interface.
type Server struct {
	config Config
	// desks counts the requests that wait for changes of the board, by operator.
	desks    *budget.Budget
	informed informed // who may know why the service is not ready
}

// New returns the HTTP server of the whole interface.
func New(config Config) *httpd.Server {
	s := &Server{config: config, desks: budget.New(maxDesks, maxDesksOfOne, budget.Watch{})}
	machinery := config.Config
	machinery.Callers, machinery.Statuses = callers{s}, statusOf
	machinery.Interfaces = []string{"v1", "ops", "track", "proofs", "logos"}
	machinery.IsID, machinery.LogSigned = requestlog.IsID, s.logSigned
	machinery.MaxLogged = requestlog.MaxBody + 1 // one byte more than is kept shows that there was more
	all := s.routes()
	routes := make([]httpd.Route, len(all))
	for i, route := range all {
		routes[i] = route.Route
	}
	return httpd.New(machinery, routes)
}
