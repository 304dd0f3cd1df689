package demo_test

import (
	"bytes"
	"encoding/json"
	"image/jpeg"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/demo"
	"github.com/dropyard/dropyard/internal/foundation/zone"
)

var begin = time.Date(2026, time.March, 2, 14, 5, 9, 0, time.UTC)

// dayOf returns the orders with which a day begins.
func dayOf(date string) (orders []demo.Order) {
	day := demo.Day{Date: date, Begin: begin}
	for number := 1; number <= demo.Orders; number++ {
		orders = append(orders, day.Order(number))
	}
	return orders
}

// statusAt returns the status of an order at a time.
func statusAt(o *demo.Order, at time.Time) delivery.Status {
	status := delivery.StatusPending
	for _, step := range o.Course {
		if !step.At.After(at) {
			status = step.Status
		}
	}
	return status
}

// TestDay expects a day that is worth looking at when it begins: orders in all statuses, of all shops
// and for all couriers, some of them overdue, all of these with one courier.
func TestDay(t *testing.T) {
	t.Parallel()
	statuses, shops, couriers, late := map[delivery.Status]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	ids, keys := map[string]bool{}, map[[16]byte]bool{}
	for _, o := range dayOf("2026-03-02") {
		ids[o.PartnerOrderID], keys[o.Key] = true, true
		status := statusAt(&o, begin)
		statuses[status]++
		shops[o.Shop]++
		var wanted struct {
			Dropoff struct {
				Window struct{ End time.Time } `json:"time_window"`
			}
		}
		if err := json.Unmarshal(o.Body, &wanted); err != nil {
			t.Fatal(err)
		}
		for i, step := range o.Course {
			if i > 0 && !o.Course[i-1].At.Before(step.At) || !o.CreatedAt.Before(step.At) {
				t.Errorf("%s: got step %d at %v, want it later than the one before", o.PartnerOrderID, i, step.At)
			}
			if step.Status == delivery.StatusCourierAssigned {
				couriers[step.Courier]++
				if demo.Couriers[step.Courier].Place != demo.Shops[o.Shop].Place {
					t.Errorf("%s: got a courier of another city", o.PartnerOrderID)
				}
				overdue := status == delivery.StatusOutForDelivery && wanted.Dropoff.Window.End.Before(begin)
				if overdue && !hasFailed(&o) {
					late[step.Courier]++
				}
			}
		}
	}
	if len(ids) != demo.Orders || len(keys) != demo.Orders {
		t.Errorf("got %d ids and %d keys, want %d", len(ids), len(keys), demo.Orders)
	}
	if len(shops) != 6 || len(couriers) != 12 {
		t.Errorf("got orders of %d shops and for %d couriers, want 6 and 12", len(shops), len(couriers))
	}
	for _, status := range delivery.Statuses {
		if statuses[status] == 0 {
			t.Errorf("got no order that is %s: %v", status, statuses)
		}
	}
	if late[demo.Behind] < 3 || len(late) != 1 {
		t.Errorf("got overdue orders by courier %v, want some of %d only", late, demo.Behind)
	}
}

func hasFailed(o *demo.Order) bool {
	return slices.ContainsFunc(o.Course, func(s demo.Step) bool { return s.Status == delivery.StatusFailed })
}

// TestOrdersAreKnownAgain expects an order to be the same when it is looked up by what the service
// holds of it, and its remaining steps to follow from its status.
func TestOrdersAreKnownAgain(t *testing.T) {
	t.Parallel()
	for _, o := range dayOf("2026-03-02") {
		again, ok := demo.Known(o.PartnerOrderID, o.CreatedAt)
		if !ok || !bytes.Equal(again.Body, o.Body) || !slices.Equal(again.Course, o.Course) || again.Key != o.Key {
			t.Fatalf("%s: got %t and %+v, want %+v", o.PartnerOrderID, ok, again, o)
		}
		failures := 0
		for i, step := range o.Course {
			if step.Status == delivery.StatusFailed {
				failures++
			}
			if rest := o.After(step.Status, failures); !slices.Equal(rest, o.Course[i+1:]) {
				t.Errorf("%s after step %d: got %v, want %v", o.PartnerOrderID, i, rest, o.Course[i+1:])
			}
		}
		if rest := o.After(delivery.StatusPending, 0); !slices.Equal(rest, o.Course) {
			t.Errorf("%s at its beginning: got %v", o.PartnerOrderID, rest)
		}
	}
	for _, other := range []string{"A-1", "ÉPI-0-260302", "XYZ-1-260302", "ÉPI-1-269902", "ÉPI-1-260302 ", ""} {
		if _, ok := demo.Known(other, begin); ok {
			t.Errorf("got %q known, want it unknown", other)
		}
	}
}

// TestPast expects the orders of a day of the history to have ended when it is over.
func TestPast(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, time.February, 3, 0, 0, 0, 0, zone.Own().Location("America/Toronto"))
	orders := demo.Past(midnight)
	if len(orders) != demo.Daily {
		t.Errorf("got %d orders, want %d", len(orders), demo.Daily)
	}
	for _, o := range orders {
		last := o.Course[len(o.Course)-1]
		if ended := len(delivery.NextStatuses(last.Status)) == 0; !ended || o.CreatedAt.Before(midnight) ||
			!last.At.Before(midnight.AddDate(0, 0, 1)) {
			t.Errorf("%s: created at %v, got %s at %v, want its end on that day", o.PartnerOrderID, o.CreatedAt, last.Status,
				last.At)
		}
	}
}

// TestCreated expects orders to come closer together until the day begins, and regularly after that.
func TestCreated(t *testing.T) {
	t.Parallel()
	day := demo.Day{Date: "2026-03-02", Begin: begin}
	for number := 2; number <= demo.Orders+10; number++ {
		before, at := day.Created(number-1), day.Created(number)
		if !before.Before(at) {
			t.Errorf("order %d: got %v after %v", number, at, before)
		}
		if number > demo.Orders && at.Sub(before) != demo.Every {
			t.Errorf("order %d: got %v after the one before, want %v", number, at.Sub(before), demo.Every)
		}
		if number <= demo.Orders {
			continue
		}
		if got, earlier := day.Latest(at), day.Latest(at.Add(-1)); got != number || earlier != number-1 {
			t.Errorf("got %d and, a moment earlier, %d as the latest order at %v, want %d", got, earlier, at, number)
		}
	}
	if at := day.Created(demo.Orders); !at.Equal(begin) {
		t.Errorf("got the last order before the day begins at %v, want %v", at, begin)
	}
}

// TestPhotos expects pictures that can be decoded and differ.
func TestPhotos(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for number := 1; number <= demo.Photos; number++ {
		file, err := demo.Photo(number)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jpeg.Decode(bytes.NewReader(file)); err != nil || seen[string(file)] {
			t.Errorf("picture %d: got error %v, the same as another: %t", number, err, seen[string(file)])
		}
		seen[string(file)] = true
	}
}
