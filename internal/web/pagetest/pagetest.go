// Package pagetest has every page in every state that is worth a look, with invented
// data: for the tests in a browser, and for cmd/screenshots.
package pagetest

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/track"
	"github.com/klauspost/compress/gzhttp"
)

//go:embed templates assets
var files embed.FS

// Now is the time of all scenes.
var Now = time.Date(2026, time.June, 18, 16, 50, 0, 0, time.UTC)

// Scene is a page in one state, or a mail.
type Scene struct {
	Name   string
	URL    string
	Policy string // the content security policy that it must have
	Cookie string // of the session of the person who looks at it; may be empty
	Shown  string // selects what scripts add before it is looked at; may be empty
	Script string // runs before those of the page; may be empty
	// Taps is set if the script taps: what is on the page may then move.
	Taps bool
	// Phone is set for pages that people use with their thumbs.
	Phone bool
}

// tracked is a scene of the recipient's page.
type tracked struct {
	order  *delivery.Tracked
	sender partner.Sender
	photo  string
}

// invented has what the scenes show, by order id. It takes the place of the services.
type invented map[string]tracked

func (s invented) Follow(_ context.Context, orderID string) (*delivery.Tracked, error) {
	found, known := s[orderID]
	if !known {
		return nil, refusal.NotFound("the order")
	}
	return found.order, nil
}

func (s invented) Track(_ context.Context, orderID string) (*delivery.Order, error) {
	return &delivery.Order{OrderID: orderID}, nil
}

func (s invented) Choice(_ context.Context, o *delivery.Order) (*recipient.Choice, error) {
	return &recipient.Choice{OrderID: mailedOrder, Stopped: o.OrderID == "stopped"}, nil
}

func (invented) Stop(context.Context, string, bool) error { return nil }

func (s invented) Sender(_ context.Context, partnerID string) (partner.Sender, error) {
	for _, one := range s {
		if one.order.PartnerID == partnerID || delivery.LiveAccount(one.order.PartnerID) == partnerID {
			return one.sender, nil
		}
	}
	return partner.Sender{}, nil
}

func (s invented) Photo(_ context.Context, _, orderID string) (string, error) {
	for _, one := range s {
		if one.order.OrderID == orderID {
			return one.photo, nil
		}
	}
	return "", nil
}

// Server serves all scenes.
type Server struct {
	Scenes []Scene
	URL    string // of the scenes that need no service
	alone  *httptest.Server
	house  *house
}

// Open serves all scenes until Close: those of single pages by themselves, and those of
// people who sign in by a whole service.
func Open(ctx context.Context) (*Server, error) {
	house, err := openHouse(ctx)
	if err != nil {
		return nil, err
	}
	alone := httptest.NewServer(house.answered(Single()))
	all := slices.Concat(
		list(alone.URL), house.scenes(), house.loginScenes(alone.URL), house.accountScenes(alone.URL),
		house.boardScenes(), house.courierScenes(), house.partnerScenes(), house.rateScenes(),
		house.deskScenes(),
		house.courierAppScenes(),
		documentScenes(alone.URL),
		house.warehouseScenes(alone.URL),
		house.returnScenes(alone.URL),
		house.appScenes(bringingStates),
		house.locationScenes(),
		house.sheetScenes(),
		laterRecipientScenes(alone.URL),
		house.labelScenes(),
		house.boardStateScenes(),
		house.pickScenes(),
		house.importScenes(alone.URL),
		house.messageScenes(),
		house.phoneScenes(),
		mappedRecipientScenes(alone.URL),
		house.mapScenes(),
		house.moneyScenes(alone.URL),
		house.cashScenes(alone.URL),
		house.companyScenes(),
	)
	return &Server{Scenes: all, URL: alone.URL, alone: alone, house: house}, nil
}

// Close ends what serves the scenes.
func (t *Server) Close() error {
	t.alone.Close()
	return t.house.end()
}

