package app_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
)

// damages are the ways in which the row of an order can be unreadable. Partners still see
// an order, in lists or alone, if what they see has nothing of what is damaged.
var damages = map[string]struct {
	statement    string
	listed, read bool
}{
	"document":   {`UPDATE orders SET document = '{"order_id":' WHERE order_id = '%s'`, false, false},
	"courier":    {`UPDATE orders SET courier = '{' WHERE order_id = '%s'`, true, false},
	"allocation": {`UPDATE orders SET allocation = '[{]' WHERE order_id = '%s'`, true, true},
}

// TestDamagedOrderFailsAlone: an order that cannot be read does not keep its
// neighbours from being listed, moved and exported.
func TestDamagedOrderFailsAlone(t *testing.T) {
	t.Parallel()
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t)
			p, o := s.Register(t, "metro"), s.Operate(t)
			var ids []string
			for i := range 3 {
				s.Clock.Advance(time.Second) // the list is in the order of creation
				body := testkit.OrderJSON(fmt.Sprintf("D-%d", i), "")
				ids = append(ids, p.Create(t, body).Must(t, http.StatusCreated).Text("order_id"))
			}
			damaged := ids[1]
			s.Execute(t, fmt.Sprintf(damage.statement, damaged))

			want := []string{ids[2], ids[0]}
			if damage.listed {
				want = []string{ids[2], ids[1], ids[0]}
			}
			if got := listed(p.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK)); !slices.Equal(got, want) {
				t.Errorf("list: got %v, want %v", got, want)
			}
			if got := pagesOfOne(t, p); !slices.Equal(got, want) {
				t.Errorf("pages of one: got %v, want %v", got, want)
			}
			for _, path := range []string{"/v1/orders/", "/track/"} {
				if answer := p.Call(t, "GET", path+damaged, nil); damage.read {
					answer.Must(t, http.StatusOK)
				} else {
					answer.Refused(t, http.StatusInternalServerError, "internal_error")
				}
				p.Call(t, "GET", path+ids[0], nil).Must(t, http.StatusOK)
			}
			if board := o.Call(t, "GET", "/ops/v1/orders", nil).Must(t, http.StatusOK); board.Len("orders") != 3 {
				t.Errorf("board: got %s, want all three orders", board.Body)
			}
			checkBulkMove(t, o, ids, damaged)
			checkExported(t, s, p, damaged)
			cancelled := apptest.Together(len(ids), func(i int) int { return p.Cancel(t, ids[i], "").Status })
			if want := []int{http.StatusOK, http.StatusInternalServerError, http.StatusOK}; !slices.Equal(cancelled, want) {
				t.Errorf("cancellations at once: got %v, want %v", cancelled, want)
			}
		})
	}
}

// listed returns the ids of the orders of a list.
func listed(page *apptest.Answer) (ids []string) {
	for i := range page.Len("orders") {
		ids = append(ids, page.Text("orders", i, "order_id"))
	}
	return ids
}

// pagesOfOne lists a partner's orders one by one, and returns their ids.
func pagesOfOne(t *testing.T, p *apptest.Partner) (ids []string) {
	t.Helper()
	for cursor := ""; ; {
		page := p.Call(t, "GET", "/v1/orders?limit=1"+cursor, nil).Must(t, http.StatusOK)
		ids = append(ids, listed(page)...)
		next := page.Text("next_cursor")
		if next == "" {
			return ids
		}
		cursor = "&cursor=" + next
	}
}

// checkBulkMove accepts all orders at once, which must fail for the damaged one only.
func checkBulkMove(t *testing.T, o *apptest.Operator, ids []string, damaged string) {
	t.Helper()
	moved := o.Call(t, "POST", "/ops/v1/orders/status",
		fmt.Appendf(nil, `{"order_ids":["%s"],"status":"accepted"}`, strings.Join(ids, `","`))).Must(t, http.StatusOK)
	for i, id := range ids {
		status, code := moved.Text("results", i, "status"), moved.Text("results", i, "error", "code")
		switch {
		case id == damaged && code != "internal_error":
			t.Errorf("bulk move of the damaged order: got %q, want internal_error", code)
		case id != damaged && status != "accepted":
			t.Errorf("bulk move of order %d: got %s, want accepted", i, moved.Body)
		}
	}
}

// checkExported checks that an export has three orders, one of them without its
// record.
func checkExported(t *testing.T, s *apptest.Service, p *apptest.Partner, damaged string) {
	t.Helper()
	var exported bytes.Buffer
	s.Retain(t, retention.Policy{}, nil, func(service *retention.Service) error {
		export, err := service.Export(t.Context(), p.PartnerID)
		if err != nil {
			return err
		}
		return export.Write(t.Context(), &exported)
	})
	unreadable := fmt.Sprintf(`{"type":"order","record":{"order_id":%q,"unreadable":true}}`, damaged)
	if got := strings.Count(exported.String(), `{"type":"order",`); got != 3 ||
		!strings.Contains(exported.String(), unreadable) {
		t.Errorf("export: got %d orders in %s, want 3, one of them as %s", got, exported.String(), unreadable)
	}
}
