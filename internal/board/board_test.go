package board_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

func TestOpenStatuses(t *testing.T) {
	t.Parallel()
	if want := []delivery.Status{delivery.StatusDelivered, delivery.StatusCancelled}; !slices.Equal(board.EndedStatuses,
		want) {
		t.Errorf("got ended states %v, want %v", board.EndedStatuses, want)
	}
	for _, status := range delivery.Statuses {
		open, ended := slices.Contains(board.OpenStatuses, status), slices.Contains(board.EndedStatuses, status)
		if open == ended || board.IsOpen(status) != open {
			t.Errorf("%s: got open %t, ended %t, IsOpen %t; want IsOpen to equal open and not ended", status, open, ended,
				board.IsOpen(status))
		}
	}
}

func TestNothingAtPickupIsInTransit(t *testing.T) {
	t.Parallel()
	for _, status := range board.AtPickup {
		if next := delivery.NextStatuses(status); slices.Contains(next, delivery.StatusInTransit) {
			t.Errorf("%s: got next states %v, want no %s", status, next, delivery.StatusInTransit)
		}
	}
}

func TestRowOfOrder(t *testing.T) {
	t.Parallel()
	at := testkit.Epoch
	o := testkit.Order("par_00000001", "ord_X", "A-1042", at)
	o.Status, o.Version, o.UpdatedAt = delivery.StatusOutForDelivery, 8, at.Add(time.Hour)
	o.Courier = &delivery.Courier{CourierID: "cou_1"}
	for _, status := range []delivery.Status{delivery.StatusFailed, delivery.StatusInTransit, delivery.StatusFailed} {
		o.History = append(o.History, delivery.HistoryEntry{Status: status, At: at})
	}
	want := board.Row{
		PartnerID: "par_00000001", OrderID: "ord_X", PartnerOrderID: "A-1042", Status: delivery.StatusOutForDelivery,
		Version: 8, CreatedAt: at, UpdatedAt: at.Add(time.Hour), EstimatedDelivery: at.Add(48 * time.Hour),
		Pickup:   delivery.Window{Start: at, End: at.Add(3 * time.Hour)},
		Dropoff:  delivery.Window{Start: at.Add(24 * time.Hour), End: at.Add(27 * time.Hour)},
		Failures: 2, ServiceLevel: delivery.Express, Zone: "M5H", City: "Toronto", CourierID: "cou_1",
		Recipient: "Alex Martin", Street: "1 Rue Principale", Flags: board.FlagFragile,
		Search: strings.Join([]string{
			"ord_x", "a-1042", "ref", "alex martin", "toronto", "1 rue principale", "app. 2", "15145550100", "p-1", "0123",
		}, "\n"),
	}
	if got := *board.Of(o); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestSearchFoldsNamesAndStreets finds names and streets however they are typed, and others
// by what they are.
func TestSearchFoldsNamesAndStreets(t *testing.T) {
	t.Parallel()
	o := testkit.Order("par_00000001", "ord_X", "A-1042", testkit.Epoch)
	o.Dropoff.Name, o.Dropoff.Address.Line1, o.Dropoff.Address.City = "Jean-Pierre Côté-Lœuf", "12, rue de l’Église",
		"Saint-Jérôme"
	search := board.Of(o).Search
	for _, typed := range []string{
		"jean pierre", "Jean-Pierre", "cote loeuf", "CÔTÉ LŒUF", "rue de l'eglise", "saint jerome", "Saint‑Jérôme", "A-1042",
	} {
		if !strings.Contains(search, board.Fold(typed)) && !strings.Contains(search, strings.ToLower(typed)) {
			t.Errorf("%q: got nothing in %q, want it found", typed, search)
		}
	}
	if strings.Contains(search, "a 1042") {
		t.Errorf("got %q, want numbers of orders only as they are", search)
	}
}

// TestRowHasEveryColumn fails for a column that Of has been forgotten in.
func TestRowHasEveryColumn(t *testing.T) {
	t.Parallel()
	var o delivery.Order
	testkit.Fill(&o)
	o.History = []delivery.HistoryEntry{{Status: delivery.StatusFailed}}
	o.Course.Request.State = delivery.RequestOpen
	o.Course.Origin = nil // nothing is collected for a return
	row := reflect.ValueOf(*board.Of(&o))
	for i := range row.NumField() {
		if row.Field(i).IsZero() {
			t.Errorf("%s: got no value, want one", row.Type().Field(i).Name)
		}
	}
}

func TestPhoneDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"+1 (514) 555-0100": "15145550100", "514.555.0100": "5145550100", "555-0100": "5550100",
		"514\u00a0555-0100": "5145550100", "5145550100": "", "A-1042": "", "5-1": "", "": "", "1200, rue Peel": "",
	} {
		if got := board.PhoneDigits(text); got != want {
			t.Errorf("digits of %q: got %q, want %q", text, got, want)
		}
	}
}

