package page

import (
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// warningKeys are the phrases of warnings.
var warningKeys = map[delivery.WarningCode]string{
	delivery.WarningDropoffBeforePickup: "order.warning.before", delivery.WarningLate: "order.warning.late",
	delivery.WarningNoBusinessDay: "order.warning.no_business_day",
	delivery.WarningProvince:      "order.warning.province_mismatch",
	delivery.WarningPostBox:       "order.warning.post_office_box", delivery.WarningEmail: "order.warning.email_domain",
	delivery.WarningPhone: "order.warning.phone_length", delivery.WarningNotPrinted: "order.warning.label_not_printed",
	delivery.WarningCut: "order.warning.label_cut", delivery.WarningBarcode: "order.warning.barcode_not_printed",
}

// Warning returns what a warning says. One of a later release has no phrase.
func (l Language) Warning(w delivery.Warning) string {
	if key := warningKeys[w.Code]; key != "" {
		return l.Text(key, "field", l.OrderField(w.Field))
	}
	return w.Message
}

// orderFieldKeys are the phrases of the fields that warnings and edits name, by their path in a contact, in
// a parcel or in the order.
var orderFieldKeys = map[string]string{
	"name": "neworder.name", "phone": "neworder.phone", "email": "neworder.email",
	"address.line1": "neworder.line1", "address.line2": "order.line2", "address.city": "neworder.city",
	"address.postal_code": "neworder.postal_code", "address.notes": "order.notes", "time_window": "neworder.window",
	"parcel_id": "neworder.parcel_id", "barcode": "order.barcode", "partner_order_id": "neworder.partner_order_id",
	"reference": "neworder.reference", "instructions": "neworder.instructions", "service_level": "order.level",
	"address.province": "neworder.province", "address.country": "order.country", "parcels": "neworder.parcels",
	"items": "order.items", "cod": "order.cod", "insurance": "neworder.insurance", "metadata": "order.metadata",
}

// OrderField returns the label of a field of an order, with what it belongs to, by its path in a
// request. A field without a label has its path.
func (l Language) OrderField(path string) string {
	object, name, nested := strings.Cut(path, ".")
	if !nested {
		object, name = "", path
	}
	key := orderFieldKeys[name]
	parcel, _, isParcel := form.RowOf(path, "parcels")
	switch {
	case key == "":
		return path
	case isParcel:
		return l.Text("neworder.parcel", "n", parcel+1) + " · " + l.Text(key)
	case object == "pickup":
		return l.Text("order.pickup") + " · " + l.Text(key)
	case object == "dropoff":
		return l.Text("order.dropoff") + " · " + l.Text(key)
	}
	return l.Text(key)
}

// OrderFields returns the labels of several fields.
func (l Language) OrderFields(paths []string) string {
	labels := make([]string, len(paths))
	for i, path := range paths {
		labels[i] = l.OrderField(path)
	}
	return strings.Join(labels, ", ")
}
