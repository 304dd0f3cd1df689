package figures_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

const partnerID = "par_00000001"

func TestPassingHasAllStatusesThatOrdersLeave(t *testing.T) {
	t.Parallel()
	var want []delivery.Status
	for _, status := range delivery.Statuses {
		if len(delivery.NextStatuses(status)) > 0 {
			want = append(want, status)
		}
	}
	if got := figures.Passing[:]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDayIsLocalToTheProvince(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, province, want string }{
		{"2026-03-02T02:29:59Z", "ON", "2026-03-01"},
		{"2026-03-02T03:29:59Z", "NL", "2026-03-01"},
		{"2026-03-02T03:30:00Z", "NL", "2026-03-02"},
		{"2026-07-01T02:30:00Z", "NL", "2026-07-01"}, // daylight saving time
		{"2026-03-02T07:59:59Z", "BC", "2026-03-01"},
		{"2026-03-02T08:00:00Z", "BC", "2026-03-02"},
		{"2026-12-15T06:30:00Z", "AB", "2026-12-15"}, // in the first winter on the time of summer
		{"2026-12-15T05:59:59Z", "AB", "2026-12-14"},
		{"2026-12-15T05:00:00Z", "MB", "2026-12-15"},
		{"2026-03-02T23:59:59Z", "", "2026-03-02"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := figures.DayOf(testkit.Calendar().Clock, at, c.province).String(); got != c.want {
			t.Errorf("%s in %q: got %s, want %s", c.at, c.province, got, c.want)
		}
	}
}

// moved returns a pending order, and the same order after each of moves.
func moved(moves ...func(o *delivery.Order)) []*delivery.Order {
	o := testkit.Order(partnerID, "ord_1", "A-1", testkit.Epoch)
	states := []*delivery.Order{o}
	for _, move := range moves {
		next := *states[len(states)-1]
		move(&next)
		entry := delivery.HistoryEntry{Status: next.Status, At: next.UpdatedAt, RecordedAt: next.UpdatedAt}
		next.History = append(slices.Clone(next.History), entry)
		states = append(states, &next)
	}
	return states
}

func to(status delivery.Status, after time.Duration, courierID string) func(*delivery.Order) {
	return func(o *delivery.Order) {
		o.Status, o.UpdatedAt, o.Courier = status, o.UpdatedAt.Add(after), nil
		if courierID != "" {
			o.Courier = &delivery.Courier{CourierID: courierID}
		}
	}
}

func tallyOf(states []*delivery.Order) (tally figures.Tally) {
	tally.Clock = testkit.Calendar().Clock
	tally.Created(states[0])
	for i, after := range states[1:] {
		tally.Moved(states[i], after)
	}
	return tally
}

// stay returns the index of a status in Counts.Stays.
func stay(t *testing.T, status delivery.Status) int {
	t.Helper()
	for i, passing := range figures.Passing {
		if passing == status {
			return i
		}
	}
	t.Fatalf("%s is not in Passing", status)
	return 0
}

func TestDeliveryBelongsToItsCourierAndDay(t *testing.T) {
	t.Parallel()
	states := moved(
		to(delivery.StatusAccepted, time.Minute, ""),
		to(delivery.StatusCourierAssigned, time.Minute, "cou_1"),
		to(delivery.StatusCourierAssigned, 2*time.Minute, "cou_2"),
		to(delivery.StatusPickedUp, time.Hour, "cou_2"),
		to(delivery.StatusDelivered, 24*time.Hour, "cou_2"))
	tally := tallyOf(states)
	rows := tally.Rows()
	day := figures.DayOf(testkit.Calendar().Clock, testkit.Epoch, "ON")
	want := []*figures.Row{
		{Key: figures.Key{PartnerID: partnerID, Day: day}, Counts: figures.Counts{Orders: 1}},
		{Key: figures.Key{PartnerID: partnerID, Day: day, CourierID: "cou_1"}, Counts: figures.Counts{Assigned: 1}},
		{Key: figures.Key{PartnerID: partnerID, Day: day, CourierID: "cou_2"}, Counts: figures.Counts{Assigned: 1}},
		{Key: figures.Key{
			PartnerID: partnerID, Day: day + 1, CourierID: "cou_2",
		}, Counts: figures.Counts{Delivered: 1, OnTime: 1}},
	}
	want[0].Stays[stay(t, delivery.StatusPending)] = figures.Stay{Ended: 1, Millis: 60_000}
	want[0].Stays[stay(t, delivery.StatusAccepted)] = figures.Stay{Ended: 1, Millis: 60_000}
	want[1].Stays[stay(t, delivery.StatusCourierAssigned)] = figures.Stay{Ended: 1, Millis: 120_000}
	want[2].Stays[stay(t, delivery.StatusCourierAssigned)] = figures.Stay{Ended: 1, Millis: 3_600_000}
	want[3].Stays[stay(t, delivery.StatusPickedUp)] = figures.Stay{Ended: 1, Millis: 86_400_000}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %s\nwant %s", shown(rows), shown(want))
	}
}

