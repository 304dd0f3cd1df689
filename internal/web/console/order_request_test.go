package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestRequestAtTheDesk answers requests of a partner on the pages of their orders, and shows
// who made which move although requests raise the version, too.
func TestRequestAtTheDesk(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t)
	metro, v := s.Register(t, "metro"), desk.As(t, "dispatcher").Visit(t)
	for i, granted := range []bool{true, false} {
		id := metro.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201).Text("order_id")
		path := "/console/orders/" + id
		for _, status := range []string{"accepted", "courier_assigned"} {
			desk.Move(t, id, status).Must(t, http.StatusOK)
		}
		metro.Call(t, "POST", "/v1/orders/"+id+"/cancellation-request", []byte(`{"reason":"wrong size"}`),
			"Idempotency-Key", uuid.NewString()).Must(t, http.StatusAccepted)
		asked := v.Open(t, path).Must(t, http.StatusOK)
		asked.Shows(t, 200, "Cancellation requested", "wrong size", path+`/cancellation-request"`)
		stale := v.Open(t, path).Must(t, http.StatusOK)
		if !granted {
			v.Send(t, asked, path+"/cancellation-request", "grant", "false", "answer", " ").Shows(t, 422,
				"Needed to decline", "Enter why. The partner sees it.", `id="fault-answer"`)
		}
		send := func(asked *apptest.Answer) {
			t.Helper()
			v.Send(t, asked, path+"/cancellation-request", "grant", fmt.Sprint(granted), "answer", "by phone").Leads(t, path)
		}
		send(asked)
		want := "The cancellation is declined."
		if granted {
			want = "The order is cancelled as requested."
		}
		v.Open(t, path).Shows(t, 200, want, "Reason for the request: <bdi>wrong size</bdi>",
			"Answer of dispatch: <bdi>by phone</bdi>")
		send(stale)
		v.Open(t, path).Shows(t, 200, "No request of the partner awaits an answer here.")
		if !granted {
			v.Send(t, v.Open(t, path).Must(t, http.StatusOK), path+"/moves/picked_up").Leads(t, path)
			v.Open(t, path).Shows(t, 200, "· dispatcher@example.com")
		}
	}
}
