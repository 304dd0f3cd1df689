package orderfile

import (
	"slices"
	"strings"
)

// Part says what a field belongs to: the order, one of its parcels, one of its items, or the list of
// what is in its parcel.
type Part byte

// The parts of an order.
const (
	OfOrder Part = iota
	OfParcel
	OfItem
	OfContents
)

// kind says how the cells of a column are written.
type kind byte

const (
	asText kind = iota
	asNumber
	asDollars // an amount in dollars, which becomes one in cents
	asFlag
	asObject
	asPhone
	asProvince
	asCountry
	asPostalCode
	asTime
	asLevel
)

// Field is what a column of a file can hold: a member of an order, by its path without the positions of
// lists, or something that becomes one.
type Field struct {
	Name string
	Part Part
	kind kind
	path string // of the member that it becomes; empty for Name
}

// target returns the path of the member in its object.
func (f Field) target() string {
	if f.path != "" {
		return f.path
	}
	return f.Name
}

// The fields that are not members of an order.
const (
	ContentsName     = "contents.name"     // the name of an article in the parcel
	ContentsQuantity = "contents.quantity" // how many of them
)

// Fields lists all fields.
var Fields = slices.Concat(
	[]Field{{"partner_order_id", OfOrder, asText, ""}, {"service_level", OfOrder, asLevel, ""}},
	contactFields("dropoff"), contactFields("pickup"),
	[]Field{
		{"reference", OfOrder, asText, ""}, {"instructions", OfOrder, asText, ""}, {"quote_id", OfOrder, asText, ""},
		{"metadata", OfOrder, asObject, ""},
		{"cod.amount_cents", OfOrder, asNumber, ""}, {"cod.currency", OfOrder, asText, ""},
		{"cod.amount", OfOrder, asDollars, "cod.amount_cents"},
		{"insurance.amount_cents", OfOrder, asNumber, ""}, {"insurance.currency", OfOrder, asText, ""},
		{"insurance.amount", OfOrder, asDollars, "insurance.amount_cents"},
		{"parcel_id", OfParcel, asText, ""}, {"description", OfParcel, asText, ""},
		{"weight_kg", OfParcel, asNumber, ""}, {"length_cm", OfParcel, asNumber, ""}, {"width_cm", OfParcel, asNumber, ""},
		{"height_cm", OfParcel, asNumber, ""}, {"value_cents", OfParcel, asNumber, ""},
		{"value", OfParcel, asDollars, "value_cents"}, {"fragile", OfParcel, asFlag, ""},
		{"barcode", OfParcel, asText, ""}, {"product_id", OfItem, asNumber, ""},
		{"product_sku", OfItem, asText, "sku"}, {"product_barcode", OfItem, asText, "barcode"},
		{"quantity", OfItem, asNumber, ""},
		{ContentsName, OfContents, asText, ""}, {ContentsQuantity, OfContents, asText, ""},
	})

// contactFields returns the fields of one end of a delivery: pickup or dropoff.
func contactFields(end string) (fields []Field) {
	for _, f := range []Field{
		{Name: "name"}, {Name: "phone", kind: asPhone}, {Name: "email"}, {Name: "address.line1"}, {Name: "address.line2"},
		{Name: "address.city"}, {Name: "address.province", kind: asProvince},
		{Name: "address.postal_code", kind: asPostalCode}, {Name: "address.country", kind: asCountry},
		{Name: "address.notes"}, {Name: "time_window.start", kind: asTime}, {Name: "time_window.end", kind: asTime},
	} {
		f.Name = end + "." + f.Name
		fields = append(fields, f)
	}
	return fields
}

// FindField returns the field with a name.
func FindField(name string) (Field, bool) {
	i := slices.IndexFunc(Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return Fields[i], true
}

// MayDefault reports whether a default can stand for the field in every order that lacks it. The number of an order
// is its own, and items and contents are lists.
func (f Field) MayDefault() bool { return f.Part <= OfParcel && f.Name != Fields[0].Name }

// fieldOf returns the name of the field that a path of a request, such as parcels[0].weight_kg, comes from.
func fieldOf(path string) string {
	if list, member, ok := strings.Cut(path, "]."); ok && strings.Contains(list, "[") {
		isOf := func(f Field) bool { return f.Part == OfItem && f.target() == member }
		if i := slices.IndexFunc(Fields, isOf); i >= 0 && strings.HasPrefix(list, "items[") {
			return Fields[i].Name
		}
		return member
	}
	return path
}

// Contact lists the fields of one end of a delivery that every order needs.
var Contact = []string{
	"name", "phone", "email", "address.line1", "address.city", "address.province", "address.postal_code",
	"time_window.start", "time_window.end",
}

// Parcel lists the fields that every parcel needs.
var Parcel = []string{"weight_kg", "length_cm", "width_cm", "height_cm", "value", "description"}

// required returns the fields that every order needs, from a column or a default.
func required() []string {
	names := []string{"partner_order_id", "service_level"}
	for _, end := range []string{"pickup.", "dropoff."} {
		for _, name := range Contact {
			names = append(names, end+name)
		}
	}
	return append(names, Parcel...)
}
