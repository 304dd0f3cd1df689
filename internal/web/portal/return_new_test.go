package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestReturnOnPage creates a return of a part of a delivered order, and shows where it is.
func TestReturnOnPage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	lamp := desk.Stock(t, metro.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp)
	id := metro.Create(t, testkit.OrderJSON("LIVE-1", items)).Must(t, 201).Text("order_id")
	clerk, reader := metro.As(t, "clerk"), metro.As(t, "reader")
	order := "/portal/orders/" + id
	path := order + "/return"

	shows(t, "pending", clerk.Open(t, order).Must(t, http.StatusOK), nil, []string{path})
	clerk.Open(t, path).Must(t, http.StatusSeeOther)
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	reader.Open(t, path).Must(t, http.StatusForbidden)
	shows(t, "delivered", clerk.Open(t, order).Must(t, http.StatusOK), []string{path}, nil)
	asked := clerk.Open(t, path).Must(t, http.StatusOK)
	shows(t, "asked", asked, []string{"Return of LIVE-1", "Lamp, at most 3", "Épicerie Métro", "The time in Toronto",
		`value="2026-01-14T11:00"`}, nil)
	window := []string{"pickup.time_window.start", "2026-01-19T09:00", "pickup.time_window.end", "2026-01-19T17:00"}
	fields := func(more ...string) []string {
		return append(append([]string{"reason", "too dark", "to", "sender"}, window...), more...)
	}
	for name, c := range map[string]struct {
		fields []string
		fault  string
	}{
		"no reason": {append([]string{"to", "sender", "items[0].quantity", "1"}, window...), `id="fault-reason"`},
		"no window": {
			[]string{
				"reason", "x", "to", "sender", "items[0].quantity", "1", "pickup.time_window.start", "",
			}, `id="fault-pickup.time_window.start"`,
		},
		"nothing":  {fields("items[0].quantity", "0"), `id="fault-items[0].quantity"`},
		"too many": {fields("items[0].quantity", "4"), "At most 3 of product"},
		"no address": {
			append([]string{"reason", "x", "to", "warehouse", "items[0].quantity", "1"}, window...), `id="fault-to"`,
		},
	} {
		shows(t, name, clerk.Send(t, asked, path, c.fields...).Must(t, http.StatusUnprocessableEntity),
			[]string{c.fault}, nil)
	}
	back := ""
	for range 2 { // a double click
		back = clerk.Send(t, asked, path, fields("items[0].quantity", "2")...).Must(t,
			http.StatusSeeOther).Header.Get("Location")
	}
	if !strings.HasPrefix(back, "/portal/orders/ord_") || back == order {
		t.Fatalf("got to %q, want to the return", back)
	}
	shows(t, "the return", clerk.Open(t, back).Must(t, http.StatusOK),
		[]string{"Return of", order, "too dark"}, []string{path})
	shows(t, "the order", clerk.Open(t, order).Must(t, http.StatusOK), []string{"Returns", back, path}, nil)
	shows(t, "the rest", clerk.Open(t, path).Must(t, http.StatusOK), []string{"Lamp, at most 1"}, nil)
}
