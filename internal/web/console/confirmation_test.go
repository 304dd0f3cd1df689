package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestConfirmationsAtTheDesk shows on the page of an order whether its courier knows an edit, and
// who has confirmed it.
func TestConfirmationsAtTheDesk(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t)
	metro, v := s.Register(t, "metro"), desk.As(t, "dispatcher").Visit(t)
	id := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	path, waits := "/console/orders/"+id, "Not confirmed by the courier yet"
	shows := func(want bool) {
		t.Helper()
		page := v.Open(t, path).Must(t, 200)
		if got := strings.Contains(string(page.Body), waits); got != want {
			t.Errorf("got a page that says that the courier does not know an edit: %t, want %t", got, want)
		}
	}
	shows(false)
	for _, text := range []string{"Ring twice", "Ring three times"} {
		metro.Call(t, "PATCH", "/v1/orders/"+id, []byte(`{"instructions":"`+text+`"}`),
			"Idempotency-Key", uuid.NewString()).Must(t, 200)
		shows(true)
		version := "4"
		if text == "Ring three times" {
			version = "6"
		}
		desk.Call(t, "POST", "/ops/v1/orders/"+id+"/confirm", []byte(`{"version":`+version+`}`)).Must(t, 200)
		shows(false)
		v.Open(t, path).Shows(t, 200, "Confirmed by "+desk.Email)
	}
}
