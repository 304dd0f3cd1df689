package app

import (
	"slices"

	"github.com/dropyard/dropyard"
	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/api/ops"
	"github.com/dropyard/dropyard/internal/downloads"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/account"
	"github.com/dropyard/dropyard/internal/web/basemap"
	"github.com/dropyard/dropyard/internal/web/charts"
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/courier"
	"github.com/dropyard/dropyard/internal/web/docs"
	"github.com/dropyard/dropyard/internal/web/home"
	"github.com/dropyard/dropyard/internal/web/login"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/portal"
	"github.com/dropyard/dropyard/internal/web/track"
)

// pages are the pages for people, as the server takes them.
type pages struct {
	tracking api.TrackingPages
	others   []web.Route
	refused  web.Refused
}

// streets returns the street tiles of maps.
func (a *App) streets() basemap.Streets {
	file, server := a.config.Streets()
	return basemap.Streets{File: file, Server: server, Attribution: a.config.MapAttribution}
}

// pages creates the pages.
func (a *App) pages() pages {
	site := page.NewSite(page.Config{
		Now: a.Now, Random: a.Random, SecureCookies: a.config.Secure(), LastChange: a.lastChange,
	})
	tracking := track.New(track.Config{
		Site: site, Clock: a.calendar.ClockAt, Orders: a.orders, Senders: a.partners, Photos: a.proofs, Mails: a.recipients,
	})
	desk := portal.New(portal.Config{
		Site: site, Calendar: a.calendar, Orders: a.orders, Proofs: a.proofs, Partners: a.partners, SignIns: a.userSignIns,
		Stock: a.stock, Webhooks: a.webhooks, Reports: a.reports(), RequestLog: a.requestLog, BaseURL: a.URL,
		Saved: saved.NewService(saved.Config{Store: a.store.Saved(), Now: a.Now, Admit: a.admitsData}),
		Mail:  a.Post != nil, Streets: a.streets(), Accounting: a.accounting,
	})
	operators := console.New(console.Config{
		Site: site, Calendar: a.calendar, Orders: a.orders, Proofs: a.proofs, Dispatch: a.dispatch, Operators: a.operators,
		Partners: a.partners, Stock: a.stock, RateCards: a.rateCards, Retention: a.retention, Reports: a.reports(),
		Accounting:  a.accounting,
		UserSignIns: a.userSignIns, OperatorSignIns: a.operatorSignIns, Rules: a.rules, Installation: a.system,
		Streets: a.streets(), AcceptClock: a.acceptClock, Resume: a.resume, Trials: a.trials(), Backups: a.backups,
		Exports: a.listExports, BeginExport: a.beginExport,
		EncodeRow: ops.EncodeRow, Counts: a.feed.Counts,
		Defaults: console.Defaults{
			RateLimit: int64(a.config.RateLimit), OrdersPerDay: a.config.OrdersPerDay, StoredBytes: a.config.StoredBytes,
			NewAccountBytes: a.config.NewAccountBytes,
		},
	})
	demo := a.demoDoors()
	entry := login.New(login.Config{
		Site: site, Partners: a.partners, Operators: a.operators, UserSignIns: a.userSignIns,
		OperatorSignIns: a.operatorSignIns, Sealer: a.ticketSealer,
		Registration: partner.Registration(a.config.Registration), HasMail: a.Post != nil,
		HasOpenID: a.config.OIDCIssuer != "", Demo: demo, BaseURL: a.URL,
	})
	partnersFigures := charts.New(site, charts.Section{
		Path: "/portal/figures", For: web.Partners, Needs: partner.PermissionOrdersRead, Reports: a.reports(),
		Frame: desk.FrameInModes, Start: desk.NewOrder,
	})
	houseFigures := charts.New(site, charts.Section{
		Path: "/console/figures", For: web.Operators, Needs: operator.Needs{
			Roles: []operator.Role{operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant},
		},
		Reports: a.reports(), Frame: operators.Frame, Names: operators.PartnerName, Money: operators.KeepsBooks,
	})
	first := home.New(home.Config{Site: site, SignedIn: entry.SignedIn, Demo: shownDemo(demo), Facts: a.facts})
	guide := docs.New(docs.Config{
		Site: site, BaseURL: a.URL, Statuses: api.Statuses(), Downloads: downloads.New(dropyard.Sources, a.Version),
	})
	return pages{
		tracking: api.TrackingPages{Order: tracking.Order, Mail: tracking.Mail},
		others: slices.Concat(site.Routes(), first.Routes(), guide.Routes(), entry.Routes(), desk.Routes(),
			operators.Routes(), courier.New(courier.Config{Site: site, Clocks: a.calendar.Clocks()}).Routes(),
			partnersFigures.Routes(), houseFigures.Routes(), a.demoRoutes(), a.selfRoutes(site, selfFrames{
				portal: desk.Frame, console: operators.Frame, courier: courier.Frame,
			})),
		refused: site.Refused,
	}
}

// selfRoutes returns the routes of the pages on which people manage their own sign-in.
func (a *App) selfRoutes(site *page.Site, frames selfFrames) (routes []web.Route) {
	for _, corner := range []account.Section{
		{
			Path: "/portal/sign-in", For: web.Partners, Needs: partner.PermissionSelf, SignIns: a.userSignIns,
			Frame: frames.portal, Rename: a.partners.ChangeUser, ChangesEmail: true, HasMail: a.Post != nil,
		},
		{
			Path: "/console/sign-in", For: web.Operators, SignIns: a.operatorSignIns, Frame: frames.console,
			Needs: operator.Needs{
				Roles: []operator.Role{
					operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant, operator.RoleWarehouse,
				},
				OwnSignIn: true,
			},
		},
		{
			Path: "/courier/sign-in", For: web.Operators, SignIns: a.operatorSignIns, Frame: frames.courier, Roomy: true,
			Needs: operator.Needs{
				Roles: []operator.Role{operator.RoleAdmin, operator.RoleDispatcher, operator.RoleCourier}, OwnSignIn: true,
			},
		},
	} {
		routes = append(routes, account.New(site, corner).Routes()...)
	}
	return routes
}

// selfFrames are what surrounds these pages.
type selfFrames struct{ portal, console, courier func(page.Sheet) *page.Frame }

// shownDemo returns what the first page shows of the demo; nil without one.
func shownDemo(demo *login.Demo) func(*web.PageRequest) (string, bool) {
	if demo == nil {
		return nil
	}
	return func(v *web.PageRequest) (string, bool) { return demo.Tracking(), login.OnThisMachine(v.Request) }
}
