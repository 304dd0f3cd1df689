// Package board defines what the dispatch board shows of an order: the row of
// each order that is under way, and the reasons for which an order needs
// attention. Package order writes the rows, package dispatch reads them, and
// the store asks for the reasons in SQL.
package board

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Row is what the board holds of an order that is under way.
type Row struct {
	PartnerID         string
	OrderID           string
	PartnerOrderID    string
	Status            delivery.Status
	Version           int64 // of the order
	CreatedAt         time.Time
	UpdatedAt         time.Time
	EstimatedDelivery time.Time
	Pickup, Dropoff   delivery.Window
	Failures          int64 // attempts that have failed
	ServiceLevel      delivery.ServiceLevel
	Zone              string // of the dropoff, see Zone
	City              string // of the dropoff
	Recipient, Street string // of the dropoff; empty in rows of earlier releases
	COD               int64  // cents to collect; 0 for none
	CourierID         string // empty while no courier is assigned
	Flags             Flags
	// Search is the text that a search looks through: one part a line, in lower
	// case. It contains personal data, which is erased with that of the order.
	Search string
}

// Of returns the row of an order, whose history must be complete.
func Of(o *delivery.Order) *Row {
	row := &Row{
		PartnerID: o.PartnerID, OrderID: o.OrderID, PartnerOrderID: o.PartnerOrderID,
		Status: o.Status, Version: o.Version,
		CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, EstimatedDelivery: o.EstimatedDelivery,
		Pickup: o.Pickup.Window, Dropoff: o.Dropoff.Window,
		ServiceLevel: o.ServiceLevel, Zone: Zone(o.Dropoff.Address), City: o.Dropoff.Address.City,
		Recipient: o.Dropoff.Name, Street: o.Dropoff.Address.Line1,
		Flags: flagsOf(o), Search: searchOf(o),
	}
	for _, entry := range o.History {
		if entry.Status == delivery.StatusFailed {
			row.Failures++
		}
	}
	if cash := delivery.ToCollect(o.COD, o.Course.Origin != nil); cash != nil {
		row.COD = cash.AmountCents
	}
	if o.Courier != nil {
		row.CourierID = o.Courier.CourierID
	}
	return row
}

// Due returns when the order is due: at the end of the dropoff's window, or at the estimated delivery if that is
// earlier.
func (r *Row) Due() time.Time { return delivery.Due(r.Dropoff, r.EstimatedDelivery) }

// Zone returns the zone of an address: Canada Post's forward sortation area, by which
// dispatchers plan rounds.
func Zone(a delivery.Address) string { return delivery.PostalArea(a.PostalCode) }

// searchOf returns the text that a search looks through. Line breaks keep a
// search from matching across two parts of it. Names and streets are in it twice if folding
// changes them: rows of earlier releases, and searches of their nodes, know only the first form.
func searchOf(o *delivery.Order) string {
	b := make([]byte, 0, 512)
	add := func(text string) (part []byte) {
		if text == "" {
			return nil
		}
		b = separated(b)
		start := len(b)
		b = appendLower(b, text)
		return b[start:]
	}
	add(o.OrderID)
	add(o.PartnerOrderID)
	add(o.Reference)
	named := [...]string{o.Dropoff.Name, o.Dropoff.Address.City, o.Dropoff.Address.Line1, o.Dropoff.Address.Line2}
	var lower [len(named)][]byte
	for i, text := range named {
		lower[i] = add(text)
	}
	add(digits(o.Dropoff.Phone))
	for i := range o.Parcels {
		add(o.Parcels[i].ParcelID)
		add(o.Parcels[i].Barcode)
	}
	for i, text := range named {
		end := len(b)
		b = separated(b)
		start := len(b)
		if b = appendFolded(b, text); start == len(b) || bytes.Equal(b[start:], lower[i]) {
			b = b[:end]
		}
	}
	return string(b)
}

// Forms returns a text that is searched for in the forms that search texts have: in lower case, as the digits
// of a phone number if it may be one, and folded.
func Forms(text string) [3]string {
	lower := strings.ToLower(text)
	return [...]string{lower, cmp.Or(PhoneDigits(lower), lower), Fold(lower)}
}

// Contains reports whether a search finds a row by its search text.
func Contains(search, text string) bool {
	forms := Forms(text)
	return slices.ContainsFunc(forms[:], func(form string) bool { return strings.Contains(search, form) })
}

// separated appends a line break to what has a part already.
func separated(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, '\n')
	}
	return b
}

// PhoneDigits returns the digits of a text that may be a phone number or its last digits,
// in any notation: (514) 555-0100. It is empty for other texts, and for digits without
// notation, which a search finds as they are.
func PhoneDigits(text string) string {
	const least = 4
	found := digits(text)
	if found == text || len(found) < least || strings.ContainsFunc(text, notInPhone) {
		return ""
	}
	return found
}

// notInPhone reports whether a character is not one that phone numbers are written with.
func notInPhone(r rune) bool { return !strings.ContainsRune("0123456789+-.() \u00a0", r) }

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// OpenStatuses lists the states of orders that are under way.
var OpenStatuses = slices.DeleteFunc(slices.Clone(delivery.Statuses), func(status delivery.Status) bool {
	return len(delivery.NextStatuses(status)) == 0
})

// EndedStatuses lists the others, which no move leads out of.
var EndedStatuses = slices.DeleteFunc(slices.Clone(delivery.Statuses), IsOpen)

// Shows reports whether an order belongs on the board: it is under way, and not of a
// test account.
func Shows(o *delivery.Order) bool { return IsOpen(o.Status) && !delivery.IsTest(o.PartnerID) }

// IsOpen reports whether an order in this state is under way.
func IsOpen(status delivery.Status) bool { return slices.Contains(OpenStatuses, status) }
