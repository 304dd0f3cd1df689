package track_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
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
		PartnerID: "par_00000001", OrderID: "ord_1", PartnerOrderID: "A-1", Status: status, ServiceLevel: delivery.Express,
		EstimatedDelivery: testkit.Epoch.Add(26 * time.Hour), Promised: testkit.Epoch.Add(26 * time.Hour),
		CreatedAt: testkit.Epoch, UpdatedAt: testkit.Epoch,
		Origin: delivery.Place{
			City: "Montréal", Province: "QC",
		},
		Destination: delivery.Place{City: "Toronto", Province: "ON"},
		Window:      delivery.Window{Start: testkit.Epoch.Add(24 * time.Hour), End: testkit.Epoch.Add(27 * time.Hour)},
		Parcels:     1,
		History:     []delivery.TrackedStatus{{Status: delivery.StatusPending, At: testkit.Epoch}},
	}
	if status == delivery.StatusFailed {
		o.History = append(o.History, delivery.TrackedStatus{Status: delivery.StatusPickedUp, At: testkit.Epoch})
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
	promised, moved, tooLate, early, days := order(delivery.StatusOutForDelivery), order(delivery.StatusOutForDelivery),
		order(delivery.StatusPending), order(delivery.StatusPending), order(delivery.StatusPending)
	promised.EstimatedDelivery = promised.Window.End.Add(5 * time.Hour)
	promised.Promised, moved.EstimatedDelivery = promised.EstimatedDelivery, promised.EstimatedDelivery
	tooLate.EstimatedDelivery = testkit.Epoch.Add(48 * time.Hour)
	tooLate.Promised = tooLate.EstimatedDelivery
	early.EstimatedDelivery = testkit.Epoch.Add(7 * time.Hour)
	days.EstimatedDelivery, days.Window.End = early.EstimatedDelivery, testkit.Epoch.Add(72*time.Hour)
	late := order(delivery.StatusOutForDelivery)
	late.EstimatedDelivery = testkit.Epoch
	late.Window = delivery.Window{Start: testkit.Epoch.Add(-26 * time.Hour), End: testkit.Epoch.Add(-23 * time.Hour)}
	for name, c := range map[string]struct {
		order        *delivery.Tracked
		want, absent []string
	}{
		"received": {order(delivery.StatusPending), []string{
			"<h1>Received</h1>", "Tomorrow, between <strong>10:00 AM and 1:00 PM</strong> EST", "(<bdi>Toronto</bdi>)",
			`data-live="20"`, "1 parcel<",
		}, []string{"ater than planned", "January 16"}},
		"promised for the day of the window": {
			promised, []string{"Tomorrow, between <strong>10:00 AM and 1:00 PM</strong> EST"}, []string{"ater than planned"},
		},
		"moved to after the window": {
			moved, []string{"Later than planned: tomorrow, by <strong>6:00 PM</strong> EST"}, []string{"between"},
		},
		"promised for a later day": {
			tooLate, []string{"Later than planned: Friday, January 16, by <strong>10:00 AM</strong> EST"}, []string{"between"},
		},
		"before the window": {early, []string{"Tomorrow, between"}, []string{"ater than planned", "by <strong>"}},
		"before a window of days": {
			days, []string{"Saturday, January 17, by <strong>10:00 AM</strong> EST"}, []string{"ater than planned", "between"},
		},
		"late": {
			late, []string{"It is later than planned.", "Was expected: today, by <strong>10:00 AM</strong>"}, nil,
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
		"failed, no plan": {
			unplanned, []string{"could not be completed", "The next attempt is not planned yet."}, []string{"Next attempt"},
		},
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
		if got := header.Get("Referrer-Policy"); got != "same-origin" {
			t.Errorf("%s: got the referrer policy %q, want same-origin", name, got)
		}
		check(t, name, text, []string{`<html lang="` + c.language + `"`, "<h1>" + c.status + "</h1>"}, nil)
	}
}

// TestOrderPageEscapes: what the order's texts hold is text, never markup.
func TestOrderPageEscapes(t *testing.T) {
	t.Parallel()
	o := order(delivery.StatusOutForDelivery)
	o.Destination.City, o.PartnerOrderID = "<b>Toronto</b>", "<b>A-1</b>"
	o.Courier = &delivery.TrackedCourier{FirstName: "<b>Camille</b>", Vehicle: "<b>van</b>"}
	_, _, text, err := shown(t, &services{order: o}, "/track/ord_1/html")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "page", text,
		[]string{"<bdi>&lt;b&gt;Camille&lt;/b&gt;</bdi>", "is bringing", "&lt;b&gt;van", "&lt;b&gt;Toronto", "&lt;b&gt;A-1"},
		[]string{"<b>"})
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

// TestOrderPageAmountToPay: the amount is on the page until the order has ended.
func TestOrderPageAmountToPay(t *testing.T) {
	t.Parallel()
	for _, status := range delivery.Statuses {
		o := order(status)
		o.COD = &delivery.Money{AmountCents: 6493, Currency: delivery.CAD}
		want, absent := []string{"<strong>$64.93</strong> to pay on delivery"}, []string(nil)
		if len(delivery.NextStatuses(status)) == 0 {
			want, absent = nil, []string{"64.93", "to pay"}
		}
		_, _, text, _ := shown(t, &services{order: o}, "/track/ord_1/html")
		check(t, string(status), text, want, absent)
	}
	for name, c := range map[string]struct {
		cod      delivery.Money
		isReturn bool
		want     string // empty if the page has no amount
	}{
		"in French": {
			delivery.Money{AmountCents: 123456, Currency: delivery.USD}, false, "234,56\u00a0$ USD</strong> à payer",
		},
		"nothing to pay":  {delivery.Money{Currency: delivery.CAD}, false, ""},
		"of goods return": {delivery.Money{AmountCents: 100, Currency: delivery.CAD}, true, ""},
	} {
		o := order(delivery.StatusOutForDelivery)
		o.COD, o.IsReturn = &c.cod, c.isReturn
		_, _, text, _ := shown(t, &services{order: o}, "/track/ord_1/html?lang=fr")
		if got := strings.Contains(text, "à payer"); got != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: got %v, want %q in\n%s", name, got, c.want, text)
		}
	}
}

