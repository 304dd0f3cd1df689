package upgrade_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// live adds what comes after the creation of orders: books, cash at the door, an edit, a request to cancel, orders that
// are brought back, further endpoints, and what the desk sets. It returns the paths whose answers a release keeps.
func (f *fixture) live(t *testing.T, partner *apptest.Partner, operator *apptest.Operator, lamp int) (paths []string) {
	t.Helper()
	books := "/ops/v1/partners/" + f.PartnerID
	for _, set := range []struct{ method, path, body string }{
		{"PUT", "/ops/v1/firm", `{"name":"Livraisons Plateau inc.","address":"4200 Rue Saint-Denis\nMontréal QC  H2J 2K8",
			"numbers":{"gst_hst":"123456789 RT0001","qst":"1234567890 TQ0001"}}`},
		{"PATCH", "/ops/v1/books", `{"books_from":"2020-01-01"}`},
		{"PATCH", "/ops/v1/settings", `{"dispatch_phone":"+15145550100"}`},
		{"PUT", books + "/dispatch", `{"auto_accept":false}`},
		{"PUT", "/ops/v1/locations/HUB-1", `{"name":"Dépôt Nord","phone":"+15145550199","email":"depot@example.com",
			"address":{"line1":"9000 Boulevard Saint-Laurent","city":"Montréal","province":"QC","postal_code":"H2N 1M5",
			"country":"CA"}}`},
	} {
		operator.Call(t, set.method, set.path, []byte(set.body)).Must(t, 200)
	}
	operator.Call(t, "POST", "/ops/v1/couriers/"+f.CourierID+"/messages", []byte(`{"text":"Call Camille."}`)).Must(t, 201)
	partner.Call(t, "POST", "/v1/webhooks/endpoints",
		[]byte(`{"url":"https://hooks.example.com/stock","events":["stock.low","stock.changed"],"enabled":false}`)).Must(t, 201)

	order := func(reference, cod, items string, steps ...string) string {
		body := bytes.Replace(testkit.OrderJSON(reference, items), []byte(`"reference":`), []byte(cod+`"reference":`), 1)
		id := partner.Create(t, body).Must(t, 201).Text("order_id")
		for _, status := range steps {
			operator.Move(t, id, status).Must(t, 200)
		}
		paths = append(paths, "/v1/orders/"+id, "/track/"+id, "/ops/v1/orders/"+id)
		return id
	}
	keyed := func(method, path, body string) *apptest.Answer {
		return partner.Call(t, method, path, []byte(body), "Idempotency-Key", uuid.NewString())
	}
	lamps := fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp)
	toDoor := []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"}

	edited := order("B-edited", "", lamps, "accepted")
	keyed("PATCH", "/v1/orders/"+edited, fmt.Sprintf(
		`{"instructions":"Ring twice","items":[{"product_id":%d,"quantity":1}]}`, lamp)).Must(t, 200)
	asked := order("B-asked", "", "", toDoor[:3]...)
	keyed("POST", "/v1/orders/"+asked+"/cancellation-request", `{"reason":"sold"}`).Must(t, 202)
	paid := order("B-paid", `"cod":{"amount_cents":4999,"currency":"CAD"},`, "", toDoor...)
	operator.Call(t, "POST", "/ops/v1/orders/"+paid+"/status", []byte(
		`{"status":"delivered","collected":{"amount_cents":4999,"currency":"CAD","method":"cash","notes":"exact"}}`)).Must(t, 200)
	operator.Call(t, "POST", "/ops/v1/couriers/"+f.CourierID+"/cash/hand-ins", []byte(
		`{"counted_cents":4999,"kept_cents":0,"currency":"CAD"}`)).Must(t, 201)
	operator.Call(t, "POST", books+"/adjustments", fmt.Appendf(nil,
		`{"amount_cents":-500,"order_id":%q,"reason":"late"}`, paid)).Must(t, 201)
	operator.Call(t, "POST", books+"/payments", []byte(`{"amount_cents":1000}`)).Must(t, 201)
	back := keyed("POST", "/v1/orders/"+paid+"/returns", `{"reason":"too large","to":"sender",
		"pickup":{"time_window":{"start":"2026-01-19T09:00:00-05:00","end":"2026-01-19T17:00:00-05:00"}}}`).Must(t, 201).
		Text("order_id")
	for i, lines := range []string{"", fmt.Sprintf(`{"product_id":%d,"quantity":2,"disposition":"sellable"},
		{"product_id":%[1]d,"quantity":1,"disposition":"missing"}`, lamp)} {
		id := order(fmt.Sprint("B-failed-", i), "", lamps, append(toDoor, "failed", "cancelled")...)
		if lines != "" {
			operator.Call(t, "POST", "/ops/v1/orders/"+id+"/return/receive",
				[]byte(`{"location":"TOR-1","lines":[`+lines+`]}`)).Must(t, 200)
		}
	}
	return append(paths, "/v1/orders/"+back, "/ops/v1/orders/"+back, "/v1/webhooks/endpoints",
		"/ops/v1/firm", "/ops/v1/books", "/ops/v1/settings", "/ops/v1/locations", "/ops/v1/journal", "/ops/v1/balances",
		"/ops/v1/cash", "/ops/v1/couriers/"+f.CourierID+"/cash", "/ops/v1/couriers/"+f.CourierID+"/messages",
		"/ops/v1/returns", "/ops/v1/picks", books+"/dispatch", books+"/statement-preview?period=2026-01")
}
