package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/demo"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
)

// ordersOn returns a query for how many orders of the demo belong to a day.
func ordersOn(day time.Time) string {
	return fmt.Sprintf("SELECT count(*) FROM orders WHERE partner_order_id LIKE '%%-%s'", day.Format("060102"))
}

// TestDemoDay expects a demo that shows a whole day, and that goes on by the service's clock.
func TestDemoDay(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.LivingDemo())
	today := testkit.Epoch
	for query, want := range map[string]string{
		ordersOn(today): "300",
		"SELECT count(DISTINCT partner_id) FROM orders":      "6",
		"SELECT count(*) FROM couriers":                      "12",
		"SELECT count(DISTINCT courier_id) FROM open_orders": "13", // with those that have none
		"SELECT count(*) FROM courier_messages":              "1",
		"SELECT count(*) FROM statements":                    "6",
	} {
		if got := s.Query(t, query); got[0] != want {
			t.Errorf("%s: got %s, want %s", query, got[0], want)
		}
	}
	for query, least := range map[string]int{
		"SELECT count(*) FROM open_orders WHERE status = 'failed'":           1,
		"SELECT count(*) FROM products WHERE quantity <= stock_min":          3,
		"SELECT count(*) FROM products WHERE quantity > 5 * stock_min":       6,
		"SELECT count(*) FROM order_proofs":                                  10,
		"SELECT count(DISTINCT day) FROM figures WHERE delivered >= 1":       30,
		"SELECT count(*) FROM open_orders":                                   80,
		"SELECT count(*) FROM open_orders WHERE status = 'out_for_delivery'": 10,
		"SELECT sum(orders) FROM figures":                                    300 + demo.History*demo.Daily,
		"SELECT count(*) FROM webhook_endpoints":                             6,
	} {
		var got int
		if _, err := fmt.Sscan(s.Query(t, query)[0], &got); err != nil || got < least {
			t.Errorf("%s: got %d, want at least %d: %v", query, got, least, err)
		}
	}
	behind := fmt.Sprintf(`SELECT DISTINCT name FROM open_orders JOIN couriers USING (courier_id)
		WHERE status = 'out_for_delivery' AND failures = 0 AND dropoff_end < %d`, today.UnixMicro())
	if got := s.Query(t, behind); len(got) != 1 || got[0] != demo.Couriers[demo.Behind].Name {
		t.Errorf("got the couriers %q behind, want %s", got, demo.Couriers[demo.Behind].Name)
	}
	if open := s.Query(t, "SELECT count(*) FROM open_orders")[0]; tilesOf(t, s, "en")[0] !=
		"/console/board "+open+" orders on their way" {
		t.Errorf("got the tiles %q, want %s orders on their way", tilesOf(t, s, "en"), open)
	}
	s.Sweep(t, retention.Policy{}) // keys of requests that are as old as the history
	s.Audit(t)
	for i := range 3 {
		s.Clock.Advance(demo.Every)
		s.Until(t, ordersOn(today), fmt.Sprint(demo.Orders+i+1))
	}
	s.Clock.Advance(10 * time.Minute)
	s.Until(t, "SELECT count(*) FROM orders WHERE status <> 'pending' AND partner_order_id LIKE '___-301-%'", "1")
}

// TestDemoGoesOnAfterAStop starts a demo again: on the same day it adds nothing but what has become due,
// and on a later one it has that day's orders, and loses none.
func TestDemoGoesOnAfterAStop(t *testing.T) {
	t.Parallel()
	dir, clock := testkit.FastDir(t), testkit.NewClock(testkit.Epoch)
	start := func() *apptest.Service {
		return apptest.Start(t, apptest.DataIn(dir), apptest.LivingDemo(), apptest.OnClock(clock))
	}
	count := func(s *apptest.Service, query, want string) {
		t.Helper()
		if got := s.Query(t, query); got[0] != want {
			t.Errorf("%s: got %s, want %s", query, got[0], want)
		}
	}
	s := start()
	count(s, ordersOn(clock.Now()), "300")
	before := s.Query(t, "SELECT count(*) FROM orders")
	s.Stop()
	s = start()
	if got := s.Query(t, "SELECT count(*) FROM orders"); got[0] != before[0] {
		t.Errorf("after a second start: got %s orders, want %s", got[0], before[0])
	}
	s.Stop()
	first := clock.Now()
	clock.Advance(10 * time.Minute)
	s = start()
	count(s, ordersOn(first), "330")
	s.Stop()
	clock.Advance(3*24*time.Hour - 10*time.Minute)
	s = start()
	count(s, ordersOn(first), "330")
	count(s, ordersOn(first.AddDate(0, 0, 1)), fmt.Sprint(demo.Daily))
	count(s, ordersOn(first.AddDate(0, 0, 2)), fmt.Sprint(demo.Daily))
	count(s, ordersOn(clock.Now()), "300")
	count(s, strings.Replace(ordersOn(first), "orders", "open_orders", 1), "0")
	s.Sweep(t, retention.Policy{}) // keys of requests that are as old as the history
	s.Audit(t)
}

// TestDemoAfterACrash fails the writes of a demo that is being made, and starts it again: it then has
// everything once.
func TestDemoAfterACrash(t *testing.T) {
	t.Parallel()
	crashed := errors.New("the disk is gone")
	for _, writes := range []int64{60, 250} {
		dir := testkit.FastDir(t)
		var left atomic.Int64
		left.Store(writes)
		crash := func(_ *config.Config, world *app.Surroundings) {
			world.BeforeWrites = func(context.Context) error {
				if left.Add(-1) < 0 {
					return crashed
				}
				return nil
			}
		}
		if err := apptest.StartError(t, apptest.DataIn(dir), apptest.LivingDemo(), crash); !errors.Is(err, crashed) {
			t.Errorf("after %d writes: got error %v, want %v", writes, err, crashed)
		}
		s := apptest.Start(t, apptest.DataIn(dir), apptest.LivingDemo())
		for query, want := range map[string]string{
			ordersOn(testkit.Epoch):                                    "300",
			"SELECT count(*) FROM orders":                              fmt.Sprint(demo.Orders + demo.History*demo.Daily),
			"SELECT count(*) FROM partners WHERE partner_id < 'par_g'": "6",
			"SELECT count(*) FROM couriers":                            "12",
			"SELECT count(*) FROM products WHERE partner_id < 'par_g'": "13",
		} {
			if got := s.Query(t, query); got[0] != want {
				t.Errorf("after %d writes: %s: got %s, want %s", writes, query, got[0], want)
			}
		}
		s.Sweep(t, retention.Policy{}) // keys of requests that are as old as the history
		s.Audit(t)
		s.Stop()
	}
}
