package portal_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOrderComesBack shows on an order's page that its parcels come back, and then what has come back.
func TestOrderComesBack(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	lamp := desk.Stock(t, metro.PartnerID, "Lamp", map[string]int{"MTL-1": 5})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp)
	id := metro.Create(t, testkit.OrderJSON("A-1", items)).Must(t, 201).Text("order_id")
	owner, order := metro.Owner(t), "/portal/orders/"+id
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "failed"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	const due, received = "The parcels are on their way back.", "The parcels are back."
	shows(t, "failed", owner.Open(t, order).Must(t, http.StatusOK), nil, []string{due, received})
	desk.Move(t, id, "cancelled").Must(t, http.StatusOK)
	shows(t, "due", owner.Open(t, order).Must(t, http.StatusOK), []string{due}, []string{received})
	desk.Call(t, "POST", "/ops/v1/orders/"+id+"/return/receive", []byte(fmt.Sprintf(`{"location":"MTL-1","lines":[
		{"product_id":%d,"quantity":2,"disposition":"sellable"},{"product_id":%[1]d,"quantity":1,"disposition":"missing"}]}`,
		lamp))).Must(t, http.StatusOK)
	shows(t, "received", owner.Open(t, order).Must(t, http.StatusOK),
		[]string{received, "2 × Lamp · sellable", "1 × Lamp · missing"}, []string{due, "MTL-1"})
}
