package app_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestDemoDeliversWebhooks creates an order with the demo's test key. The demo's shop
// takes every webhook about it.
func TestDemoDeliversWebhooks(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	quick := func(c *config.Config, _ *app.Surroundings) { c.SimulatePace = 10 * time.Millisecond }
	s := apptest.Start(t, apptest.Demo(&printed), quick)
	demo := printed.String()
	shop := &apptest.Partner{Service: s, PublicKey: apptest.Printed(t, demo,
		"test key"), SecretKey: apptest.Printed(t, demo, "its secret")}
	// with another reference it may fail once
	body := bytes.Replace(testkit.OrderJSON("A-1", ""), []byte(`"PO 77"`), []byte(`"sim:deliver"`), 1)
	signed := shop.SignedAt(time.Now(), "POST", "/v1/orders", body)
	s.Do(t, "POST", "/v1/orders", body, append(signed, "Idempotency-Key", uuid.NewString())...).Must(t, 201)
	s.Until(t, "SELECT min(state), max(state), count(*) FROM events WHERE order_id IN (SELECT order_id FROM orders WHERE status = 'delivered' AND partner_order_id = 'A-1')", "delivered delivered 6")
}

// TestDemoHasStockEndpoint moves stock in a demo. A second endpoint, with the format of CloudEvents, takes the events;
// after a start at another address it is the same one.
func TestDemoHasStockEndpoint(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	for range 2 {
		s := apptest.Start(t, apptest.Demo(&bytes.Buffer{}), dir)
		demo := s.Query(t, "SELECT partner_id, format, events, url FROM further_endpoints")
		if len(demo) != 1 {
			t.Fatalf("got the endpoints %v, want one", demo)
		}
		partnerID, rest, _ := strings.Cut(demo[0], " ")
		if rest != "cloudevents stock.low,stock.changed "+s.URL+"/demo/stock" {
			t.Errorf("got the endpoint %s, want that of stock", rest)
		}
		s.Operate(t).Stock(t, partnerID, "Lamp "+s.URL, map[string]int{"MTL-1": 8})
		s.Until(t, "SELECT CASE WHEN count(*) > 0 THEN 1 ELSE 0 END, sum(CASE state WHEN 'delivered' THEN 0 ELSE 1 END) FROM further_deliveries WHERE type = 'stock.changed'",
			"1 0")
		s.Stop()
	}
}

// TestOnlyADemoHasAShop: without --demo, or where others can reach it, the service takes
// no webhooks of its own.
func TestOnlyADemoHasAShop(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	if got := s.Do(t, "POST", "/demo/webhooks", []byte(`{}`)); got.Status != 404 {
		t.Errorf("no demo: got status %d, want 404", got.Status)
	}
	public := func(c *config.Config, _ *app.Surroundings) { c.BaseURL = "https://dropyard.example" }
	behind := apptest.Start(t, apptest.Demo(&bytes.Buffer{}), public)
	if got := behind.Query(t, "SELECT count(*) FROM webhook_endpoints"); got[0] != "0" {
		t.Errorf("behind a proxy: got %s endpoints, want none", got[0])
	}
}

// TestDemoGoesOnOrdering lets a demo simulate until all orders that it began with are
// delivered, and others are under way.
func TestDemoGoesOnOrdering(t *testing.T) {
	t.Parallel()
	quick := func(c *config.Config, _ *app.Surroundings) { c.Simulate, c.SimulatePace = true, 10*time.Millisecond }
	s := apptest.Start(t, apptest.Demo(&bytes.Buffer{}), quick)
	s.Until(t, `SELECT CASE WHEN (SELECT count(*) FROM orders WHERE status = 'delivered') >= 8
		AND (SELECT count(*) FROM orders WHERE status NOT IN ('delivered', 'cancelled')) >= 4 THEN 1 ELSE 0 END`, "1")
	if got := s.Query(t, "SELECT count(DISTINCT partner_id) FROM orders"); got[0] != "1" {
		t.Errorf("got orders of %s partners, want the sample partner's only", got[0])
	}
}