func TestZone(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"M5H 2N2": "M5H", "m5h2n2": "M5H", "H2": "H2", "": ""} {
		if got := board.Zone(delivery.Address{PostalCode: code}); got != want {
			t.Errorf("zone of %q: got %q, want %q", code, got, want)
		}
	}
}

// TestReasonsBeginAndEnd checks the moments at which time makes an order need
// attention. Its windows end after 3 h and 27 h, and it is expected after 48 h.
func TestReasonsBeginAndEnd(t *testing.T) {
	t.Parallel()
	at := testkit.Epoch
	o := testkit.Order("par_00000001", "ord_x", "A-1", at)
	for _, c := range []struct {
		status delivery.Status
		after  time.Duration
		want   []board.Reason
	}{
		{delivery.StatusAccepted, -time.Millisecond, nil},
		{delivery.StatusAccepted, 0, []board.Reason{board.ReasonNoCourier}},
		{delivery.StatusCourierAssigned, 3 * time.Hour, nil},
		{delivery.StatusCourierAssigned, 3*time.Hour + 1, []board.Reason{board.ReasonWindowMissed}},
		{delivery.StatusPickedUp, 27 * time.Hour, nil},
		{delivery.StatusPickedUp, 27*time.Hour + 1, []board.Reason{board.ReasonLate, board.ReasonWindowMissed}},
		{delivery.StatusFailed, 48*time.Hour + 1, []board.Reason{board.ReasonLate, board.ReasonWindowMissed}},
		{delivery.StatusDelivered, 48*time.Hour + 1, nil},
	} {
		row := board.Of(o)
		row.Status = c.status
		if got := row.Reasons(at.Add(c.after), false); !slices.Equal(got, c.want) {
			t.Errorf("%s after %v: got %v, want %v", c.status, c.after, got, c.want)
		}
	}
}

// TestDue checks that an order is due at the end of its window or when it is expected, whichever is earlier.
func TestDue(t *testing.T) {
	t.Parallel()
	at := testkit.Epoch
	o := testkit.Order("par_00000001", "ord_x", "A-1", at)
	if got := board.Of(o).Due(); !got.Equal(at.Add(27 * time.Hour)) {
		t.Errorf("expected after its window: got %v, want the end of the window", got)
	}
	o.EstimatedDelivery = at.Add(26 * time.Hour)
	row := board.Of(o)
	if got := row.Due(); !got.Equal(at.Add(26 * time.Hour)) {
		t.Errorf("expected before the end of its window: got %v, want then", got)
	}
	if got := row.Reasons(at.Add(26*time.Hour+1), true); !slices.Contains(got, board.ReasonLate) {
		t.Errorf("got %v, want %s", got, board.ReasonLate)
	}
}

// TestNothingIsCollectedForReturns checks that the row of a return order has no amount.
func TestNothingIsCollectedForReturns(t *testing.T) {
	t.Parallel()
	o := testkit.Order("par_00000001", "ord_x", "A-1", testkit.Epoch)
	o.COD = &delivery.Money{AmountCents: 4999}
	if got := board.Of(o).COD; got != 4999 {
		t.Errorf("got %d cents, want 4999", got)
	}
	o.Course.Origin = &delivery.Origin{}
	if got := board.Of(o).COD; got != 0 {
		t.Errorf("a return: got %d cents, want 0", got)
	}
}

func TestReasonsByFailuresAndCourier(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failures  int64
		courierID string
		active    bool
		want      []board.Reason
	}{
		{1, "", false, nil},
		{1, "cou_1", true, nil},
		{1, "cou_1", false, []board.Reason{board.ReasonCourierGone}},
		{2, "cou_1", true, []board.Reason{board.ReasonFailedTwice}},
		{3, "cou_1", false, []board.Reason{board.ReasonFailedTwice, board.ReasonCourierGone}},
	} {
		row := board.Of(testkit.Order("par_00000001", "ord_x", "A-1", testkit.Epoch))
		row.Status, row.Failures, row.CourierID = delivery.StatusInTransit, c.failures, c.courierID
		if got := row.Reasons(testkit.Epoch, c.active); !slices.Equal(got, c.want) {
			t.Errorf("%d failures, courier %q active %t: got %v, want %v", c.failures, c.courierID, c.active, got, c.want)
		}
	}
}

