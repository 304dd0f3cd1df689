package portal_test

import (
	"net/http"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRequestCancellation requests the cancellation of an order that a courier has, and shows
// how the request stands.
func TestRequestCancellation(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	id := metro.Create(t, testkit.OrderJSON("LIVE-1", "")).Must(t, 201).Text("order_id")
	clerk, reader := metro.As(t, "clerk"), metro.As(t, "reader")
	order := "/portal/orders/" + id
	path := order + "/cancellation-request"

	shows(t, "pending", clerk.Open(t, order).Must(t, http.StatusOK), []string{order + "/cancel"}, []string{path})
	clerk.Open(t, path).Must(t, http.StatusSeeOther)
	for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	reader.Open(t, path).Must(t, http.StatusForbidden)
	shows(t, "picked up", clerk.Open(t, order).Must(t, http.StatusOK), []string{path}, nil)
	asked := clerk.Open(t, path).Must(t, http.StatusOK)
	shows(t, "asked", asked, []string{"Request the cancellation of LIVE-1?"}, nil)
	shows(t, "without a reason", clerk.Send(t, asked, path).Must(t, http.StatusUnprocessableEntity),
		[]string{`id="fault-reason"`}, nil)
	for range 2 {
		if got := clerk.Send(t, asked, path, "reason", "wrong size").Must(t,
			http.StatusSeeOther).Header.Get("Location"); got != order {
			t.Errorf("got to %q, want to the order", got)
		}
	}
	shows(t, "requested", clerk.Open(t, order).Must(t, http.StatusOK), []string{"Cancellation requested", "wrong size"},
		[]string{path})
	desk.Call(t, "POST", "/ops/v1/orders/"+id+"/cancellation-request/answer",
		[]byte(`{"grant":false,"answer":"at the door"}`)).Must(t, http.StatusOK)
	shows(t, "declined", clerk.Open(t, order).Must(t, http.StatusOK),
		[]string{"Cancellation declined", "Reason for the request: <bdi>wrong size</bdi>",
			"Answer of dispatch: <bdi>at the door</bdi>"}, nil)
}
