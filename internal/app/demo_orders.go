package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	sample "github.com/dropyard/dropyard/internal/demo"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/web/login"
)

// demoDoors returns how people sign in to the demo with one click; nil unless the service
// is a demo that only this machine can reach.
func (a *App) demoDoors() *login.Demo {
	if !a.config.LocalDemo() {
		return nil
	}
	return &login.Demo{
		Tracking: a.demoTracking,
		Partner:  login.DemoAccount{Email: sample.Shops[0].Email, Password: a.demoPassword("partner")},
		Operator: login.DemoAccount{Email: demoOperatorEmail, Password: a.demoPassword("operator")},
		Courier:  login.DemoAccount{Email: demoCourierEmail, Password: a.demoPassword("courier")},
	}
}

// addDemoOrders adds orders on different steps of their way. If an earlier start was killed half
// way, it adds what is missing.
func (a *App) addDemoOrders(ctx context.Context, seeded *demo) error {
	ctx = demoContext(ctx)
	found, err := a.orders.List(ctx, order.Filter{PartnerID: seeded.PartnerID, Limit: 100})
	if err != nil {
		return err
	}
	for _, one := range demoOrders {
		orderID, err := a.createDemoOrder(ctx, seeded, found.Orders, one)
		if err != nil {
			return err
		}
		if one.status == delivery.StatusOutForDelivery {
			seeded.OrderID = orderID
		}
	}
	return a.keepDemo(ctx, seeded)
}

// createDemoOrder creates an order unless it is among those found, and moves it to its
// status.
func (a *App) createDemoOrder(
	ctx context.Context, seeded *demo, found []*delivery.Order, one demoOrder,
) (orderID string, err error) {
	status := delivery.StatusPending
	at := slices.IndexFunc(found, func(o *delivery.Order) bool { return o.PartnerOrderID == one.reference })
	if at >= 0 {
		orderID, status = found[at].OrderID, found[at].Status
	} else {
		created, err := a.placeDemoOrder(ctx, seeded.PartnerID, one, a.Now())
		if err != nil {
			return "", err
		}
		orderID = record.OrderID(created.Record)
	}
	way := delivery.Statuses[:slices.Index(delivery.Statuses, one.status)+1]
	for _, next := range way[slices.Index(way, status)+1:] {
		move := order.Advance{Status: next}
		if next == delivery.StatusCourierAssigned {
			move.CourierID = seeded.CourierID
		}
		if _, err := a.orders.Advance(ctx, nil, orderID, move); err != nil {
			return "", err
		}
	}
	return orderID, nil
}

// demoOrder is an order of the demo.
type demoOrder struct {
	reference string
	status    delivery.Status // that the demo moves it to
	level     delivery.ServiceLevel
	hours     int    // from now to the pickup, negative for one that has passed
	to        string // the destination: name, address and what else the dropoff holds, in JSON
	parcel    string // what is in its parcel
	simulated string // its reference, by which the simulation decides; empty for none
}

// demoOrders are the orders that the demo begins with.
var demoOrders = []demoOrder{
	{"ÉPI-1041", delivery.StatusDelivered, delivery.Express, -7, demoAlex, "Coffee and syrup", ""},
	{"ÉPI-1042", delivery.StatusOutForDelivery, delivery.Express, -3, demoChloe, "Groceries", ""},
	{"ÉPI-1043", delivery.StatusAccepted, delivery.Standard, 20, demoSam, "Wool blanket", ""},
	{"ÉPI-1044", delivery.StatusPending, delivery.Express, 26, demoAlex, "Coffee", ""},
}

const (
	demoAlex  = `"name":"Alex Martin","phone":"+14165550123","email":"alex@example.com","address":{"line1":"100 Queen St W","city":"Toronto","province":"ON","postal_code":"M5H 2N2","country":"CA","notes":"Ring twice"}`
	demoChloe = `"name":"Chloé Gagnon","phone":"+15145550144","email":"chloe@example.com","address":{"line1":"12 Avenue du Parc","city":"Montréal","province":"QC","postal_code":"H2X 1Y4","country":"CA"}`
	demoSam   = `"name":"Sam Roy","phone":"+16135550166","email":"sam@example.com","address":{"line1":"111 Wellington St","city":"Ottawa","province":"ON","postal_code":"K1A 0A9","country":"CA"}`
)

// demoPickup is where the orders of the demo come from.
const demoPickup = `"name":"Epicerie Demo","phone":"+15145550100","email":"shop@example.com",` +
	`"address":{"line1":"4000 Rue Saint-Denis","city":"Montreal","province":"QC","postal_code":"H2W 2M5","country":"CA"}`

// request returns the order as partners send it.
func (one demoOrder) request(now time.Time) string {
	start := now.UTC().Truncate(time.Hour).Add(time.Duration(one.hours) * time.Hour)
	return fmt.Sprintf(
		`{"partner_order_id":%q,"reference":%q,"service_level":%q,"pickup":{%s,"time_window":%s},"dropoff":{%s,"time_window":%s},`+
			`"parcels":[{"parcel_id":"P-1","description":%q,"length_cm":30,"width_cm":20,"height_cm":20,"weight_kg":2.5,"value_cents":4500}]}`,
		one.reference, one.simulated, one.level, demoPickup, window(start, 3), one.to, window(start.Add(2*time.Hour), 5),
		one.parcel,
	)
}

// window returns a window of some hours.
func window(start time.Time, hours int) string {
	return fmt.Sprintf(`{"start":%q,"end":%q}`, start.Format(time.RFC3339),
		start.Add(time.Duration(hours)*time.Hour).Format(time.RFC3339))
}

// pastedOrder returns a valid order on one line, to be picked up tomorrow. Its
// partner_order_id differs at every start, so that it can be pasted after each.
func pastedOrder(now time.Time) string {
	day := now.AddDate(0, 0, 1).Format(time.DateOnly)
	return fmt.Sprintf(`{"partner_order_id":"DEMO-%[1]d","service_level":"express",`+
		`"pickup":{%[3]s,"time_window":{"start":"%[2]sT09:00:00-05:00","end":"%[2]sT12:00:00-05:00"}},`+
		`"dropoff":{%[4]s,"time_window":{"start":"%[2]sT13:00:00-05:00","end":"%[2]sT18:00:00-05:00"}},`+
		`"parcels":[{"parcel_id":"P-1","description":"Books","length_cm":30,"width_cm":20,"height_cm":10,"weight_kg":2.5,"value_cents":4500},`+
		`{"parcel_id":"P-2","description":"Lamp","length_cm":40,"width_cm":40,"height_cm":60,"weight_kg":3,"value_cents":12000,"fragile":true}],`+
		`"items":[{"product_id":1,"quantity":2}]}`, now.Unix(), day, demoPickup, demoAlex)
}
