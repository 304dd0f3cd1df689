package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
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

// TestTrackingPageAmountToPay: the page and the mail say what the courier collects, until the order has
// ended; the published JSON does not.
func TestTrackingPageAmountToPay(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	body := bytes.Replace(testkit.OrderJSON("A-1042", ""), []byte(`"reference"`),
		[]byte(`"cod":{"amount_cents":6493,"currency":"CAD"},"reference"`), 1)
	id := f.partner.Create(t, body).Must(t, 201).Text("order_id")
	steps := waysTo[delivery.StatusOutForDelivery]
	for _, step := range steps[:len(steps)-1] {
		f.operator.Move(t, id, step).Must(t, 200)
	}
	page := func(language string) string {
		return string(f.Do(t, "GET", "/track/"+id+"/html?lang="+language, nil).Must(t, 200).Body)
	}
	if got := f.moved(t, server, id, `{"status":"out_for_delivery"}`); !strings.Contains(got.Text, "To pay on delivery: $64.93") {
		t.Errorf("got the mail\n%s\nwant the amount to pay", got.Text)
	}
	for language, want := range map[string]string{
		"en": "<strong>$64.93</strong> to pay on delivery", "fr": "<strong>64,93\u00a0$</strong> à payer à la livraison",
	} {
		if got := page(language); !strings.Contains(got, want) || !strings.Contains(got, "<bdi>A-1042</bdi>") {
			t.Errorf("%s: got\n%s\nwant %q and the number A-1042", language, got, want)
		}
	}
	if got := f.Do(t, "GET", "/track/"+id, nil).Must(t, 200); strings.Contains(string(got.Body), "6493") ||
		strings.Contains(string(got.Body), "A-1042") {
		t.Errorf("got %s, want neither amount nor number", got.Body)
	}
	f.moved(t, server, id, paid(6493, "cash", ""))
	if got := page("en"); strings.Contains(got, "64.93") {
		t.Errorf("delivered: got\n%s\nwant no amount", got)
	}
}
