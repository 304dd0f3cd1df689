package delivery

import (
	"bytes"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Stage is how far an order has come, as far as that decides what may be edited.
type Stage int

// The stages, in their order.
const (
	StageNever    Stage = iota // before the first one: what is never edited
	StageOpen                  // pending, accepted
	StageAssigned              // a courier will come, or an attempt has failed before the pickup
	StagePickedUp              // the goods are under way
	StageEnded                 // delivered, cancelled
)

// StageOf returns the stage of an order, whose history must be known.
func StageOf(o *Order) Stage {
	switch {
	case len(NextStatuses(o.Status)) == 0:
		return StageEnded
	case o.WasPickedUp():
		return StagePickedUp
	case o.Status == StatusPending, o.Status == StatusAccepted:
		return StageOpen
	default:
		return StageAssigned
	}
}

// Part is a part of an order's content that is edited by itself.
type Part struct {
	Field string // its path, such as dropoff.phone
	// Partner and Service are the last stages at which either side may edit it.
	Partner, Service Stage
	same             func(a, b *OrderRequest) bool
}

// Parts lists what may be edited, and until when: the only place that knows
// (docs/contract.md, Edits).
var Parts = slices.Concat([]Part{
	{"partner_order_id", StageNever, StageNever, of(func(r *OrderRequest) string { return r.PartnerOrderID })},
	{"service_level", StageOpen, StageOpen, of(func(r *OrderRequest) ServiceLevel { return r.ServiceLevel })},
}, partsOf("pickup", func(r *OrderRequest) *Contact { return &r.Pickup }, contactStages{
	person: StageAssigned, lines: [2]Stage{StageOpen, StageAssigned}, place: [2]Stage{StageOpen, StageAssigned},
	window: [2]Stage{StageOpen, StageAssigned},
}), partsOf("dropoff", func(r *OrderRequest) *Contact { return &r.Dropoff }, contactStages{
	person: StagePickedUp, lines: [2]Stage{StageAssigned, StagePickedUp}, place: [2]Stage{StageOpen, StagePickedUp},
	window: [2]Stage{StageAssigned, StagePickedUp},
}), []Part{
	{"parcels", StageOpen, StageAssigned, func(a, b *OrderRequest) bool { return slices.Equal(a.Parcels, b.Parcels) }},
	{"items", StageOpen, StageOpen, sameItems},
	{"cod", StageOpen, StagePickedUp, money(func(r *OrderRequest) *Money { return r.COD })},
	{"insurance", StageOpen, StageOpen, money(func(r *OrderRequest) *Money { return r.Insurance })},
	{"instructions", StagePickedUp, StagePickedUp, of(func(r *OrderRequest) string { return r.Instructions })},
	{"reference", StageEnded, StageEnded, of(func(r *OrderRequest) string { return r.Reference })},
	{"metadata", StageEnded, StageEnded,
		func(a, b *OrderRequest) bool { return bytes.Equal(a.Metadata, b.Metadata) }},
})

// contactStages has the last stages for the parts of a contact: those of partner and service
// where they differ.
type contactStages struct {
	person               Stage // name, phone, email, and the notes for the courier
	lines, place, window [2]Stage
}

func partsOf(end string, contact func(*OrderRequest) *Contact, until contactStages) []Part {
	text := func(name string, until [2]Stage, field func(*Contact) string) Part {
		return Part{end + "." + name, until[0], until[1], of(func(r *OrderRequest) string { return field(contact(r)) })}
	}
	person := [2]Stage{until.person, until.person}
	return []Part{
		text("name", person, func(c *Contact) string { return c.Name }),
		text("phone", person, func(c *Contact) string { return c.Phone }),
		text("email", person, func(c *Contact) string { return c.Email }),
		text("address.line1", until.lines, func(c *Contact) string { return c.Address.Line1 }),
		text("address.line2", until.lines, func(c *Contact) string { return c.Address.Line2 }),
		text("address.city", until.place, func(c *Contact) string { return c.Address.City }),
		text("address.province", until.place, func(c *Contact) string { return c.Address.Province }),
		text("address.postal_code", until.place, func(c *Contact) string { return c.Address.PostalCode }),
		text("address.country", until.place, func(c *Contact) string { return c.Address.Country }),
		text("address.notes", person, func(c *Contact) string { return c.Address.Notes }),
		{end + ".time_window", until.window[0], until.window[1], func(a, b *OrderRequest) bool {
			x, y := contact(a).Window, contact(b).Window
			return x.Start.Equal(y.Start) && x.End.Equal(y.End)
		}},
	}
}

func of[T comparable](field func(*OrderRequest) T) func(a, b *OrderRequest) bool {
	return func(a, b *OrderRequest) bool { return field(a) == field(b) }
}

func money(field func(*OrderRequest) *Money) func(a, b *OrderRequest) bool {
	return func(a, b *OrderRequest) bool { return field(a).Equal(field(b)) }
}

// sameItems compares lines without the names of their products, which requests do not have.
func sameItems(a, b *OrderRequest) bool {
	return slices.EqualFunc(a.Items, b.Items, func(x, y Item) bool {
		return x.ProductID == y.ProductID && x.Quantity == y.Quantity
	})
}

// EditedParts returns the parts in which an edited request differs.
func EditedParts(before, after *OrderRequest) (edited []Part) {
	for _, part := range Parts {
		if !part.same(before, after) {
			edited = append(edited, part)
		}
	}
	return edited
}

// MayEdit reports whether a side may edit a part of an order at a stage.
func (p Part) MayEdit(by Editor, at Stage) bool {
	switch by {
	case EditorPartner:
		return at <= p.Partner
	case EditorService:
		return at <= p.Service
	default:
		return false
	}
}

// EditableFields returns the paths of what a side may edit at a stage; empty, not nil, if that
// is nothing.
func EditableFields(by Editor, at Stage) []string {
	fields := []string{}
	for _, part := range Parts {
		if part.MayEdit(by, at) {
			fields = append(fields, part.Field)
		}
	}
	return fields
}

// EditedOrder returns the content of an order as a merge patch changes it (RFC 7396).
// ReadOrderRequest reads it, with the faults that a request to create it would have.
func EditedOrder(content, patch form.Source) form.Source {
	return form.Merged(content, patch, "metadata") // metadata is the partner's own, byte for byte
}
