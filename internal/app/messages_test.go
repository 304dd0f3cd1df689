package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/retention"
)

func messagesPath(courierID string) string { return "/ops/v1/couriers/" + courierID + "/messages" }

// sendMessage sends a courier a message, and returns its id.
func sendMessage(t testing.TB, by *apptest.Operator, courierID, text string) string {
	t.Helper()
	body := fmt.Appendf(nil, `{"text":%q}`, text)
	return by.Call(t, "POST", messagesPath(courierID), body).Must(t, 201).Text("message_id")
}

// messageTexts returns the texts of a list of messages, with a mark behind those that were read.
func messageTexts(answer *apptest.Answer) (all []string) {
	for i := range answer.Len("messages") {
		text := answer.Text("messages", i, "text")
		if answer.JSON("messages", i, "read_at") != nil {
			text += " (read)"
		}
		all = append(all, text)
	}
	return all
}

// TestMessages sends a courier messages, which the courier's round has until they are confirmed.
func TestMessages(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	desk, courier := f.operator.As(t, "dispatcher"), f.operator.As(t, "courier")
	other := f.operator.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Devon Clarke","phone":"+14165550119","vehicle":"bike"}`)).Must(t, 201).Text("courier_id")
	path := messagesPath(courier.CourierID)

	for _, text := range []string{"", `a\u0000b`, strings.Repeat("é", 501)} {
		desk.Call(t, "POST", path, []byte(`{"text":"`+text+`"}`)).Refused(t, 422, "validation_error")
	}
	desk.Call(t, "POST", path, []byte(`{"text":"`+strings.Repeat("é", 500)+`"}`)).Must(t, 201)
	desk.Call(t, "POST", messagesPath("cou_none"), []byte(`{"text":"Hello"}`)).Refused(t, 404, "not_found")
	courier.Call(t, "POST", path, []byte(`{"text":"Hello"}`)).Refused(t, 403, "forbidden")
	f.operator.As(t, "warehouse").Call(t, "POST", path, []byte(`{"text":"Hello"}`)).Refused(t, 403, "forbidden")
	long := desk.Call(t, "GET", path, nil).Must(t, 200).Text("messages", 0, "message_id")
	sent := f.Clock.Now() // the clock of the phone is behind
	early := courier.Call(t, "POST", path+"/"+long+"/read",
		fmt.Appendf(nil, `{"occurred_at":%q}`, timestamp.Format(sent.Add(-time.Hour)))).Must(t, 200)
	if early.Text("read_at") != timestamp.Format(sent) {
		t.Errorf("got %s, want the time at which the message was sent, %s", early.Body, timestamp.Format(sent))
	}

	f.Clock.Advance(time.Minute)
	first := sendMessage(t, desk, courier.CourierID, "Please bring the lamps back first.")
	f.Clock.Advance(time.Minute)
	second := sendMessage(t, desk, courier.CourierID, "Call Camille.")
	sendMessage(t, desk, other, "For Devon")

	round := courier.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	same(t, "the round", messageTexts(round), "Please bring the lamps back first.", "Call Camille.")
	listed := courier.Call(t, "GET", path+"?limit=2", nil).Must(t, 200)
	same(t, "the list", messageTexts(listed), "Call Camille.", "Please bring the lamps back first.")
	rest := courier.Call(t, "GET", path+"?cursor="+listed.Text("next_cursor"), nil).Must(t, 200)
	same(t, "the next page", messageTexts(rest), strings.Repeat("é", 500)+" (read)")
	if by := listed.Text("messages", 0, "by", "email"); by != desk.Email {
		t.Errorf("got %s, want a message by %s", listed.Body, desk.Email)
	}

	// What was read without a connection was read when it was, and the first time stays.
	read := timestamp.Format(f.Clock.Now().Add(-30 * time.Second))
	confirm := func(by *apptest.Operator, courierID, messageID, body string) *apptest.Answer {
		return by.Call(t, "POST", messagesPath(courierID)+"/"+messageID+"/read", []byte(body))
	}
	confirm(courier, courier.CourierID, first, fmt.Sprintf(`{"occurred_at":%q}`, read)).Must(t, 200)
	again := confirm(courier, courier.CourierID, first, `{}`).Must(t, 200)
	if again.Text("read_at") != read {
		t.Errorf("got %s, want the time of the first confirmation, %s", again.Body, read)
	}
	confirm(courier, courier.CourierID, second, `{"occurred_at":"2020-01-01T00:00:00Z"}`).Refused(t, 422,
		"validation_error")
	confirm(courier, courier.CourierID, "none", `{}`).Refused(t, 404, "not_found")
	confirm(courier, other, second, `{}`).Refused(t, 404, "not_found")
	confirm(desk, courier.CourierID, second, `{}`).Refused(t, 403, "forbidden")
	courier.Call(t, "GET", messagesPath(other), nil).Refused(t, 404, "not_found")
	same(t, "the round", messageTexts(courier.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)), "Call Camille.")
	same(t, "the list", messageTexts(desk.Call(t, "GET", path, nil).Must(t, 200)), "Call Camille.",
		"Please bring the lamps back first. (read)", strings.Repeat("é", 500)+" (read)")

	query := "?action=courier.messaged&object_id=" + courier.CourierID
	entries := f.operator.Call(t, "GET", "/ops/v1/audit"+query, nil).Must(t, 200)
	if entries.Len("entries") != 3 || strings.Contains(string(entries.Body), "Camille.") {
		t.Errorf("got %s, want three entries without the texts", entries.Body)
	}
}

