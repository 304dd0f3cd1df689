package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// TestTrackingExplainsFailedAttempts: recipients read why an attempt failed in one of
// a few words, and never what an operator wrote.
func TestTrackingExplainsFailedAttempts(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for i, c := range []struct{ reason, next, want string }{
		{"not_home", "2026-03-07T15:00:00.000Z", "not_home"},
		{"damaged", "", "damaged"},
		{"Alex slammed the door, +14165550123", "2026-03-07T15:00:00.000Z", "other"},
	} {
		id := f.orderIn(t, fmt.Sprintf("F-%d", i), delivery.StatusOutForDelivery)
		move := fmt.Sprintf(`{"status":"failed","failure_reason":%q,"next_attempt":%q}`, c.reason, c.next)
		move = strings.Replace(move, `,"next_attempt":""`, "", 1)
		f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status", []byte(move)).Must(t, 200)
		tracked := f.Do(t, "GET", "/track/"+id, nil).Must(t, 200)
		next, _ := tracked.JSON("failed_attempt", "next_attempt").(string)
		if got := tracked.Text("failed_attempt", "reason"); got != c.want || next != c.next {
			t.Errorf("%q: got reason %q, next attempt %q, want %q, %q", c.reason, got, next, c.want, c.next)
		}
		page := f.Do(t, "GET", "/track/"+id+"/html", nil).Must(t, 200)
		if strings.Contains(string(tracked.Body)+string(page.Body), "slammed") {
			t.Errorf("got %s and %s, want them without what the operator wrote", tracked.Body, page.Body)
		}
		f.operator.Move(t, id, "out_for_delivery").Must(t, 200)
		if again := f.Do(t, "GET", "/track/"+id, nil).Must(t, 200); again.JSON("failed_attempt") != nil {
			t.Errorf("out for delivery again: got %s, want no failed attempt", again.Body)
		}
	}
}
