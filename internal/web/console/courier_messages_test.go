package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestCourierMessages sends a courier a message by the form of the courier's page, which shows when it was read.
func TestCourierMessages(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	operator := s.Operate(t)
	courier, desk := operator.As(t, "courier"), operator.As(t, "dispatcher").Visit(t)
	path := "/console/couriers/" + courier.CourierID
	first := desk.Open(t, path)
	desk.Send(t, first, path+"/messages", "text", " ").Shows(t, http.StatusUnprocessableEntity, `id="fault-text"`)
	desk.Send(t, first, path+"/messages", "text", strings.Repeat("é", 501)).Shows(t, http.StatusUnprocessableEntity,
		`id="fault-text"`)
	lines := strings.Repeat("é\r\n", 249) + "é" // as a browser sends 499 characters
	desk.Send(t, desk.Open(t, path), path+"/messages", "text", lines+"!").Leads(t, path+"#messages")
	sent := courier.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, http.StatusOK)
	if got := sent.Text("messages", 0, "text"); got != strings.Repeat("é\n", 249)+"é!" {
		t.Errorf("got the message %q, want its lines as they were typed", got)
	}
	id := sent.Text("messages", 0, "message_id")
	courier.Call(t, "POST", "/ops/v1/couriers/"+courier.CourierID+"/messages/"+id+"/read", []byte(`{}`)).Must(t,
		http.StatusOK)
	for range 2 { // the form is sent twice
		desk.Send(t, first, path+"/messages", "text", "Call <b>me</b>, please.").Leads(t, path+"#messages")
	}
	shown := desk.Open(t, path)
	shown.Shows(t, http.StatusOK, "Call &lt;b&gt;me&lt;/b&gt;, please.", "not read yet", "dispatcher@example.com")
	if n := strings.Count(string(shown.Body), "please."); n != 1 {
		t.Errorf("got the message %d times, want it once", n)
	}
	messages := courier.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, http.StatusOK)
	id = messages.Text("messages", 0, "message_id")
	courier.Call(t, "POST", "/ops/v1/couriers/"+courier.CourierID+"/messages/"+id+"/read", []byte(`{}`)).Must(t,
		http.StatusOK)
	read := desk.Open(t, path)
	read.Shows(t, http.StatusOK, "read <time")
	lacks(t, read, "not read yet")
}

// TestDispatchPhonePage sets the number of the desk by a form, and removes it.
func TestDispatchPhonePage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	operator := s.Operate(t)
	admin := operator.As(t, "admin").Visit(t)
	const page, path = "/console/settings", "/console/settings/phone"
	first, stale := admin.Open(t, page), admin.Open(t, page)
	admin.Send(t, first, path, "dispatch_phone", "12").Shows(t, http.StatusUnprocessableEntity,
		"Enter a phone number with its country code", `value="12"`)
	admin.Send(t, first, path, "dispatch_phone", " (514) 555-0100 ").Leads(t, page)
	set := admin.Open(t, page)
	set.Shows(t, http.StatusOK, `value="&#43;15145550100"`, "The app has the number")
	admin.Send(t, stale, path, "dispatch_phone", "+15145550199").Leads(t, page)
	set = admin.Open(t, page)
	set.Shows(t, http.StatusOK, "Someone else changed this", `value="&#43;15145550100"`)
	admin.Send(t, set, path, "dispatch_phone", "").Leads(t, page)
	if got := operator.Call(t, "GET", "/ops/v1/settings", nil).Must(t, http.StatusOK); got.JSON("dispatch_phone") != nil {
		t.Errorf("got %s, want no number", got.Body)
	}
}