// TestReasonsByCourse checks the reasons that come from a request of the partner and from
// edits.
func TestReasonsByCourse(t *testing.T) {
	t.Parallel()
	at := testkit.Epoch
	pickedUp := func(after, recordedAfter time.Duration) delivery.HistoryEntry {
		return delivery.HistoryEntry{
			Status: delivery.StatusPickedUp, At: at.Add(after), RecordedAt: at.Add(recordedAfter),
		}
	}
	edit := delivery.Edit{At: at.Add(time.Hour), Unseen: true}
	seen := delivery.Edit{At: at.Add(time.Hour)}
	requested := func(state delivery.RequestState) delivery.Course {
		return delivery.Course{Request: &delivery.CancellationRequest{State: state}}
	}
	for name, c := range map[string]struct {
		course  delivery.Course
		history []delivery.HistoryEntry
		want    []board.Reason
	}{
		"nothing": {},
		"requested": {
			course: requested(delivery.RequestOpen), want: []board.Reason{board.ReasonCancellationRequested},
		},
		"granted":                 {course: requested(delivery.RequestGranted)},
		"declined":                {course: requested(delivery.RequestDeclined)},
		"edited without a pickup": {course: delivery.Course{Edits: []delivery.Edit{edit}}},
		"edited before the pickup": {
			course:  delivery.Course{Edits: []delivery.Edit{edit}},
			history: []delivery.HistoryEntry{pickedUp(time.Hour, 2*time.Hour)},
		},
		"edited after a pickup that was known": {
			course: delivery.Course{Edits: []delivery.Edit{edit}}, history: []delivery.HistoryEntry{pickedUp(0, time.Minute)},
		},
		"edited after a pickup that was reported later": {
			course: delivery.Course{Edits: []delivery.Edit{edit}}, history: []delivery.HistoryEntry{pickedUp(0, time.Hour)},
			want: []board.Reason{board.ReasonEditedAfterPickup},
		},
		"and confirmed by the courier": {
			course: delivery.Course{Edits: []delivery.Edit{seen}}, history: []delivery.HistoryEntry{pickedUp(0, time.Hour)},
		},
		"edited twice": {
			course:  delivery.Course{Edits: []delivery.Edit{seen, edit}, Request: requested(delivery.RequestOpen).Request},
			history: []delivery.HistoryEntry{pickedUp(0, 2*time.Hour)},
			want:    []board.Reason{board.ReasonCancellationRequested, board.ReasonEditedAfterPickup},
		},
	} {
		o := testkit.Order("par_00000001", "ord_x", "A-1", at)
		o.Status, o.Course, o.History = delivery.StatusInTransit, c.course, append(o.History, c.history...)
		if got := board.Of(o).Reasons(at, true); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
		row := board.Of(o)
		row.Status = delivery.StatusDelivered
		if got := row.Reasons(at, true); len(got) > 0 {
			t.Errorf("%s, delivered: got %v, want none", name, got)
		}
	}
}

// TestReasonsByPicking checks that a short pick needs attention until it is completed or the order ends.
func TestReasonsByPicking(t *testing.T) {
	t.Parallel()
	at := testkit.Epoch
	o := testkit.Order("par_00000001", "ord_x", "A-1", at)
	o.Status = delivery.StatusCourierAssigned
	o.Allocation = []delivery.Take{
		{ProductID: 7, Location: "A-03", Quantity: 3}, {ProductID: 8, Location: "A-03", Quantity: 1},
	}
	check := func(when string, picked int64, want ...board.Reason) {
		t.Helper()
		if got := board.Of(o).Reasons(at, true); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
		if got := board.Of(o).Flags&board.FlagPicked != 0; got != (picked == 4) {
			t.Errorf("%s: got all picked %t, want %t", when, got, picked == 4)
		}
	}
	pick := func(productID, quantity int64, short bool) {
		o.Course.Picking = o.Course.Picking.With(delivery.PickedLine{
			ProductID: productID, Location: "A-03", Quantity: quantity, Short: short, At: at,
		})
	}
	check("at first", 0)
	pick(7, 2, true)
	check("one is missing", 2, board.ReasonShortPick)
	pick(8, 1, false)
	check("another product", 3, board.ReasonShortPick)
	found := o.Course.Picking
	pick(7, 1, false)
	check("completed", 4)
	o.Course.Picking, o.Status = found, delivery.StatusDelivered
	check("delivered", 3)
}
