package delivery_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// broken returns the field and the expectation of the only fault of an order with a text at a
// path; empty if it has none.
func broken(t *testing.T, path, text string) string {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	_, problems := read(parse(t, set(t, orderBody, path, string(quoted))), delivery.ReadOrderRequest)
	switch len(problems) {
	case 0:
		return ""
	case 1:
		details := detailsOf(t, problems)
		return details.Field + ": " + details.Expected
	default:
		return fmt.Sprint(problems)
	}
}

// TestBlankTexts: a required text in which nothing can be seen is refused, with the reason.
func TestBlankTexts(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"partner_order_id", "pickup.name", "dropoff.name", "dropoff.address.line1", "dropoff.address.city",
		"parcels[0].parcel_id", "parcels[0].description",
	} {
		for _, blank := range []string{
			" ", "   ", "\t\n", "\u00a0", "\u2003\u3000", "\u200b", "\ufeff\u2060", "\u00ad", "\u3164", "\u2800",
		} {
			if got, want := broken(t, path, blank), path+": a text that is not blank"; got != want {
				t.Errorf("%s %q: got %q, want %q", path, blank, got, want)
			}
		}
		for _, text := range []string{"x", "x y", "山", "-"} {
			if got := broken(t, path, text); got != "" {
				t.Errorf("%s %q: got %q, want it accepted", path, text, got)
			}
		}
	}
}

// TestOuterSpace: what identifies something neither begins nor ends with white space. Other
// texts may.
func TestOuterSpace(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"A ", " A", "A\u00a0", "\ufeffA", "A\n", "\u200bA"} {
		for _, path := range []string{"partner_order_id", "parcels[0].parcel_id"} {
			if got, want := broken(t, path, text), path+": a text that does not begin or end with white space"; got != want {
				t.Errorf("%s %q: got %q, want %q", path, text, got, want)
			}
		}
		if got := broken(t, "dropoff.name", text); got != "" {
			t.Errorf("dropoff.name %q: got %q, want it accepted", text, got)
		}
	}
}

// TestOwnNames: names of accounts, couriers and people cannot be blank.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "own_name", " ": "not_blank", "\u200b": "not_blank", "\u00a0": "not_blank", "a\nb": "own_name", "Zoë": "",
		"山": "",
	} {
		rule := ""
		if !delivery.OwnNameRule.Allows(text) {
			rule = delivery.OwnNameRule.Broken(text).Code()
		}
		if rule != want {
			t.Errorf("%q: got the rule %q, want %q", text, rule, want)
		}
	}
}

// TestWindowTimes: a window may be in any form of ISO 8601 with an offset. One of length zero is
// refused with a reason of its own.
func TestWindowTimes(t *testing.T) {
	t.Parallel()
	const path = "pickup.time_window.end" // it begins at 09:00 -05:00
	for text, want := range map[string]string{
		"2026-03-02T12:00-05:00":    "",
		"2026-03-02T12:00:00-0500":  "",
		"2026-03-02t17:00z":         "",
		"2026-03-02T11:59:60-05:00": "",
		"2026-03-02T12:00":          path + ": an RFC 3339 date-time with offset, from 1970 on",
		"2026-03-02T09:00-0500":     path + ": a time after start: a time window of length zero is no time to come",
		"2026-03-02T08:00-0500":     path + ": a time after start",
	} {
		if got := broken(t, path, text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
