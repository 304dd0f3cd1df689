package courier_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// compare returns the differences between what a courier tapped and the service's record.
func (y *yard) compare(t *testing.T, s *sequence) (faults []string) {
	t.Helper()
	faults = append(faults, s.Trouble...)
	if s.Waiting > 0 {
		faults = append(faults, fmt.Sprintf("%d acts were not sent", s.Waiting))
	}
	for _, order := range s.Orders {
		read := y.desk.Call(t, "GET", "/ops/v1/orders/"+order.OrderID, nil)
		acts := slices.DeleteFunc(slices.Clone(s.Acts), func(a tapped) bool { return a.OrderID != order.OrderID })
		got, want := y.arrived(read, order.OrderID), carried(acts)
		if got != want {
			faults = append(faults, fmt.Sprintf("%s: got\n%swant\n%s", order.OrderID, got, want))
		}
		for _, fault := range append(wrongTimes(acts), y.wrongRefusals(acts, order.Disturbed || order.Doubtful)...) {
			faults = append(faults, order.OrderID+": "+fault)
		}
		faults = append(faults, wrongPictures(read, acts)...)
	}
	return append(faults, y.wrongCash(t, s)...)
}

// wrongCash compares the cash that a courier carries with the orders that the courier has delivered: each once.
func (y *yard) wrongCash(t *testing.T, s *sequence) (faults []string) {
	t.Helper()
	y.mu.Lock()
	courierID := y.riders[strconv.Itoa(s.Seed)].CourierID
	y.mu.Unlock()
	held := y.desk.Call(t, "GET", "/ops/v1/couriers/"+courierID+"/cash", nil).Must(t, http.StatusOK)
	var got, want []string
	for i := range held.Len("orders") {
		got = append(got, fmt.Sprint(held.Text("orders", i, "order_id"), " ", held.JSON("orders", i, "amount_cents")))
	}
	for _, a := range s.Acts {
		if a.Kind == "move" && a.Status == "delivered" && a.Refused == "" {
			want = append(want, a.OrderID+" 2000")
		}
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		faults = append(faults, fmt.Sprintf("got the cash of %q with the courier, want %q", got, want))
	}
	return faults
}

// arrived returns the moves of an order that are not the desk's.
func (y *yard) arrived(read *apptest.Answer, orderID string) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var got strings.Builder
	for i := 3; i < read.Len("order", "status_history"); i++ { // after pending, accepted and courier_assigned
		move := read.Text("order", "status_history", i, "status") + " " + read.Text("order", "status_history", i, "timestamp")
		if !y.moved[orderID+" "+move] {
			fmt.Fprintln(&got, move)
		}
	}
	return got.String()
}

// carried returns the moves that were tapped and not refused.
func carried(acts []tapped) string {
	var want strings.Builder
	for _, a := range acts {
		if a.Kind == "move" && a.Refused == "" {
			fmt.Fprintln(&want, a.Status, a.At)
		}
	}
	return want.String()
}

// wrongTimes returns what is wrong with the times of an order's acts: they increase, and
// are those of the taps.
func wrongTimes(acts []tapped) (faults []string) {
	last := time.Time{}
	for _, a := range acts {
		at, err := time.Parse(time.RFC3339, a.At)
		if err != nil || !at.After(last) {
			faults = append(faults, fmt.Sprintf("%s at %s, which is not after %s", a.Status, a.At, timestamp.Format(last)))
		}
		if off := at.Sub(a.Tapped).Abs(); a.Sure && off > 3*time.Second {
			faults = append(faults, fmt.Sprintf("%s at %s, which was tapped at %s", a.Status, a.At, timestamp.Format(a.Tapped)))
		}
		if last = at; a.Refused == "422 too_early" {
			last = time.Time{} // the clock was wrong: times begin again
		}
	}
	return faults
}

// wrongRefusals returns the refusals that have no cause: nothing has troubled the order.
func (y *yard) wrongRefusals(acts []tapped, troubled bool) (faults []string) {
	for i, a := range acts {
		if a.Refused == "" || troubled || a.Refused == "422 too_old" ||
			slices.ContainsFunc(acts[:i], func(b tapped) bool { return b.Refused == "422 too_old" }) {
			continue
		}
		faults = append(faults, fmt.Sprintf("%s %s of %s was refused: %s", a.Kind, a.Status, a.At, a.Refused))
	}
	return faults
}

// wrongPictures compares an order's proofs with the pictures that were tapped and not
// refused.
func wrongPictures(read *apptest.Answer, acts []tapped) (faults []string) {
	var got, want []string
	times := map[string]bool{}
	for i := range read.Len("proofs") {
		got = append(got, read.Text("proofs", i, "kind"))
		times[read.Text("proofs", i, "at")] = true
	}
	for _, a := range acts {
		if a.Kind == "move" || a.Refused != "" {
			continue
		}
		want = append(want, a.Kind)
		if !a.Untimed && !times[a.At] {
			faults = append(faults, fmt.Sprintf("%s: got no %s at %s", a.OrderID, a.Kind, a.At))
		}
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		faults = append(faults, fmt.Sprintf("got the proofs %v, want %v", got, want))
	}
	return faults
}
