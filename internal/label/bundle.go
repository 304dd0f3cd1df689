package label

import (
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// The most orders, and the most labels, of a file. An order has up to delivery.MaxParcels labels, and
// each of them is some kilobytes that are in memory until the file is sent.
const (
	MaxOrders = 100
	MaxLabels = 500
)

// Job is an order whose labels are printed, with the time zone of its dropoff.
type Job struct {
	Order *delivery.Order
	Clock *time.Location
}

// Reason says why the labels of an order are not in a file. Pages have a phrase for each.
type Reason string

// The reasons.
const (
	ReasonErased     Reason = "erased"     // a label would have no recipient
	ReasonUnreadable Reason = "unreadable" // what is stored of the order is damaged
	ReasonFull       Reason = "full"       // the file has as many orders or labels as it may
)

// LeftOut is an order whose labels are not in a file.
type LeftOut struct {
	Order *delivery.Order
	Why   Reason
}

// Bundle holds the orders whose labels are printed together, and those that were left out.
type Bundle struct {
	Jobs    []Job
	LeftOut []LeftOut
	labels  int
}

// Collect reads orders and returns them as a bundle. An order that read refuses because it is damaged is
// left out; any other error is returned.
func Collect(
	orderIDs []string, read func(orderID string) (*delivery.Order, error), clock func(delivery.Address) *time.Location,
) (Bundle, error) {
	orders := make([]*delivery.Order, len(orderIDs))
	for i, orderID := range orderIDs {
		found, err := read(orderID)
		var damaged *delivery.DamagedError
		switch {
		case errors.As(err, &damaged):
			found = &delivery.Order{OrderID: orderID, Damage: err}
		case err != nil:
			return Bundle{}, err
		}
		orders[i] = found
	}
	return Gather(orders, clock), nil
}

// Printed returns the ids of the orders whose labels are printed.
func (b Bundle) Printed() []string {
	orderIDs := make([]string, len(b.Jobs))
	for i, job := range b.Jobs {
		orderIDs[i] = job.Order.OrderID
	}
	return orderIDs
}

// Gather returns orders in their order as a bundle. clock returns the time zone of an address.
func Gather(orders []*delivery.Order, clock func(delivery.Address) *time.Location) Bundle {
	var b Bundle
	for _, o := range orders {
		if why := b.refuses(o); why != "" {
			b.LeftOut = append(b.LeftOut, LeftOut{o, why})
			continue
		}
		b.Jobs = append(b.Jobs, Job{o, clock(o.Dropoff.Address)})
		b.labels += len(o.Parcels)
	}
	return b
}

// refuses returns why the labels of an order cannot be added; empty if they can.
func (b *Bundle) refuses(o *delivery.Order) Reason {
	switch {
	case o.Damage != nil:
		return ReasonUnreadable
	case o.Pickup.Email == delivery.ErasedEmail || o.Dropoff.Email == delivery.ErasedEmail:
		return ReasonErased
	case len(b.Jobs) == MaxOrders || b.labels+len(o.Parcels) > MaxLabels:
		return ReasonFull
	}
	return ""
}

// File returns the labels of the bundle, as NewFile does those of one order.
func (b Bundle) File(format Format, resolution Resolution) (file File, err error) {
	if len(b.Jobs) == 1 {
		return NewFile(b.Jobs[0].Order, format, resolution, b.Jobs[0].Clock)
	}
	if format == FormatZPL {
		file = File{Name: "labels.zpl", Format: FormatZPL}
		for _, job := range b.Jobs {
			file.Data = append(file.Data, ZPL(job.Order, resolution, job.Clock)...)
		}
		return file, nil
	}
	file = File{Name: "labels.pdf", Format: FormatPDF}
	file.Data, err = document("Labels", b.Jobs, resolution)
	return file, err
}
