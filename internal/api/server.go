// Package api serves HTTP in JSON: the interface of partners below /v1 (package v1), that of
// operators below /ops/v1 (package ops), and what anybody may read. What every request passes
// before and after the handlers is in package httpd.
package api

import (
	"context"

	"github.com/dropyard/dropyard/internal/api/ops"
	"github.com/dropyard/dropyard/internal/api/v1"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
)

// Config holds what the whole interface needs. In the configuration of its server, New sets
// what the rooms know.
type Config struct {
	httpd.Config

	V1  *v1.Server
	Ops *ops.Server

	Orders   *order.Service
	Partners *partner.Service
	Proofs   *proof.Service

	OperatorSignIns, UserSignIns *signin.Service

	// TrackingPages are the pages of recipients (package web/track).
	TrackingPages TrackingPages
	// Ready returns why the service is not ready.
	Ready Readiness
	// Held reports whether webhooks and mails are held.
	Held func() bool
}

// TrackingPages are the pages of recipients, which are a part of the interface.
type TrackingPages struct {
	Order web.Serve // of an order
	Mail  web.Serve // on which the mails about an order are stopped
}

// server has the handlers of what anybody may read.
type server struct {
	config   Config
	informed informed // who may know why the service is not ready
}

// New returns the HTTP server of the whole interface.
func New(config Config) *httpd.Server {
	machinery := config.Config
	machinery.Callers, machinery.Statuses = callers{config.V1, config}, statusOf
	machinery.Interfaces = []string{"v1", "ops", "track", "proofs", "logos"}
	machinery.IsID, machinery.LogSigned = requestlog.IsID, config.V1.LogSigned
	machinery.MaxLogged = requestlog.MaxBody + 1 // one byte more than is kept shows that there was more
	return httpd.New(machinery, routes(config))
}

// callers finds out for the server who makes requests.
type callers struct {
	*v1.Server // of programs and partners' people
	config     Config
}

// Operator finds out which operator makes a request.
func (c callers) Operator(call *httpd.Call) error { return c.config.Ops.Operator(call) }

// EndSession ends a session of either kind.
func (c callers) EndSession(ctx context.Context, a web.Audience, token string) error {
	if a == web.Operators {
		return c.config.OperatorSignIns.Logout(ctx, token)
	}
	return c.config.UserSignIns.Logout(ctx, token)
}
