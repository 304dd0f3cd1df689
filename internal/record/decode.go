package record

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// OrderID returns the id in a record that Encode has written; empty for an empty record.
func OrderID(document []byte) string {
	rest, _ := bytes.CutPrefix(document, []byte(`{"order_id":"`))
	id, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(id)
}

// Decode reads the record that Encode wrote when the order was created. Fields
// that change later (status, courier, history, …) have the values of that time;
// the store overwrites them with the current ones. Promised keeps the estimate of
// that time, and of the course only what the record of a return order says is there.
func Decode(document []byte) (*delivery.Order, error) {
	root, err := strictjson.ParseTrusted(document)
	if err != nil {
		return nil, fmt.Errorf("read an order record: %w", err)
	}
	r := reader{root}
	o := &delivery.Order{
		OrderID: r.text("order_id"),
		OrderRequest: delivery.OrderRequest{
			PartnerOrderID: r.text("partner_order_id"),
			Shipment: delivery.Shipment{
				ServiceLevel: delivery.ServiceLevel(r.text("service_level")),
				Pickup:       r.in("pickup").contact(),
				Dropoff:      r.in("dropoff").contact(),
				COD:          r.in("cod").money(),
				Insurance:    r.in("insurance").money(),
			},
			Reference:    r.text("reference"),
			Instructions: r.text("instructions"),
			Metadata:     bytes.Clone(r.in("metadata").source.Raw()),
		},
		RateCents:         r.integer("rate_cents"),
		Currency:          delivery.Currency(r.text("currency")),
		TrackingURL:       r.text("tracking_url"),
		CreatedAt:         r.time("created_at"),
		Status:            delivery.Status(r.text("status")),
		UpdatedAt:         r.time("updated_at"),
		EstimatedDelivery: r.time("estimated_delivery"),
	}
	o.Promised = o.EstimatedDelivery
	if id := r.text("return_of"); id != "" {
		o.Course.Origin = &delivery.Origin{OrderID: id, Reason: r.text("return_reason")}
	}
	for _, parcel := range r.list("parcels") {
		o.Parcels = append(o.Parcels, parcel.parcel())
	}
	for _, item := range r.list("items") {
		o.Items = append(o.Items, delivery.Item{
			ProductID: item.integer("product_id"), SKU: item.text("sku"), Quantity: item.integer("quantity"),
			Name: item.text("name"),
		})
	}
	for _, warning := range r.list("warnings") {
		o.Warnings = append(o.Warnings, delivery.Warning{
			Code: delivery.WarningCode(warning.text("code")), Field: warning.text("field"), Message: warning.text("message"),
		})
	}
	return o, nil
}

// reader reads the fields of a record that this service wrote. A missing field
// reads as zero.
type reader struct{ source form.Source }

func (r reader) in(name string) reader   { return reader{r.source.Member(name)} }
func (r reader) text(name string) string { return r.source.Member(name).Text() }
func (r reader) exists() bool            { return r.source.Kind() != form.Absent }
func (r reader) flag(name string) bool   { return r.text(name) == "true" }
func (r reader) time(name string) time.Time {
	at, _ := timestamp.Parse(r.text(name))
	return at
}

func (r reader) timeWithOffset(name string) time.Time {
	at, _ := timestamp.ParseWithOffset(r.text(name))
	return at
}

func (r reader) integer(name string) int64 {
	number, _ := strconv.ParseInt(r.text(name), 10, 64)
	return number
}

func (r reader) decimal(name string) float64 {
	number, _ := strconv.ParseFloat(r.text(name), 64)
	return number
}

func (r reader) list(name string) []reader {
	elements := r.source.Member(name).Elements()
	readers := make([]reader, len(elements))
	for i, element := range elements {
		readers[i] = reader{element}
	}
	return readers
}

func (r reader) contact() delivery.Contact {
	address, window := r.in("address"), r.in("time_window")
	return delivery.Contact{
		Name:  r.text("name"),
		Phone: r.text("phone"),
		Email: r.text("email"),
		Address: delivery.Address{
			Line1:      address.text("line1"),
			Line2:      address.text("line2"),
			City:       address.text("city"),
			Province:   address.text("province"),
			PostalCode: address.text("postal_code"),
			Country:    address.text("country"),
			Notes:      address.text("notes"),
		},
		Window: delivery.Window{Start: window.timeWithOffset("start"), End: window.timeWithOffset("end")},
	}
}

func (r reader) parcel() delivery.Parcel {
	dimensions := r.in("dimensions")
	return delivery.Parcel{
		ParcelID:    r.text("parcel_id"),
		Description: r.text("description"),
		LengthCm:    dimensions.decimal("length_cm"),
		WidthCm:     dimensions.decimal("width_cm"),
		HeightCm:    dimensions.decimal("height_cm"),
		WeightKg:    r.decimal("weight_kg"),
		ValueCents:  r.integer("value_cents"),
		Fragile:     r.flag("fragile"),
		Barcode:     r.text("barcode"),
	}
}

func (r reader) money() *delivery.Money {
	if !r.exists() {
		return nil
	}
	return &delivery.Money{AmountCents: r.integer("amount_cents"), Currency: delivery.Currency(r.text("currency"))}
}
