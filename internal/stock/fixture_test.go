package stock_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	ours   = "par_3ebmvgjr"
	theirs = "par_zzzzzzzz"
)

// start is the time that every fixture's clock shows at first.
var start = time.Date(2026, 3, 2, 14, 5, 9, 417_000_000, time.UTC)

// fixture is a service on an embedded store of its own, with two partners.
type fixture struct {
	*stock.Service
	t     *testing.T
	store *store.Store
	clock *testkit.Clock
	// watches is how many services watch has returned: each draws ids of its own.
	watches int
}

func setUp(t *testing.T) *fixture {
	t.Helper()
	opened, err := store.OpenSQLite(t.Context(), filepath.Join(testkit.FastDir(t), "dropyard.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	err = opened.Partners().Write(t.Context(), func(tx partner.Writer) error {
		for _, id := range []string{ours, theirs} {
			if _, err := tx.AddPartner(t.Context(), &partner.Partner{PartnerID: id}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clock := testkit.NewClock(start)
	return &fixture{Service: stock.NewService(stock.Config{
		Store: opened.Stock(), Now: clock.Now, Random: repeatable.Reader(t),
	}), t: t, store: opened, clock: clock}
}

func parse(t *testing.T, body string) form.Source {
	t.Helper()
	root, err := strictjson.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// create adds a product as a request asks.
func (f *fixture) create(partnerID, body string) (delivery.Product, error) {
	f.t.Helper()
	product, err := form.Decode(parse(f.t, body), stock.ReadProduct)
	if err != nil {
		return product, err
	}
	return f.CreateProduct(f.t.Context(), partnerID, product)
}

// product adds a product and returns its id.
func (f *fixture) product(partnerID, body string) int64 {
	f.t.Helper()
	added, err := f.create(partnerID, body)
	if err != nil {
		f.t.Fatal(err)
	}
	return added.ProductID
}

// book books a movement as a request asks.
func (f *fixture) book(partnerID, body string) ([]delivery.Movement, error) {
	f.t.Helper()
	booking, err := form.Decode(parse(f.t, body), stock.ReadBooking)
	if err != nil {
		return nil, err
	}
	return f.Record(context.WithoutCancel(f.t.Context()), partnerID, booking)
}

// record books a movement, and fails the test if that is refused.
func (f *fixture) record(body string) []delivery.Movement {
	f.t.Helper()
	booked, err := f.book(ours, body)
	if err != nil {
		f.t.Fatalf("%s: %v", body, err)
	}
	return booked
}

// find returns one of our products from the catalogue.
func (f *fixture) find(productID int64) delivery.Product {
	f.t.Helper()
	products, _, err := f.Products(f.t.Context(), stock.ProductFilter{PartnerID: ours, Limit: 100})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, product := range products {
		if product.ProductID == productID {
			return product
		}
	}
	f.t.Fatalf("got a catalogue without product %d", productID)
	return delivery.Product{}
}

// stock returns all our movements of a product, newest first.
func (f *fixture) ledger(productID int64) []delivery.Movement {
	f.t.Helper()
	movements, err := f.Movements(f.t.Context(), stock.MovementFilter{PartnerID: ours, ProductID: productID, Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	return movements
}

// faults returns the fields that a validation error names.
func faults(t *testing.T, err error) []string {
	t.Helper()
	if !refusal.HasCode(err, refusal.CodeValidation) {
		t.Fatalf("got %v, want a validation_error", err)
	}
	var details struct {
		Errors []form.Problem `json:"errors"`
	}
	if err := strictjson.Unmarshal(detailsOf(t, err), &details); err != nil {
		t.Fatal(err)
	}
	fields := make([]string, len(details.Errors))
	for i, fault := range details.Errors {
		fields[i] = fault.Field
	}
	return fields
}

// detailsOf returns the details of a refusal as JSON.
func detailsOf(t *testing.T, err error) []byte {
	t.Helper()
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want a refusal", err)
	}
	details, err := strictjson.Marshal(refused.Details)
	if err != nil {
		t.Fatal(err)
	}
	return details
}