// TestMessagesAreRemoved keeps messages for 30 days.
func TestMessagesAreRemoved(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	path, courierID := messagesPath(f.operator.CourierID), f.operator.CourierID
	sendMessage(t, f.operator, courierID, "old")
	f.Clock.Advance(retention.MessagesKept)
	later := f.Operate(t) // the first token has expired
	sendMessage(t, later, courierID, "new")
	f.Sweep(t, retention.Policy{})
	same(t, "before", messageTexts(later.Call(t, "GET", path, nil).Must(t, 200)), "new", "old")
	f.Clock.Advance(time.Second)
	f.Sweep(t, retention.Policy{})
	same(t, "after", messageTexts(later.Call(t, "GET", path, nil).Must(t, 200)), "new")
}

// TestDispatchPhone sets the number at which couriers reach the desk.
func TestDispatchPhone(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	courier, desk := f.operator.As(t, "courier"), f.operator.As(t, "dispatcher")
	phone := func() any {
		t.Helper()
		set := desk.Call(t, "GET", "/ops/v1/settings", nil).Must(t, 200).JSON("dispatch_phone")
		if got := courier.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200).JSON("dispatch_phone"); got != set {
			t.Errorf("got %v in the round, want %v", got, set)
		}
		return set
	}
	change := func(by *apptest.Operator, body string) *apptest.Answer {
		return by.Call(t, "PATCH", "/ops/v1/settings", []byte(body))
	}
	if got := phone(); got != nil {
		t.Errorf("got %v, want no number", got)
	}
	change(f.operator, `{"dispatch_phone":"5550100"}`).Refused(t, 422, "validation_error")
	change(desk, `{"dispatch_phone":"+15145550100"}`).Refused(t, 403, "forbidden")
	courier.Call(t, "GET", "/ops/v1/settings", nil).Refused(t, 403, "forbidden")
	for _, body := range []string{`{"dispatch_phone":"+15145550100"}`, `{}`} {
		change(f.operator, body).Must(t, 200)
		if got := phone(); got != "+15145550100" {
			t.Errorf("after %s: got %v, want the number", body, got)
		}
	}
	change(f.operator, `{"dispatch_phone":null}`).Must(t, 200)
	if got := phone(); got != nil {
		t.Errorf("got %v, want no number", got)
	}
	entries := f.operator.Call(t, "GET", "/ops/v1/audit?action=settings.changed", nil).Must(t, 200)
	if entries.Len("entries") != 2 {
		t.Errorf("got %s, want two entries", entries.Body)
	}
}
