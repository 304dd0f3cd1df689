package label

import (
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Warnings returns a warning for each text of an order that its labels do not show as it is, in
// the order of the labels. The order need not have an id yet.
func Warnings(o *delivery.Order) (warnings []delivery.Warning) {
	faults := slices.Concat(senderFaults(o), recipientFaults(o))
	shared := factsFit(o) // all labels have the texts of the order
	for i, parcel := range o.Parcels {
		if shared && factFits(parcelFact, parcel.ParcelID) {
			continue
		}
		p := &page{}
		p.details(o, i+1)
		for _, fault := range p.faults {
			if !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	}
	for _, fault := range faults {
		code := delivery.WarningNotPrinted
		if fault.Cut {
			code = delivery.WarningCut
		}
		warnings = append(warnings, delivery.NewWarning(code, fault.Field))
	}
	for i, parcel := range o.Parcels {
		if parcel.Barcode != "" && !printsAsBars(parcel.Barcode) {
			warnings = append(warnings, delivery.NewWarning(delivery.WarningBarcode, fmt.Sprintf("parcels[%d].barcode", i)))
		}
	}
	return warnings
}

// senderFaults returns the faults of the sender's block.
func senderFaults(o *delivery.Order) []Fault {
	if senderFits(o) {
		return nil
	}
	p := &page{}
	p.from(o)
	return p.faults
}

// senderFits reports whether the sender's block is surely whole.
func senderFits(o *delivery.Order) bool {
	number, _ := clean(Number(o.OrderID))
	room, _ := senderWidth(number)
	a := &o.Pickup.Address
	_, name := senderName.bound(room, "", "", given{text: o.Pickup.Name})
	_, lines := senderPlace.bound(room, "", ", ", given{text: a.Line1}, given{text: a.Line2})
	_, place := senderPlace.bound(room, "", ", ", given{text: a.City}, given{text: a.Province + " " + a.PostalCode})
	return name && lines && place
}

// recipientFaults returns the faults of the recipient's block.
func recipientFaults(o *delivery.Order) []Fault {
	if recipientFits(o) {
		return nil
	}
	p := &page{}
	p.to(o, time.UTC)
	return p.faults
}

// recipientFits reports whether the recipient's block is surely whole. The notes get the space
// that is left if everything above them is as high as it may be.
func recipientFits(o *delivery.Order) bool {
	const room = width - 2*margin
	a := &o.Dropoff.Address
	top := toTop + leading(caption.large) + belowTo
	for _, line := range [...]struct {
		style
		text string
	}{{recipientName, o.Dropoff.Name}, {street, a.Line1}, {street, a.Line2}, {city, a.City}} {
		height, whole := line.bound(room, "", "", given{text: line.text})
		if !whole {
			return false
		}
		top += height
	}
	top += leading(postalSize) + leading(caption.large) + leading(times.large) + belowTimes
	_, whole := smallNotes.above(notesBottom, top).
		bound(room, "", betweenNotes, given{text: a.Notes}, given{text: o.Instructions})
	return whole
}

// factsFit reports whether the texts of an order beside the QR code are surely whole.
func factsFit(o *delivery.Order) bool {
	return factFits(orderFact, o.PartnerOrderID) && factFits(referenceFact, o.Reference) && factFits("", o.OrderID)
}

func factFits(name, text string) bool {
	_, whole := fact.bound(detailsWidth, name, "", given{text: text})
	return whole
}