func shown(rows []*figures.Row) (text string) {
	for _, row := range rows {
		text += fmt.Sprintf("\n%s %q %+v", row.Day, row.CourierID, row.Counts)
	}
	return text
}

func TestOnTimeIsByThePromise(t *testing.T) {
	t.Parallel()
	for late, want := range map[time.Duration]int64{-time.Millisecond: 1, 0: 1, time.Millisecond: 0} {
		states := moved(func(o *delivery.Order) {
			o.Status, o.UpdatedAt = delivery.StatusDelivered, o.Promised.Add(late)
			o.EstimatedDelivery = o.UpdatedAt.Add(time.Hour) // a later estimate does not count
		})
		tally := figures.Tally{Clock: testkit.Calendar().Clock}
		tally.Moved(states[0], states[1])
		if got := tally.Rows()[0].OnTime; got != want {
			t.Errorf("delivered %s after the promise: got %d on time, want %d", late, got, want)
		}
	}
}

func TestTestModeIsNotCounted(t *testing.T) {
	t.Parallel()
	tally := figures.Tally{Clock: testkit.Calendar().Clock}
	o := testkit.Order(delivery.TestAccount(partnerID), "ord_1", "A-1", testkit.Epoch)
	tally.Created(o)
	tally.Moved(o, o)
	tally.WebhookDelivered(&delivery.Event{PartnerID: o.PartnerID}, testkit.Epoch)
	if rows := tally.Rows(); len(rows) > 0 {
		t.Errorf("got %s, want nothing", shown(rows))
	}
}

// TestSumsDoNotDependOnTransactions divides random moves among tallies: the rows of all
// of them add up to those of one tally.
func TestSumsDoNotDependOnTransactions(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		var whole figures.Tally
		parts := make([]figures.Tally, 3)
		for range rapid.IntRange(1, 5).Draw(t, "orders") {
			var moves []func(*delivery.Order)
			for range rapid.IntRange(0, 8).Draw(t, "moves") {
				moves = append(moves, to(
					rapid.SampledFrom(delivery.Statuses).Draw(t, "status"),
					time.Duration(rapid.Int64Range(0, 1<<28).Draw(t, "ms"))*time.Millisecond,
					rapid.SampledFrom([]string{"", "cou_1", "cou_2"}).Draw(t, "courier")))
			}
			states := moved(moves...)
			for i, after := range states {
				part := &parts[rapid.IntRange(0, len(parts)-1).Draw(t, "part")]
				if i == 0 {
					whole.Created(after)
					part.Created(after)
					continue
				}
				whole.Moved(states[i-1], after)
				part.Moved(states[i-1], after)
			}
		}
		sums := map[figures.Key]figures.Counts{}
		for _, part := range parts {
			for _, row := range part.Rows() {
				sums[row.Key] = add(sums[row.Key], row.Counts)
			}
		}
		rows := whole.Rows()
		if len(rows) != len(sums) {
			t.Fatalf("got %d rows, want %d", len(sums), len(rows))
		}
		for _, row := range rows {
			if got := sums[row.Key]; got != row.Counts {
				t.Fatalf("%+v: got %+v, want %+v", row.Key, got, row.Counts)
			}
		}
	})
}

func add(a, b figures.Counts) figures.Counts {
	a.Orders += b.Orders
	a.Assigned += b.Assigned
	a.Delivered += b.Delivered
	a.OnTime += b.OnTime
	a.FailedAttempts += b.FailedAttempts
	a.Cancelled += b.Cancelled
	a.WebhooksDelivered += b.WebhooksDelivered
	for i := range a.Stays {
		a.Stays[i].Ended += b.Stays[i].Ended
		a.Stays[i].Millis += b.Stays[i].Millis
	}
	return a
}
