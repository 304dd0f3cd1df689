package order

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/movement"
)

// returnDepot is the warehouse to which the model's returns go.
const returnDepot = "A"

// units adds items up by product, in the order in which the products are first mentioned.
func units(items []delivery.Item) (products []int64, quantities map[int64]int64) {
	quantities = map[int64]int64{}
	for _, item := range items {
		if quantities[item.ProductID] == 0 {
			products = append(products, item.ProductID)
		}
		quantities[item.ProductID] += item.Quantity
	}
	return products, quantities
}

// giveBack creates an order that brings goods of a delivered one back, never more than is left of them.
func (m *model) giveBack(w wish) (refused, text string) {
	for _, other := range m.orders {
		if other.Partner == w.partner && other.Reference == w.reference {
			return "conflict " + string(other.Status), ""
		}
	}
	origin := m.orders[OrderKey{w.partner, w.origin}]
	if origin == nil {
		return "not_found", ""
	}
	if origin.Status != "delivered" || origin.Origin != "" {
		return "conflict " + string(origin.Status), ""
	}
	if faults := m.tooMany(origin, w.items); faults != "" {
		return "validation_error" + faults, ""
	}
	o := &snapshot{
		Partner: w.partner, ID: w.order, Reference: w.reference, Status: "pending", Version: 1, Moved: 1,
		Updated: w.at.UnixMilli(), ETA: w.eta.UnixMilli(), Items: w.items, Origin: w.origin, End: string(w.end),
		History: []string{fmt.Sprintf("pending@%d/%d:", w.at.UnixMilli(), w.at.UnixMilli())},
	}
	m.orders[w.target()] = o
	origin.Version++
	origin.Returns = append(slices.Clone(origin.Returns), backText(o.ID, w.items))
	return "", o.String()
}

// backText describes a return as the order lists it that it is of.
func backText(id string, items []delivery.Item) string {
	text := id + " "
	for _, item := range items {
		text += fmt.Sprintf("%d:%d,", item.ProductID, item.Quantity)
	}
	return text
}

// tooMany returns what is wrong with the items of a return.
func (m *model) tooMany(origin *snapshot, items []delivery.Item) (faults string) {
	if len(origin.Items) == 0 {
		if len(items) > 0 {
			return " items"
		}
		return " parcels" // it has none
	}
	if len(items) == 0 {
		return " items"
	}
	_, left := units(origin.Items)
	for key, other := range m.orders {
		gone := other.Status == "cancelled" && !other.collected()
		if key.PartnerID == origin.Partner && other.Origin == origin.ID && !gone {
			for _, item := range other.Items {
				left[item.ProductID] -= item.Quantity
			}
		}
	}
	products, wanted := units(items)
	for _, product := range products {
		if wanted[product] > left[product] {
			faults += " items"
		}
	}
	return faults
}

// edit changes the items of an order, or its reference.
func (m *model) edit(w wish) (refused, text string) {
	o := m.orders[w.target()]
	switch {
	case o == nil:
		return "not_found", ""
	case w.wanted != 0 && w.wanted != o.Version:
		return "conflict " + string(o.Status), ""
	}
	sameItems := slices.EqualFunc(o.Items, w.items, func(a, b delivery.Item) bool {
		return a.ProductID == b.ProductID && a.Quantity == b.Quantity
	})
	var fields []string
	if !sameItems {
		if o.Origin != "" || o.Status != "pending" && o.Status != "accepted" {
			return "order_not_editable " + string(o.Status), ""
		}
		fields = append(fields, "items")
	}
	if o.Label != w.label {
		fields = append(fields, "reference")
	}
	at := max(o.Updated, w.at.UnixMilli())
	if !sameItems {
		if refused := m.reallocate(o, w, at); refused != "" {
			return refused, ""
		}
	}
	if len(fields) > 0 {
		o.Label, o.Updated = w.label, at
		o.Version++
		o.Edits = append(slices.Clone(o.Edits), fmt.Sprintf("%d@%d %s", o.Version, at, strings.Join(fields, ",")))
		m.announce(o, at, "")
	}
	return "", o.String()
}

// reallocate moves the stock of an order to other items. What it has of a product stays where it was taken
// from, as far as it still needs it.
func (m *model) reallocate(o *snapshot, w wish, at int64) (refused string) {
	_, had := units(o.Items)
	for i, item := range w.items {
		if had[item.ProductID] >= item.Quantity {
			had[item.ProductID] -= item.Quantity
		} else if !m.active[movement.ProductKey{PartnerID: o.Partner, ProductID: item.ProductID}] {
			refused += fmt.Sprintf(" items[%d].%s", i, w.field())
		}
	}
	if refused != "" {
		return "validation_error" + refused
	}
	products, missing := units(w.items)
	_, wanted := units(w.items)
	var takes, back []delivery.Take
	for _, taken := range o.Takes {
		keeps := min(taken.Quantity, missing[taken.ProductID])
		missing[taken.ProductID] -= keeps
		if keeps > 0 {
			takes = append(takes, delivery.Take{ProductID: taken.ProductID, Location: taken.Location, Quantity: keeps})
		}
		if taken.Quantity > keeps {
			taken.Quantity -= keeps
			back = append(back, taken)
		}
	}
	var more []delivery.Take
	for _, product := range products {
		if missing[product] == 0 {
			continue
		}
		found, short := m.take(wish{
			partner: o.Partner, items: []delivery.Item{{ProductID: product, Quantity: missing[product]}},
		})
		if short != "" {
			has := wanted[product] - missing[product]
			for key, quantity := range m.levels {
				if key.ProductKey == (movement.ProductKey{PartnerID: o.Partner, ProductID: product}) {
					has += quantity
				}
			}
			refused += fmt.Sprintf(" %d:%d<%d", product, has, wanted[product])
		}
		more = append(more, found...)
	}
	if refused != "" {
		return "insufficient_stock" + refused
	}
	for _, taken := range back {
		m.book(o, "IN", taken, 1, at)
	}
	for _, taken := range more {
		m.book(o, "OUT", taken, -1, at)
		i := slices.IndexFunc(takes, func(t delivery.Take) bool {
			return t.ProductID == taken.ProductID && t.Location == taken.Location
		})
		if i < 0 {
			takes = append(takes, taken)
		} else {
			takes[i].Quantity += taken.Quantity
		}
	}
	o.Takes, o.Items = takes, nil
	for _, item := range w.items {
		item.SKU = skuOf(item.ProductID)
		item.Name = m.names[movement.ProductKey{PartnerID: o.Partner, ProductID: item.ProductID}]
		o.Items = append(o.Items, item)
	}
	return ""
}
