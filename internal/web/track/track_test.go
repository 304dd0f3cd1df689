package track_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/recipient"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/track"
)

// services are the use cases of a page: one order and its sender.
type services struct {
	order  *delivery.Tracked // nil for none
	sender partner.Sender
	photo  string
}

func (s *services) Follow(context.Context, string) (*delivery.Tracked, error) {
	if s.order == nil {
		return nil, refusal.NotFound("the order")
	}
	return s.order, nil
}

func (s *services) Track(context.Context, string) (*delivery.Order, error) {
	return &delivery.Order{OrderID: s.order.OrderID}, nil
}

func (s *services) Choice(_ context.Context, o *delivery.Order) (*recipient.Choice, error) {
	return &recipient.Choice{OrderID: o.OrderID}, nil
}

func (*services) Stop(context.Context, string, bool) error { return nil }

func (s *services) Sender(context.Context, string) (partner.Sender, error) { return s.sender, nil }

func (s *services) Photo(context.Context, string, string) (string, error) { return s.photo, nil }

// order returns an order to Toronto that was created at the epoch, in a status.
func order(status delivery.Status) *delivery.Tracked {
	o := &delivery.Tracked{
		PartnerID: "par_00000001", OrderID: "ord_1", Status: status, ServiceLevel: delivery.Express,
		EstimatedDelivery: testkit.Epoch.Add(48 * time.Hour), CreatedAt: testkit.Epoch, UpdatedAt: testkit.Epoch,
		Origin: delivery.Place{
			City: "Montréal", Province: "QC",
		}, Destination: delivery.Place{City: "Toronto", Province: "ON"},
		Window:  delivery.Window{Start: testkit.Epoch.Add(24 * time.Hour), End: testkit.Epoch.Add(27 * time.Hour)},
		Parcels: 1,
		History: []delivery.TrackedStatus{{Status: delivery.StatusPending, At: testkit.Epoch}},
	}
	if status != delivery.StatusPending {
		o.History = append(o.History, delivery.TrackedStatus{Status: status, At: testkit.Epoch.Add(time.Hour)})
	}
	return o
}

// shown returns the page for a request to path, as text.
func shown(t *testing.T, s *services, path string, headers ...string) (int, http.Header, string, error) {
	t.Helper()
	now := func() time.Time { return testkit.Epoch.Add(2 * time.Hour) }
	pages := track.New(track.Config{Site: page.NewSite(page.Config{
		Now: now, Random: repeatable.Reader(t),
	}), Clock: testkit.Calendar().ClockAt, Orders: s, Senders: s, Photos: s, Mails: s})
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	header := http.Header{}
	status, body, err := pages.Order(&web.PageRequest{Request: r, Header: header})
	return status, header, string(body), err
}

// check compares a page with the texts that it must and must not have.
func check(t *testing.T, name, text string, want, absent []string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got a page without %q:\n%s", name, part, text)
		}
	}
	for _, part := range absent {
		if strings.Contains(text, part) {
			t.Errorf("%s: got a page with %q:\n%s", name, part, text)
		}
	}
}

func TestOrderPageByStatus(t *testing.T) {
	t.Parallel()
	next := testkit.Epoch.AddDate(0, 0, 1)
	failed := order(delivery.StatusFailed)
	failed.Failed = &delivery.FailedAttempt{Reason: delivery.FailureNotHome, Next: &next}
	unplanned := order(delivery.StatusFailed)
	unplanned.Failed = &delivery.FailedAttempt{Reason: delivery.FailureUndefined}
	inWindow := order(delivery.StatusOutForDelivery)
	inWindow.EstimatedDelivery = inWindow.Window.End.Add(5 * time.Hour)
	late := order(delivery.StatusOutForDelivery)
	late.EstimatedDelivery = testkit.Epoch
	for name, c := range map[string]struct {
		order        *delivery.Tracked
		want, absent []string
	}{
		"received": {order(delivery.StatusPending), []string{
			"<h1>Received</h1>", "Friday, January 16, by <strong>10:00 AM</strong> EST", "(<bdi>Toronto</bdi>)",
			`data-live="20"`, "1 parcel<",
		}, []string{"later than planned"}},
		"in the window": {inWindow, []string{"Tomorrow, between <strong>10:00 AM and 1:00 PM</strong> EST"}, nil},
		"late": {
			late, []string{"It is later than planned.", "Expected before: today, by <strong>10:00 AM</strong>"}, nil,
		},
		"delivered": {order(delivery.StatusDelivered), []string{
			"<h1>Delivered</h1>", "Today, 11:00 AM",
		}, []string{"data-live", "between", ", by "}},
		"cancelled": {
			order(delivery.StatusCancelled), []string{"<h1>Cancelled</h1>", "status-cancelled"}, []string{"data-live"},
		},
		"failed": {failed, []string{
			"No one was there", "Next attempt: <strong>tomorrow, 10:00 AM</strong>", "data-live",
		}, []string{", by <strong>"}},
		"failed, no plan": {unplanned, []string{"could not be completed"}, []string{"Next attempt"}},
		"failed, not known": {
			order(delivery.StatusFailed), []string{"<h1>Delivery attempt failed</h1>"}, []string{"Next attempt"},
		},
		"before the courier": {order(delivery.StatusAccepted), nil, []string{"is bringing"}},
	} {
		status, _, text, err := shown(t, &services{order: c.order}, "/track/ord_1/html")
		if status != http.StatusOK || err != nil {
			t.Errorf("%s: got %d, %v, want 200", name, status, err)
		}
		check(t, name, text, c.want, c.absent)
	}
}

