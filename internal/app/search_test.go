package app_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// searched returns the numbers of the orders that a list has.
func searched(t *testing.T, answer *apptest.Answer) (numbers []string) {
	t.Helper()
	answer.Must(t, http.StatusOK)
	for i := range answer.Len("orders") {
		numbers = append(numbers, answer.Text("orders", i, "partner_order_id"))
	}
	return numbers
}

// comes waits until a search, whose index is filled behind the commits, finds what it should.
func comes(t *testing.T, s *apptest.Service, search func() []string, want ...string) {
	t.Helper()
	got := search()
	for deadline := time.Now().Add(repeatable.Hang); !slices.Equal(got, want); got = search() {
		if time.Now().After(deadline) {
			t.Fatalf("got %q, want %q", got, want)
		}
		s.Clock.Advance(time.Second)
		time.Sleep(repeatable.Poll)
	}
}

// TestSearch finds orders of two partners by what a caller knows of them: the desk all that have ended, each partner
// its own. An edit is found, and what was erased is not.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk, metro, nord := s.Operate(t), s.Register(t, "metro"), s.Register(t, "nord")
	first := metro.Create(t, testkit.OrderJSON("PP-1298", "")).Must(t, http.StatusCreated).Text("order_id")
	nord.Create(t, testkit.OrderJSON("N-7", "")).Must(t, http.StatusCreated)
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered"} {
		desk.Move(t, first, status).Must(t, http.StatusOK)
	}
	own := func(p *apptest.Partner, typed string) func() []string {
		return func() []string {
			return searched(t, p.Call(t, http.MethodGet, "/v1/orders?search="+url.QueryEscape(typed), nil))
		}
	}
	board := func(typed string) func() []string {
		return func() []string {
			return searched(t, desk.Call(t, http.MethodGet, "/ops/v1/orders?q="+url.QueryEscape(typed), nil))
		}
	}
	comes(t, s, own(metro, "martin alex"), "PP-1298")
	for _, typed := range []string{
		"queen", "100 QUEEN st", "m5h", "M5H2N2", "(416) 555-0123", "0123", "alex@example.com", "martin toronto",
	} {
		comes(t, s, own(metro, typed), "PP-1298")
		found := board(typed)()
		slices.Sort(found)
		if !slices.Equal(found, []string{"N-7", "PP-1298"}) {
			t.Errorf("%q: the desk finds %q, want both orders", typed, found)
		}
	}
	comes(t, s, own(nord, "alex"), "N-7")
	comes(t, s, board("Martin"), "PP-1298", "N-7") // what has ended comes first
	comes(t, s, own(metro, "tremblay"))
	comes(t, s, own(metro, "!?"))

	desk.Call(t, http.MethodPost, "/ops/v1/partners/"+metro.PartnerID+"/erasures", []byte(`{"order_ids":["`+first+`"]}`)).
		Must(t, http.StatusOK)
	comes(t, s, own(metro, "martin"))
	comes(t, s, own(metro, "pp-1298"), "PP-1298")
}
