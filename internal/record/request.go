package record

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// EncodeRequest returns the body of a request to create an order. It leaves the quote
// out, because a quote expires.
func EncodeRequest(o *delivery.OrderRequest) []byte {
	w := strictjson.Writer{Buffer: make([]byte, 0, 1024+256*len(o.Parcels))}
	w.Object("")
	w.Text("partner_order_id", o.PartnerOrderID)
	w.Text("service_level", string(o.ServiceLevel))
	writeContact(&w, "pickup", &o.Pickup)
	writeContact(&w, "dropoff", &o.Dropoff)
	w.List("parcels")
	for i := range o.Parcels {
		writeRequestedParcel(&w, &o.Parcels[i])
	}
	w.EndList()
	writeMoney(&w, "cod", o.COD)
	writeMoney(&w, "insurance", o.Insurance)
	w.OptionalText("reference", o.Reference)
	w.OptionalText("instructions", o.Instructions)
	if o.Metadata != nil {
		w.Raw("metadata", o.Metadata)
	}
	writeRequestedItems(&w, o.Items)
	w.EndObject()
	return w.Buffer
}

// writeRequestedParcel differs from writeParcel: a request has the sides of a parcel
// beside its other fields, and no currency.
func writeRequestedParcel(w *strictjson.Writer, p *delivery.Parcel) {
	w.Object("")
	w.Text("parcel_id", p.ParcelID)
	w.Text("description", p.Description)
	w.Decimal("length_cm", p.LengthCm)
	w.Decimal("width_cm", p.WidthCm)
	w.Decimal("height_cm", p.HeightCm)
	w.Decimal("weight_kg", p.WeightKg)
	w.Integer("value_cents", p.ValueCents)
	w.Flag("fragile", p.Fragile)
	w.OptionalText("barcode", p.Barcode)
	w.EndObject()
}

// writeRequestedItems writes the products without their names. Those of an order are named by their ids.
func writeRequestedItems(w *strictjson.Writer, items []delivery.Item) {
	if len(items) == 0 {
		return
	}
	w.List("items")
	for _, item := range items {
		w.Object("")
		switch {
		case item.ProductID != 0:
			w.Integer("product_id", item.ProductID)
		case item.SKU != "":
			w.Text("sku", item.SKU)
		default:
			w.Text("barcode", item.Barcode)
		}
		w.Integer("quantity", item.Quantity)
		w.EndObject()
	}
	w.EndList()
}
