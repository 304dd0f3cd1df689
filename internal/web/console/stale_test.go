package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestStaleFormNamesTheChange sends the form of an operator after another admin has
// changed the role.
func TestStaleFormNamesTheChange(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	second, dispatcher := admin.As(t, "admin"), admin.As(t, "dispatcher")
	path := "/console/operators/" + dispatcher.OperatorID
	v := admin.Visit(t)
	stale := v.Open(t, path)
	s.Clock.Advance(time.Second) // changes of one millisecond have no order
	second.Call(t, "PATCH", "/ops/v1/operators/"+dispatcher.OperatorID, []byte(`{"role":"warehouse"}`)).Must(t, 200)
	v.Send(t, stale, path, "role", "admin").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "Latest change: just now, by admin@example.com.", `value="warehouse" required checked`)
}

// TestFormsAtTheSameTime has two admins send each form of a record at the same time: one
// changes the record, and the other learns that the form was stale.
func TestFormsAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	partner := s.Register(t, "metro")
	product := admin.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 1})
	desks := []*apptest.Visitor{admin.Visit(t), admin.As(t, "admin").Visit(t)}
	courier, keeper := "/console/couriers/"+admin.CourierID, "/console/operators/"+admin.As(t, "warehouse").OperatorID
	account, goods := "/console/partners/"+partner.PartnerID, fmt.Sprintf("/console/stock/%s/products/%d",
		partner.PartnerID, product)
	for _, c := range []struct {
		page, form string
		values     [2][]string
	}{
		{courier, courier, [2][]string{{"vehicle", "van"}, {"vehicle", "bike"}}},
		{courier, courier + "/active", [2][]string{}},
		{keeper, keeper, [2][]string{{"role", "dispatcher"}, {"role", "admin"}}},
		{account, account + "/limits", [2][]string{{"orders_per_day", "10"}, {"orders_per_day", "20"}}},
		{account, account + "/suspend", [2][]string{{"suspended_reason", "one"}, {"suspended_reason", "two"}}},
		{account, account + "/dispatch", [2][]string{{"auto_accept", "yes"}, {"auto_accept", "yes"}}},
		{goods, goods, [2][]string{{"name", "Lampe"}, {"name", "Luminaire"}}},
		{"/console/settings", "/console/settings", [2][]string{{"operators", "courier"}, {"operators", "warehouse"}}},
	} {
		var sent sync.WaitGroup
		pages := [2]*apptest.Answer{}
		for i, desk := range desks {
			pages[i] = desk.Open(t, c.page).Must(t, http.StatusOK)
		}
		for i, desk := range desks {
			sent.Go(func() { desk.Send(t, pages[i], c.form, c.values[i]...) })
		}
		sent.Wait()
		stale := 0
		for _, desk := range desks {
			if strings.Contains(string(desk.Open(t, c.page).Must(t, http.StatusOK).Body),
				"Someone else changed this while you were editing.") {
				stale++
			}
		}
		if stale != 1 {
			t.Errorf("%s: got %d stale forms of 2, want 1", c.form, stale)
		}
	}
}
