package record

import (
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
)

// The values that replace personal data. Each is valid for its field, so that an
// erased record still conforms to the interface.
const (
	ErasedText  = "erased"
	ErasedPhone = "+10000000000"
	ErasedEmail = delivery.ErasedEmail
	// erasedUnit replaces the second half of a postal code. The first half names a
	// region and is kept for statistics.
	erasedUnit = " 0A0"
)

// ErasePersons replaces the fields of an order that may identify a person: both ends, and every free text. What
// accounting needs stays.
func ErasePersons(o *delivery.Order) {
	EraseContact(&o.Pickup)
	EraseContact(&o.Dropoff)
	EraseTexts(o)
}

// EraseTexts removes every text of an order that people have typed: ids, prices, sizes, times and items stay.
func EraseTexts(o *delivery.Order) {
	o.Reference, o.Instructions, o.Metadata = "", "", nil
	for i := range o.Parcels {
		o.Parcels[i].Description = ErasedText
	}
	for i := range o.History {
		o.History[i].Notes = ""
	}
	if o.Cancellation != nil {
		o.Cancellation = &delivery.Cancellation{At: o.Cancellation.At}
	}
	if origin := o.Course.Origin; origin != nil {
		o.Course.Origin = &delivery.Origin{OrderID: origin.OrderID, To: origin.To, Location: origin.Location}
	}
	if r := o.Course.Request; r != nil {
		o.Course.Request = &delivery.CancellationRequest{State: r.State, At: r.At}
	}
	if c := o.Course.Collected; c != nil {
		o.Course.Collected = &delivery.Collected{AmountCents: c.AmountCents, Currency: c.Currency, Method: c.Method}
	}
	o.Course.Edits = slices.Clone(o.Course.Edits)
	for i := range o.Course.Edits {
		o.Course.Edits[i].Reason = ""
		for j := range o.Course.Edits[i].Was {
			o.Course.Edits[i].Was[j].JSON = ""
		}
	}
}

// EraseContact replaces the personal fields of an end of an order. The city, the province and the first half of the
// postal code stay.
func EraseContact(c *delivery.Contact) {
	c.Name, c.Phone, c.Email = ErasedText, ErasedPhone, ErasedEmail
	c.Address.Line1, c.Address.Line2, c.Address.Notes = ErasedText, "", ""
	if code := delivery.NormalPostalCode(c.Address.PostalCode); len(code) > 3 {
		c.Address.PostalCode = code[:3] + erasedUnit
	}
}

// EraseFacts removes the texts of an event that people have typed, and the address of the recipient's signature.
func EraseFacts(facts *delivery.EventFacts) {
	facts.Reason, facts.FailureReason, facts.SignatureURL, facts.Answer = "", "", "", ""
}
