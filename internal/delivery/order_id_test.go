package delivery_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func drawTime(t *rapid.T, label string) time.Time {
	return time.UnixMilli(rapid.Int64Range(0, 4_000_000_000_000).Draw(t, label))
}

// drawBytes returns a source of n bytes, often with many zeros or ones.
func drawBytes(t *rapid.T, n int) *bytes.Reader {
	return bytes.NewReader(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7f, 0xff}), n, n).Draw(t, "random"))
}

func TestOrderIDs(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		partnerID, err := delivery.NewPartnerID(drawBytes(t, 5))
		if err != nil {
			t.Fatal(err)
		}
		earlier, later := drawTime(t, "time"), drawTime(t, "other time")
		if later.Before(earlier) {
			earlier, later = later, earlier
		}
		var ids [2]string
		for i, at := range []time.Time{earlier, later} {
			if ids[i], err = delivery.NewOrderID(drawBytes(t, 9), partnerID, at); err != nil {
				t.Fatal(err)
			}
			first, err := delivery.FirstOrderID(partnerID, at)
			if err != nil || first > ids[i] || len(first) != len(ids[i]) {
				t.Fatalf("FirstOrderID at %v: got %s, %v, want at most %s, of equal length", at, first, err, ids[i])
			}
			if next, _ := delivery.FirstOrderID(partnerID, at.Add(time.Millisecond)); next <= ids[i] {
				t.Fatalf("FirstOrderID of the next millisecond: got %s, want more than %s", next, ids[i])
			}
			if owner, ok := delivery.PartnerOfOrder(ids[i]); owner != partnerID || !ok {
				t.Fatalf("PartnerOfOrder(%s): got %s, want %s", ids[i], owner, partnerID)
			}
			if got, ok := delivery.TimeOfOrder(ids[i]); !got.Equal(at.Truncate(time.Millisecond)) || !ok {
				t.Fatalf("TimeOfOrder(%s): got %v, want %v", ids[i], got, at)
			}
		}
		if earlier.Before(later) && ids[0] >= ids[1] {
			t.Fatalf("got %s at %v and %s at %v, want them in the order of time", ids[0], earlier, ids[1], later)
		}
	})
}

func TestFirstOrderIDRanges(t *testing.T) {
	t.Parallel()
	low, err := delivery.FirstOrderID("par_00000001", time.UnixMilli(1<<47))
	high, err2 := delivery.FirstOrderID("par_00000002", time.UnixMilli(0))
	if err != nil || err2 != nil || low >= high {
		t.Errorf("got %s (%v) for the last id of one partner, %s (%v) for the first of the next, want them in this order",
			low, err, high, err2)
	}
	before, err := delivery.FirstOrderID("par_00000001", time.Unix(-5, 0))
	if first, _ := delivery.FirstOrderID("par_00000001", time.Unix(0, 0)); err != nil || before != first {
		t.Errorf("a time before 1970: got %s, %v, want %s", before, err, first)
	}
}

func TestMalformedIDs(t *testing.T) {
	t.Parallel()
	good, err := delivery.NewOrderID(repeatable.Reader(t), "par_3ebmvgjr", time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{
		"", "ord_", "par_3ebmvgjr", good[4:], good[:len(good)-1], good + "0", good + "\n", " " + good,
		strings.ToUpper(good), "ORD_" + good[4:], good[:len(good)-1] + "u", good[:len(good)-1] + "é", good[:len(good)-1] +
			"\x00",
	} {
		if owner, ok := delivery.PartnerOfOrder(id); ok || owner != "" {
			t.Errorf("PartnerOfOrder(%q): got %q, %v, want none", id, owner, ok)
		}
	}
	for _, id := range []string{
		"", "p", "par_", "par_3ebmvgj", "par_3ebmvgjr0", "par_3ebmvgju", "par_3EBMVGJR", "key_3ebmvgjr", good,
	} {
		if orderID, err := delivery.NewOrderID(repeatable.Reader(t), id, time.Unix(1, 0)); err == nil {
			t.Errorf("NewOrderID for %q: got %s, want an error", id, orderID)
		}
		if first, err := delivery.FirstOrderID(id, time.Unix(1, 0)); err == nil {
			t.Errorf("FirstOrderID for %q: got %s, want an error", id, first)
		}
	}
}

func TestIDsNeedRandomness(t *testing.T) {
	t.Parallel()
	if _, err := delivery.NewPartnerID(strings.NewReader("1234")); err == nil {
		t.Error("a partner id of 4 random bytes: got no error")
	}
	if _, err := delivery.NewOrderID(strings.NewReader("12345678"), "par_3ebmvgjr", time.Unix(1, 0)); err == nil {
		t.Error("an order id of 8 random bytes: got no error")
	}
}
