package record

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Tracked returns what the recipient may know of an order as it is now, without Failed. It
// looks for the few members that it needs, so that most of the record is not decoded.
func Tracked(o *delivery.Stored) (*delivery.Tracked, error) {
	t := &delivery.Tracked{
		PartnerID: o.PartnerID, OrderID: o.OrderID,
		Status: o.Status, EstimatedDelivery: o.EstimatedDelivery, UpdatedAt: o.UpdatedAt,
		IsReturn: o.Course.Origin != nil,
	}
	c := cutter{rest: o.Document}
	t.PartnerOrderID = c.text(`,"partner_order_id":`)
	t.ServiceLevel = delivery.ServiceLevel(c.text(`,"service_level":`))
	t.Origin = c.place(`,"pickup":{`)
	if t.IsReturn {
		t.Collection = c.window()
	}
	t.Destination = c.place(`,"dropoff":{`)
	t.Window = c.window()
	t.Parcels = bytes.Count(c.before(afterParcels), []byte(`{"parcel_id":`))
	t.Promised = c.time(`,"estimated_delivery":`)
	t.CreatedAt = c.time(`,"created_at":`)
	t.COD = c.cod()
	if c.missing != "" || !bytes.HasSuffix(c.rest, []byte{'}'}) {
		return nil, fmt.Errorf("the record of an order lacks %s or is cut off", c.missing)
	}
	if o.Courier != nil {
		t.Courier = &delivery.TrackedCourier{FirstName: o.Courier.FirstName(), Vehicle: o.Courier.Vehicle}
	}
	t.History = make([]delivery.TrackedStatus, 1, 1+len(o.Moves))
	t.History[0] = delivery.TrackedStatus{Status: delivery.StatusPending, At: t.CreatedAt}
	for _, move := range o.Moves {
		t.History = append(t.History, delivery.TrackedStatus{Status: move.Status, At: move.At})
	}
	return t, nil
}

// text returns the string behind a mark, and goes on behind that.
func (c *cutter) text(mark string) string {
	c.before(mark)
	text, rest, err := strictjson.CutText(c.rest)
	if err != nil {
		c.lacks(mark)
		return ""
	}
	c.rest = rest
	return text
}

func (c *cutter) time(mark string) time.Time {
	at, ok := timestamp.Parse(c.text(mark))
	if !ok {
		c.lacks(mark)
	}
	return at
}

func (c *cutter) window() delivery.Window {
	return delivery.Window{Start: c.time(`,"time_window":{"start":`), End: c.time(`,"end":`)}
}

// cod returns the amount to collect on delivery, which only the reference may stand before: metadata
// may have a member of the same name.
func (c *cutter) cod() *delivery.Money {
	c.before(afterListed)
	if !c.skip("true") {
		c.skip("false")
	}
	if c.skip(`,"reference":`) {
		c.text("")
	}
	if !c.skip(`,"cod":{"amount_cents":`) {
		return nil
	}
	const end = `,"currency":`
	cents, err := strconv.ParseInt(string(c.before(end)), 10, 64)
	if err != nil {
		c.lacks(end)
	}
	return &delivery.Money{AmountCents: cents, Currency: delivery.Currency(c.text(""))}
}

// skip goes on behind a text if the rest begins with it.
func (c *cutter) skip(text string) bool {
	rest, found := bytes.CutPrefix(c.rest, []byte(text))
	c.rest = rest
	return found
}

// place returns city, province and area of the contact that a mark begins.
func (c *cutter) place(mark string) delivery.Place {
	c.before(mark)
	return delivery.Place{
		City: c.text(`,"city":`), Province: c.text(`,"province":`), Area: delivery.AreaOf(c.text(`,"postal_code":`)),
	}
}
