package delivery

import (
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// PickState is how far the warehouse is with the items of an order.
type PickState string

// The states of picking.
const (
	PickOpen   PickState = "to_pick" // something is left to pick
	PickShort  PickState = "short"   // the same, and less was found of a product than the order takes
	PickDone   PickState = "picked"  // all items are picked
	PickPacked PickState = "packed"  // and packed for the courier
)

// PickStates lists them.
var PickStates = []PickState{PickOpen, PickShort, PickDone, PickPacked}

// PickableStatuses lists the statuses in which the items of an order may be picked: until a courier has
// picked the parcels up.
var PickableStatuses = []Status{StatusPending, StatusAccepted, StatusCourierAssigned}

// Picking is what the warehouse has picked of an order. Stock does not change with it: the order's
// creation has taken its items out already.
type Picking struct {
	Lines  []PickedLine `json:"lines,omitempty"`
	Packed *Packing     `json:"packed,omitempty"` // nil until the order is packed
}

// PickedLine is what was picked of a product at a location.
type PickedLine struct {
	ProductID  int64     `json:"product_id"`
	Location   string    `json:"location"`
	Quantity   int64     `json:"quantity"`        // in all; 0 if none was found
	Short      bool      `json:"short,omitempty"` // the last pick found fewer units than were left
	OperatorID string    `json:"operator_id"`     // who picked last
	At         time.Time `json:"at"`              // of the last pick
}

// Packing names the operator who packed an order.
type Packing struct {
	OperatorID string    `json:"operator_id"`
	At         time.Time `json:"at"`
}

// PickLine is a product that an order takes from a location, and how many units of it are picked.
type PickLine struct {
	Take
	Picked int64
	Short  bool // fewer units were found than the order takes
}

// Left returns how many units are left to pick.
func (l PickLine) Left() int64 { return l.Quantity - l.Picked }

// PickLines returns what an order takes from each location, and what was picked of it.
func (o *Order) PickLines() []PickLine {
	lines := make([]PickLine, len(o.Allocation))
	for i, take := range o.Allocation {
		lines[i].Take = take
		if done := o.Course.Picking.line(take.ProductID, take.Location); done != nil {
			lines[i].Picked, lines[i].Short = done.Quantity, done.Short && done.Quantity < take.Quantity
		}
	}
	return lines
}

// PickState returns how far the warehouse is with an order; empty if the order takes nothing from
// stock.
func (o *Order) PickState() PickState {
	lines := o.PickLines()
	switch {
	case len(lines) == 0:
		return ""
	case slices.ContainsFunc(lines, func(l PickLine) bool { return l.Short }):
		return PickShort
	case slices.ContainsFunc(lines, func(l PickLine) bool { return l.Left() > 0 }):
		return PickOpen
	case o.Course.Picking.Packed == nil:
		return PickDone
	default:
		return PickPacked
	}
}

// ItemName returns the name of a product of the order.
func (o *Order) ItemName(productID int64) string { return o.item(productID).Name }

// ItemSKU returns the sku of a product of the order when it was created; empty if it had none.
func (o *Order) ItemSKU(productID int64) string { return o.item(productID).SKU }

func (o *Order) item(productID int64) Item {
	for _, item := range o.Items {
		if item.ProductID == productID {
			return item
		}
	}
	return Item{}
}

// PackedAt returns when the order was packed; zero if it is not. p may be nil.
func (p *Picking) PackedAt() time.Time {
	if p == nil || p.Packed == nil {
		return time.Time{}
	}
	return p.Packed.At
}

// line returns what was picked of a product at a location; nil if nothing was. p may be nil.
func (p *Picking) line(productID int64, location string) *PickedLine {
	if p == nil {
		return nil
	}
	at := slices.IndexFunc(p.Lines, func(l PickedLine) bool { return l.ProductID == productID && l.Location == location })
	if at < 0 {
		return nil
	}
	return &p.Lines[at]
}

// With returns the picking with what an operator has picked besides. p may be nil.
func (p *Picking) With(picked ...PickedLine) *Picking {
	var sum Picking
	if p != nil {
		sum = Picking{Lines: slices.Clone(p.Lines), Packed: p.Packed}
	}
	for _, one := range picked {
		if known := sum.line(one.ProductID, one.Location); known != nil {
			one.Quantity += known.Quantity
			*known = one
			continue
		}
		sum.Lines = append(sum.Lines, one)
	}
	return &sum
}

// Retaken returns what remains of the picking once the order takes other items from stock. Where it now
// takes less than was picked, picking begins again, so that the count is checked. Nothing remains packed.
// p may be nil.
func (p *Picking) Retaken(allocation []Take) *Picking {
	if p == nil {
		return nil
	}
	var rest Picking
	for _, line := range p.Lines {
		at := slices.IndexFunc(allocation, func(take Take) bool {
			return take.ProductID == line.ProductID && take.Location == line.Location && take.Quantity >= line.Quantity
		})
		if at >= 0 {
			line.Short = line.Short && allocation[at].Quantity > line.Quantity
			rest.Lines = append(rest.Lines, line)
		}
	}
	if len(rest.Lines) == 0 {
		return nil
	}
	return &rest
}

// Pick is a request to record what was picked for an order at a location.
type Pick struct {
	form.Faults // which come after the answer to an equal request
	Location    string
	Lines       []Item // without names
	Packed      bool   // the order is packed, too
}

var somethingPicked = form.Define("something_picked", "lines, or packed")

// ReadPick reads a request to record what was picked.
func ReadPick(f *form.Form) Pick {
	var pick Pick
	for _, line := range f.Objects("lines", form.Optional, 0, MaxItemLines) {
		var one Item
		one.ProductID, _ = line.Integer("product_id", form.Required, 1, 1<<53)
		one.Quantity, _ = line.Integer("quantity", form.Required, 0, maxQuantity)
		pick.Lines = append(pick.Lines, one)
	}
	presence := form.Optional
	if len(pick.Lines) > 0 {
		presence = form.Required
	}
	pick.Location = f.Text("location", presence, LocationRule)
	pick.Packed = f.Flag("packed")
	if len(pick.Lines) == 0 && !pick.Packed {
		f.Fault("lines", somethingPicked)
	}
	return pick
}
