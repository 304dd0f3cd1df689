package delivery

import "time"

// Warning is something about a shipment that is allowed, but probably not meant.
type Warning struct {
	Code    WarningCode `json:"code"`
	Field   string      `json:"field"`   // its path in the request
	Message string      `json:"message"` // for people
}

// WarningCode is a kind of warning.
type WarningCode string

// The kinds of warnings.
const (
	// the dropoff's window ends before the pickup's begins
	WarningDropoffBeforePickup WarningCode = "dropoff_before_pickup"
	WarningLate                WarningCode = "late"                // the estimated delivery is after the dropoff's window
	WarningNoBusinessDay       WarningCode = "no_business_day"     // a window without a business day
	WarningProvince            WarningCode = "province_mismatch"   // the postal code is of another province
	WarningPostBox             WarningCode = "post_office_box"     // couriers cannot deliver there
	WarningEmail               WarningCode = "email_domain"        // the domain cannot exist
	WarningPhone               WarningCode = "phone_length"        // no number of the country is as long
	WarningNotPrinted          WarningCode = "label_not_printed"   // the label cannot show characters
	WarningCut                 WarningCode = "label_cut"           // the label shows the beginning of a text
	WarningBarcode             WarningCode = "barcode_not_printed" // the label has a number instead
)

// WarningCodes lists the kinds of warnings.
var WarningCodes = []WarningCode{
	WarningDropoffBeforePickup, WarningLate, WarningNoBusinessDay, WarningProvince, WarningPostBox, WarningEmail,
	WarningPhone, WarningNotPrinted, WarningCut, WarningBarcode,
}

// messages are what warnings say.
var messages = map[WarningCode]string{
	WarningDropoffBeforePickup: "the time window of the dropoff ends before that of the pickup begins",
	WarningLate:                "the estimated delivery is after the end of the dropoff's time window",
	WarningNoBusinessDay:       "the time window has no business day",
	WarningProvince:            "the postal code belongs to another province",
	WarningPostBox:             "couriers cannot deliver to a post office box",
	WarningEmail:               "the domain of the e-mail address cannot exist",
	WarningPhone:               "no phone number of this country has this length",
	WarningNotPrinted:          "the label cannot print some of the characters",
	WarningCut:                 "the text is too long for the label, which shows its beginning",
	WarningBarcode:             "the label cannot print the barcode, and has a number of its own instead",
}

// NewWarning returns a warning about a field, which is given by its path in the request.
func NewWarning(code WarningCode, field string) Warning { return Warning{code, field, messages[code]} }

const windowPath = "dropoff.time_window"

// Warnings returns what is probably not meant about a shipment that is estimated to
// arrive at a time; nil if nothing is. What was not given causes none.
func (s *Shipment) Warnings(estimate time.Time) (warnings []Warning) {
	pickup, dropoff := s.Pickup.Window, s.Dropoff.Window
	if !dropoff.End.IsZero() && !pickup.Start.IsZero() && !dropoff.End.After(pickup.Start) {
		warnings = append(warnings, NewWarning(WarningDropoffBeforePickup, windowPath))
	}
	if !dropoff.End.IsZero() && estimate.After(dropoff.End) {
		warnings = append(warnings, NewWarning(WarningLate, windowPath))
	}
	warnings = s.Pickup.warn(warnings, "pickup.")
	return s.Dropoff.warn(warnings, "dropoff.")
}

// warn appends what is probably not meant about a contact.
func (c *Contact) warn(warnings []Warning, path string) []Warning {
	add := func(code WarningCode, field string) { warnings = append(warnings, NewWarning(code, path+field)) }
	if c.Phone != "" && !dialable(c.Phone) {
		add(WarningPhone, "phone")
	}
	if c.Email != "" && !deliverable(c.Email) {
		add(WarningEmail, "email")
	}
	if line := c.Address.postBoxLine(); line != "" {
		add(WarningPostBox, "address."+line)
	}
	if c.Address.disagrees() {
		add(WarningProvince, "address.postal_code")
	}
	return warnings
}
