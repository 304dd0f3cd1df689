// Package ops has the interface of operators, below /ops/v1: who calls it, and its handlers.
// They are thin: they read a request, call one use case and return its error.
package ops

import (
	"context"
	"log/slog"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/stock"
)

// Config holds what the interface needs.
type Config struct {
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
	Proofs          *proof.Service
	RateCards       *ratecard.Service
	Retention       *retention.Service
	Reports         *report.Service
	Accounting      *accounting.Service

	// OpenID signs operators in through an OpenID provider; nil if there is none.
	OpenID *openid.Client
	// System describes the installation, for admins.
	System func(context.Context) (installation.State, error)
	// AcceptClock has data age by the clock of this machine, although it was doubted.
	AcceptClock func(context.Context) error
	// Resume has webhooks and mails sent again that are held.
	Resume func(context.Context) error
	// BeginBackup begins a backup of the embedded database.
	BeginBackup func(context.Context) error
	// Exports describes the nightly exports, and lists days before one, the latest first; all if it is 0.
	Exports func(ctx context.Context, before date.Day, limit int) (installation.ExportList, error)
	// BeginExport has all days exported that have ended and were not.
	BeginExport func(context.Context) error
	Now         func() time.Time
	Log         *slog.Logger
}

// Server has the handlers.
type Server struct {
	config Config
	// desks counts the requests that wait for changes of the board, by operator.
	desks *fair.Quota
}

// New returns a Server.
func New(config Config) *Server {
	return &Server{config, fair.NewQuota(maxDesks, maxDesksOfOne, fair.Watch{})}
}