// Single returns a handler for the scenes that need no service.
func Single() http.Handler {
	site := page.NewSite(page.Config{Now: func() time.Time { return Now }, Random: rand.Reader})
	site.AddAssets(files, "assets")
	console.New(console.Config{Site: site}) // for what the answers to its forms load
	orders := recipients()
	maps.Copy(orders, laterRecipients())
	maps.Copy(orders, mappedRecipients())
	tracking := track.New(track.Config{
		Site: site, Clock: pricing.NewCalendar(zone.Own()).ClockAt, Orders: orders, Senders: orders, Photos: orders,
		Mails: orders,
	})
	routes := slices.Concat(site.Routes(), newGallery(site).routes(), newSwapping(site).routes(), documentation(site),
		firstPage(site), []web.Route{
			{Method: http.MethodGet, Pattern: "/track/{order_id}/html", Serve: tracking.Order},
			{Method: http.MethodGet, Pattern: "/track/{order_id}/mail", Serve: tracking.Mail},
			{Method: http.MethodGet, Pattern: "/proofs/{name}", Serve: picture},
			{Method: http.MethodGet, Pattern: "/logos/{partner_id}/{version}", Serve: picture},
			{Method: http.MethodGet, Pattern: "/mail/{kind}", Serve: serveMail},
			{Method: http.MethodGet, Pattern: "/refused/{code}", Serve: func(v *web.PageRequest) (int, []byte, error) {
				return 0, nil, refusal.New(refusal.Code(v.Request.PathValue("code")), "refused")
			}},
		})
	mux := http.NewServeMux()
	for _, route := range routes {
		served := serve(site, route.Serve)
		if route.Compressed {
			served = gzhttp.GzipHandler(served)
		}
		mux.Handle(route.Method+" "+route.Pattern, served)
	}
	return mux
}

// list returns the scenes that need no service.
func list(server string) (scenes []Scene) {
	add := func(name, path, policy string) {
		scenes = append(scenes, Scene{Name: name, URL: server + path, Policy: policy})
	}
	add("home", "/", page.Policy)
	add("home-demo", "/demo", page.Policy)
	add("components", "/components", page.Policy)
	add("unknown-order", "/track/ord_unknown/html", page.Policy)
	add("mail-choice", "/track/order/mail", page.Policy)
	add("mail-stopped", "/track/stopped/mail", page.Policy)
	for _, code := range []refusal.Code{
		refusal.CodeNotFound, refusal.CodeRateLimited, refusal.CodeConflict, refusal.CodeInternal,
	} {
		add("refused-"+string(code), "/refused/"+string(code), page.Policy)
	}
	for _, id := range slices.Sorted(maps.Keys(recipients())) {
		add("track-"+id, "/track/"+id+"/html", page.Policy)
	}
	for _, kind := range mail.Kinds {
		add("mail-"+strings.ReplaceAll(string(kind), "_", "-"), "/mail/"+string(kind), mailPolicy)
	}
	return scenes
}

// serve does what the server does for pages.
func serve(site *page.Site, handle web.Serve) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "req_3f1c9a70b2d84e6655aa")
		v := &web.PageRequest{Request: r, Header: w.Header()}
		status, body, err := handle(v)
		var refused *refusal.Error
		if errors.As(err, &refused) {
			_, body, err = site.Refused(v, refused)
			status = max(map[refusal.Code]int{refusal.CodeNotFound: 404, refusal.CodeRateLimited: 429}[refused.Code],
				http.StatusBadRequest)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body) // fails only if the client has gone
	})
}

// picture serves a drawing in the place of every photo and logo.
func picture(v *web.PageRequest) (int, []byte, error) {
	name := "logo.svg"
	if v.Request.PathValue("name") != "" {
		name = "photo.svg"
	}
	v.Header.Set("Content-Type", "image/svg+xml")
	body, err := files.ReadFile("templates/" + name)
	return http.StatusOK, body, err
}