// TestOrderPageContact: every page says whom to ask and by which number, and first so if something went
// wrong.
func TestOrderPageContact(t *testing.T) {
	t.Parallel()
	for _, status := range delivery.Statuses {
		for _, link := range []string{"", "https://metro.example/aide"} {
			_, _, text, err := shown(t, &services{order: order(status), sender: partner.Sender{
				Name: "Épicerie <Métro>", Profile: partner.Profile{SupportURL: link},
			}}, "/track/ord_1/html")
			if err != nil {
				t.Fatal(err)
			}
			want := `Ask <bdi>Épicerie &lt;Métro&gt;</bdi> and quote the order number <strong><bdi>A-1</bdi></strong>.`
			if link != "" {
				want = `href="https://metro.example/aide"`
			}
			name := string(status) + " " + link
			check(t, name, text, []string{want, "Order <bdi>A-1</bdi> · ", "ord_1"}, nil)
			isFirst := strings.Index(text, want) < strings.Index(text, `<ol id="steps"`)
			if wrong := status == delivery.StatusFailed || status == delivery.StatusCancelled; isFirst != wrong ||
				strings.Count(text, want) != 1 {
				t.Errorf("%s: got the contact before the steps: %v, want %v, once, in\n%s", name, isFirst, wrong, text)
			}
		}
	}
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

// TestReturnSaysWhenTheCourierComes: the page of a return shows the window of its pickup, in the time zone of that
// address, and not when the parcels arrive at the sender.
func TestReturnSaysWhenTheCourierComes(t *testing.T) {
	t.Parallel()
	back := func(status delivery.Status) *delivery.Tracked {
		o := order(status)
		o.IsReturn = true
		o.Origin = delivery.Place{City: "Vancouver", Province: "BC", Area: "V6B"}
		o.Collection = delivery.Window{Start: testkit.Epoch.Add(28 * time.Hour), End: testkit.Epoch.Add(32 * time.Hour)}
		return o
	}
	days := back(delivery.StatusAccepted)
	days.Collection.End = testkit.Epoch.Add(80 * time.Hour)
	missed := back(delivery.StatusCourierAssigned)
	missed.Collection = delivery.Window{Start: testkit.Epoch.Add(-time.Hour), End: testkit.Epoch.Add(time.Hour)}
	next := testkit.Epoch.AddDate(0, 0, 1)
	failed := back(delivery.StatusFailed)
	failed.Failed = &delivery.FailedAttempt{Reason: delivery.FailureNotHome, Next: &next}
	failed.History = slices.Delete(failed.History, 1, 2) // it was not picked up
	for name, c := range map[string]struct {
		order        *delivery.Tracked
		want, absent []string
	}{
		"waiting": {
			back(delivery.StatusAccepted),
			[]string{"A courier comes: tomorrow, between <strong>11:00 AM and 3:00 PM</strong>", "(<bdi>Vancouver</bdi>)"},
			[]string{"10:00 AM and 1:00 PM", "(<bdi>Toronto</bdi>)"},
		},
		"a window of days": {days, []string{"A courier comes: Saturday, January 17, by <strong>"}, []string{"between"}},
		"missed":           {missed, []string{"It is later than planned.", "Was expected: today"}, []string{"comes:"}},
		"failed": {failed, []string{
			"<h1>Pickup attempt failed</h1>", "<bdi>Pickup attempt failed</bdi>", "tomorrow, 7:00 AM</strong>",
			"(<bdi>Vancouver</bdi>)",
		}, []string{"(<bdi>Toronto</bdi>)", "elivery attempt failed", "to take the delivery"}},
		"picked up": {
			back(delivery.StatusInTransit), []string{"Tomorrow, between <strong>10:00 AM and 1:00 PM", "(<bdi>Toronto</bdi>)"},
			[]string{"comes:"},
		},
	} {
		_, _, text, err := shown(t, &services{order: c.order}, "/track/ord_1/html?lang=en")
		if err != nil {
			t.Fatal(err)
		}
		check(t, name, text, c.want, c.absent)
	}
	_, _, text, _ := shown(t, &services{order: back(delivery.StatusPending)}, "/track/ord_1/html?lang=fr")
	check(t, "French", text, []string{"Un livreur passe\u00a0: demain, entre"}, nil)
}

// TestOrderPageOfFailedPickup: the recipient does not read of an attempt at the door, nor that the courier has the
// parcels.
func TestOrderPageOfFailedPickup(t *testing.T) {
	t.Parallel()
	o := order(delivery.StatusCourierAssigned)
	o.Courier = &delivery.TrackedCourier{FirstName: "Amélie"}
	o.Status, o.Failed = delivery.StatusFailed, &delivery.FailedAttempt{Reason: delivery.FailureNotHome}
	o.History = append(o.History, delivery.TrackedStatus{Status: delivery.StatusFailed, At: testkit.Epoch.Add(time.Hour)})
	status, _, text, err := shown(t, &services{order: o}, "/track/ord_1/html")
	if err != nil || status != http.StatusOK {
		t.Fatalf("got %d, %v", status, err)
	}
	check(t, "failed pickup", text,
		[]string{"<h1>The parcels could not be picked up</h1>", "</strong> will pick up 1 parcel"},
		[]string{"Delivery attempt failed", "receive the delivery", "</strong> has 1 parcel"})
}
