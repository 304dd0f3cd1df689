package dispatch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestWhatEnds: the store and the documents name the final states as they are
// named here.
func TestWhatEnds(t *testing.T) {
	t.Parallel()
	if want := []delivery.Status{delivery.StatusDelivered, delivery.StatusCancelled}; !slices.Equal(final, want) {
		t.Errorf("final are %v", final)
	}
	if len(OpenStatuses)+len(final) != len(delivery.Statuses) || IsOpen(delivery.StatusDelivered) || !IsOpen(delivery.StatusFailed) {
		t.Errorf("open are %v", OpenStatuses)
	}
	for _, status := range AtPickup {
		if slices.Contains(delivery.NextStatuses(status), delivery.StatusInTransit) {
			t.Errorf("%s is no longer at the pickup", status)
		}
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	const id = "ord_7dqv2m8ke61r0bnc5xyt4wzj39fhgsap"
	for _, at := range []time.Time{time.UnixMicro(0).UTC(), testkit.Epoch, time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)} {
		cursor := Cursor{at, id}
		if got, ok := ParseCursor(cursor.String()); !ok || got != cursor {
			t.Errorf("%v became %v, %t", cursor, got, ok)
		}
	}
	for _, text := range []string{"", "1", "." + id, "-1." + id, "1." + id + "x", "x." + id, strings.Repeat("1", 19) + "." + id} {
		if got, ok := ParseCursor(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
	if (Cursor{}).String() != "" {
		t.Error("no cursor has a text")
	}
}

// TestSearchText has all references in lower case, each for itself.
func TestSearchText(t *testing.T) {
	t.Parallel()
	o := testkit.Order("par_00000001", "ord_X", "A-1042", testkit.Epoch)
	got := strings.Split(OpenOf(o).Search, "\n")
	if want := []string{"ord_x", "a-1042", "ref", "alex martin", "toronto", "p-1", "0123"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestReasonsBeginAndEnd at the very moment.
func TestReasonsBeginAndEnd(t *testing.T) {
	t.Parallel()
	at := testkit.Epoch
	o := testkit.Order("par_00000001", "ord_x", "A-1", at) // pickup until 3 h, dropoff from 24 h to 27 h, due after 48 h
	for _, c := range []struct {
		status delivery.Status
		after  time.Duration
		want   []Reason
	}{
		{delivery.StatusAccepted, -time.Millisecond, nil},
		{delivery.StatusAccepted, 0, []Reason{ReasonNoCourier}},
		{delivery.StatusCourierAssigned, 3 * time.Hour, nil},
		{delivery.StatusCourierAssigned, 3*time.Hour + 1, []Reason{ReasonWindowMissed}},
		{delivery.StatusPickedUp, 27 * time.Hour, nil},
		{delivery.StatusPickedUp, 27*time.Hour + 1, []Reason{ReasonWindowMissed}},
		{delivery.StatusFailed, 48*time.Hour + 1, []Reason{ReasonLate, ReasonWindowMissed}},
		{delivery.StatusDelivered, 48*time.Hour + 1, nil},
	} {
		row := OpenOf(o)
		row.Status = c.status
		if got := row.Reasons(at.Add(c.after), Courier{}); !slices.Equal(got, c.want) {
			t.Errorf("%s after %v: %v, want %v", c.status, c.after, got, c.want)
		}
	}
}