func TestOrderPageLanguage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, accepted, preferred, language, status string }{
		"no preference":  {"/track/ord_1/html", "", "", "en", "Received"},
		"browser's":      {"/track/ord_1/html", "fr-CA", "", "fr", "Reçue"},
		"partner's":      {"/track/ord_1/html", "en", "fr", "fr", "Reçue"},
		"that asked for": {"/track/ord_1/html?lang=en", "fr", "fr", "en", "Received"},
	} {
		s := &services{order: order(delivery.StatusPending), sender: partner.Sender{
			Profile: partner.Profile{Language: partner.Language(c.preferred)},
		}}
		_, header, text, _ := shown(t, s, c.path, "Accept-Language", c.accepted)
		if header.Get("Content-Language") != c.language {
			t.Errorf("%s: got language %q, want %q", name, header.Get("Content-Language"), c.language)
		}
		check(t, name, text, []string{`<html lang="` + c.language + `"`, "<h1>" + c.status + "</h1>"}, nil)
	}
}

// TestOrderPageEscapes: what the order's texts hold is text, never markup.
func TestOrderPageEscapes(t *testing.T) {
	t.Parallel()
	o := order(delivery.StatusOutForDelivery)
	o.Destination.City = "<b>Toronto</b>"
	o.Courier = &delivery.TrackedCourier{FirstName: "<b>Camille</b>", Vehicle: "<b>van</b>"}
	_, _, text, err := shown(t, &services{order: o}, "/track/ord_1/html")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "page", text,
		[]string{"<bdi>&lt;b&gt;Camille&lt;/b&gt;</bdi>", "is bringing", "&lt;b&gt;van", "&lt;b&gt;Toronto"}, []string{"<b>"})
}

// TestOrderPageNamesSender: name, logo and link are the partner's; a link that is no
// web address, which the profile refuses, would do nothing.
func TestOrderPageNamesSender(t *testing.T) {
	t.Parallel()
	sender := partner.Sender{PartnerID: "par_00000001", Name: "Épicerie <Métro>", Profile: partner.Profile{
		SupportURL: "https://metro.example/aide", LogoVersion: "06f9",
	}}
	s := &services{order: order(delivery.StatusDelivered), sender: sender, photo: "2f0c.jpg"}
	_, _, text, err := shown(t, s, "/track/ord_1/html")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "branded", text, []string{
		"Épicerie &lt;Métro&gt;", `src="/logos/par_00000001/06f9"`, `href="https://metro.example/aide"`,
		`src="/proofs/2f0c.jpg"`, `<meta property="og:title" content="Your delivery from Épicerie &lt;Métro&gt;">`,
	}, []string{`og:title" content="Delivered`, "Toronto\">"})

	s.sender = partner.Sender{
		PartnerID: "par_00000001", Name: "Épicerie", Profile: partner.Profile{SupportURL: "javascript:alert(1)"},
	}
	_, _, text, err = shown(t, s, "/track/ord_1/html")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "plain", text, []string{`aria-hidden="true">É</span>`}, []string{`"javascript:`, "<img class"})
}

func TestTestOrderIsMarked(t *testing.T) {
	t.Parallel()
	o := order(delivery.StatusInTransit)
	o.PartnerID = delivery.TestAccount("par_00000001")
	s := &services{order: o}
	_, _, text, err := shown(t, s, "/track/ord_1/html")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "test order", text, []string{"This is a test."}, nil)
	_, _, text, _ = shown(t, &services{order: order(delivery.StatusInTransit)}, "/track/ord_1/html")
	check(t, "live order", text, nil, []string{"This is a test."})
}

// TestUnknownOrder: a browser gets a page that says so, any other client the refusal.
func TestUnknownOrder(t *testing.T) {
	t.Parallel()
	status, header, text, err := shown(t, &services{}, "/track/ord_1/html?lang=fr", "Accept", "text/html,*/*")
	if status != http.StatusNotFound || err != nil || header.Get("Content-Security-Policy") != page.Policy {
		t.Errorf("browser: got %d, %v, %v, want 404 with the policy", status, header, err)
	}
	check(t, "browser", text, []string{"Nous ne connaissons pas cette livraison"}, []string{"data-live"})
	if _, _, _, err := shown(t, &services{}, "/track/ord_1/html"); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("other client: got %v, want not_found", err)
	}
}

func BenchmarkOrderPage(b *testing.B) {
	s := &services{
		order: order(delivery.StatusOutForDelivery), sender: partner.Sender{Name: "Épicerie", PartnerID: "par_1"},
	}
	s.order.Courier = &delivery.TrackedCourier{FirstName: "Camille", Vehicle: "van"}
	now := func() time.Time { return testkit.Epoch.Add(2 * time.Hour) }
	pages := track.New(track.Config{Site: page.NewSite(page.Config{
		Now: now, Random: repeatable.Reader(b),
	}), Clock: testkit.Calendar().ClockAt, Orders: s, Senders: s, Photos: s, Mails: s})
	r := httptest.NewRequest(http.MethodGet, "/track/ord_1/html", nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := pages.Order(&web.PageRequest{Request: r, Header: http.Header{}}); err != nil {
			b.Fatal(err)
		}
	}
}
