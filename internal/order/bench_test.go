package order

import (
	"context"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// pure returns a service without a store: what it does with an order before and after the
// transaction.
func pure(tb testing.TB) *Service {
	tb.Helper()
	card := pricing.DefaultCard()
	return &Service{config: Config{
		Now: func() time.Time { return testkit.Epoch }, Random: repeatable.Reader(tb),
		Card:        func(context.Context, string, time.Time) (*pricing.Card, error) { return card, nil },
		Calendar:    pricing.NewCalendar(zone.Own()),
		Quoter:      pricing.NewQuoter(make([]byte, 32)),
		TrackingURL: func(orderID string) string { return "https://dropyard.example.com/track/" + orderID },
	}}
}

// wantedOf returns the request in a body.
func wantedOf(tb testing.TB, body []byte) Wanted {
	tb.Helper()
	root, err := strictjson.Parse(body)
	if err != nil {
		tb.Fatal(err)
	}
	wanted, err := form.Decode(root, ReadWanted)
	if err != nil {
		tb.Fatal(err)
	}
	return wanted
}

// BenchmarkWarnings looks for what is not meant in an ordinary order of two parcels.
func BenchmarkWarnings(b *testing.B) {
	s := pure(b)
	wanted := wantedOf(b, testkit.OrderJSON("EM-2026-004711", ""))
	wanted.Dropoff.Window.End = wanted.Dropoff.Window.End.AddDate(0, 0, 2)
	o, err := s.prepare(b.Context(), testPartner, &wanted)
	if err != nil || len(o.Warnings) > 0 {
		b.Fatalf("got the warnings %v, %v, want none", o, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.warnings(o, o.EstimatedDelivery)
	}
}

// testPartner has an id from which ids of orders can be made.
const testPartner = "par_3kq9w0zt"

// BenchmarkCreate does all that a creation does beside the database and HTTP.
func BenchmarkCreate(b *testing.B) {
	s := pure(b)
	body := testkit.OrderJSON("EM-2026-004711", "")
	b.ReportAllocs()
	for b.Loop() {
		wanted := wantedOf(b, body)
		cmd := s.creation(b.Context(), idempotency.Request{Key: idempotency.Key{PartnerID: testPartner}}, &wanted)
		commands := []command{cmd}
		outcomes, changes := decideGroup(zones{}, &State{
			Receipts: map[idempotency.Key]*idempotency.Receipt{}, Taken: map[Reference]Existing{},
			Orders: map[OrderKey]*delivery.Order{},
		}, commands)
		if changes.complete(); outcomes[0].err != nil || len(changes.Shown) != 1 {
			b.Fatal(outcomes[0].err)
		}
	}
}

// BenchmarkCreateSteps has the steps of BenchmarkCreate, each alone.
func BenchmarkCreateSteps(b *testing.B) {
	s := pure(b)
	body := testkit.OrderJSON("EM-2026-004711", "")
	root, err := strictjson.Parse(body)
	if err != nil {
		b.Fatal(err)
	}
	wanted := wantedOf(b, body)
	o, err := s.prepare(b.Context(), testPartner, &wanted)
	if err != nil {
		b.Fatal(err)
	}
	for name, step := range map[string]func(){
		"parse":   func() { _, _ = strictjson.Parse(body) },
		"read":    func() { _, _ = form.Decode(root, ReadWanted) },
		"price":   func() { _, _ = s.price(b.Context(), testPartner, o.Shipment, testkit.Epoch) },
		"prepare": func() { _, _ = s.prepare(b.Context(), testPartner, &wanted) },
		"row":     func() { board.Of(o) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
