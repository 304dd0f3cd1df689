package orderform

import (
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

// fill proposes values: those of the order with an id, or the pickup of the latest order.
// The metadata of an order is not copied, because it belongs to the system that wrote it.
func (o *New) fill(from string) error {
	o.Set("partner_order_id", "WEB-"+o.Now.UTC().Format("20060102")+"-"+strings.ToUpper(o.Sent.Key[:6]))
	o.Set("service_level", string(delivery.Standard))
	for _, name := range []string{"cod", "insurance"} {
		o.Set(name+".currency", string(delivery.CAD))
	}
	if from == "" {
		return o.fillPickup()
	}
	copied, err := o.Orders.Get(o.Sheet.Context(), o.PartnerID, from)
	if err != nil {
		return err
	}
	o.Set("service_level", string(copied.ServiceLevel))
	o.Set("reference", copied.Reference)
	o.Set("instructions", copied.Instructions)
	o.FillContact("pickup", copied.Pickup)
	o.FillContact("dropoff", copied.Dropoff)
	o.fillWindows(copied)
	for i := range copied.Parcels {
		o.FillParcel(i, &copied.Parcels[i])
	}
	for i, item := range copied.Items {
		o.Set(Row("items", i)+".product_id", strconv.FormatInt(item.ProductID, 10))
		o.Set(Row("items", i)+".quantity", strconv.FormatInt(item.Quantity, 10))
	}
	o.FillMoney("cod", copied.COD)
	o.FillMoney("insurance", copied.Insurance)
	return nil
}

// fillPickup proposes the pickup of the account's latest order.
func (o *New) fillPickup() error {
	latest, err := o.Orders.List(o.Sheet.Context(), order.Filter{PartnerID: o.PartnerID, Limit: 1})
	if err != nil || len(latest.Orders) == 0 || latest.Orders[0].Damage != nil {
		return err
	}
	o.FillContact("pickup", latest.Orders[0].Pickup)
	return nil
}

// fillWindows proposes the windows of an order, later by as many whole days as it takes
// for the first one to begin in the future.
func (o *New) fillWindows(copied *delivery.Order) {
	clock := o.Clock(copied.Pickup.Address)
	start := copied.Pickup.Window.Start.In(clock)
	days := max(0, int(o.Now.Sub(start)/(24*time.Hour)))
	for !start.AddDate(0, 0, days).After(o.Now) {
		days++
	}
	for end, contact := range map[string]delivery.Contact{"pickup": copied.Pickup, "dropoff": copied.Dropoff} {
		clock := o.Clock(contact.Address)
		o.Set(end+".time_window.start", contact.Window.Start.In(clock).AddDate(0, 0, days).Format(TimeLayout))
		o.Set(end+".time_window.end", contact.Window.End.In(clock).AddDate(0, 0, days).Format(TimeLayout))
	}
}
