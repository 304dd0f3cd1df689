// Package record encodes and decodes the order record of the contract (docs/contract.md, Orders in
// responses). The record that answers the creation of an order is stored as it is, and is the
// answer to a repeated creation. So the answer, the stored order and the replay cannot differ.
package record

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// Encode returns the complete record, which creating and reading an order answer.
func Encode(o *delivery.Order) []byte { return encode(o, shape{}) }

// EncodeCreated returns the record that a creation of the order as it is now would have
// answered, which is what is stored of an order that was edited.
func EncodeCreated(o *delivery.Order) []byte {
	created := *o
	created.Status, created.UpdatedAt, created.EstimatedDelivery = delivery.StatusPending, o.CreatedAt, o.Promised
	created.Courier, created.Cancellation, created.History = nil, nil, o.History[:1]
	created.Course = delivery.Course{Origin: o.Course.Origin} // all else is written behind the history when it is read
	return Encode(&created)
}

// EncodeCurrent returns the complete record with what single reads show besides: the version,
// and what has happened besides moves. Current returns the same of a stored order.
func EncodeCurrent(o *delivery.Order) []byte { return encode(o, shape{version: true}) }

// EncodeEdited returns what EncodeCurrent does, with what an edit has added to the price, in
// cents.
func EncodeEdited(o *delivery.Order, rateChange int64) []byte {
	return encode(o, shape{version: true, rateChange: &rateChange})
}

// EncodeEditedForOperators returns what EncodeForOperators does, with what an edit has added to
// the price, in cents.
func EncodeEditedForOperators(o *delivery.Order, rateChange int64) []byte {
	return encode(o, shape{operators: true, version: true, rateChange: &rateChange})
}

// EncodeForOperators returns the complete record as operators see it: its history also
// says when each status was recorded.
func EncodeForOperators(o *delivery.Order) []byte {
	return encode(o, shape{operators: true, version: true})
}

// shape says what a record has besides the fields of a creation's.
type shape struct {
	operators  bool
	version    bool
	rateChange *int64
}

func encode(o *delivery.Order, s shape) []byte {
	w := strictjson.Writer{Buffer: make([]byte, 0, 1024+512*len(o.Parcels))}
	w.Object("")
	writeListed(&w, o)
	w.Flag("livemode", !delivery.IsTestOrder(o.OrderID))
	w.OptionalText("reference", o.Reference)
	writeMoney(&w, "cod", o.COD)
	writeMoney(&w, "insurance", o.Insurance)
	w.OptionalText("instructions", o.Instructions)
	if origin := o.Course.Origin; origin != nil {
		w.Text("return_of", origin.OrderID)
		w.Text("return_reason", origin.Reason)
	}
	if o.Metadata != nil {
		w.Raw("metadata", o.Metadata)
	}
	writeItems(&w, o.Items)
	writeWarnings(&w, o.Warnings)
	writeCourier(&w, o.Courier)
	w.List("status_history")
	writeEntries(&w, o.History, o.Course.Collected, s.operators)
	w.EndList()
	writeCancellation(&w, o.Cancellation)
	if s.version {
		writeCourse(&w, o.Version, &o.Course, s.operators)
	}
	if s.rateChange != nil {
		w.Integer("rate_change_cents", *s.rateChange)
	}
	writeCancellationRequest(&w, o.Course.Request)
	writeReturn(&w, o.Course.Return)
	w.EndObject()
	return w.Buffer
}

// writeListed writes the fields that lists have, too (see AppendListed).
func writeListed(w *strictjson.Writer, o *delivery.Order) {
	w.Text("order_id", o.OrderID)
	w.Text("partner_order_id", o.PartnerOrderID)
	w.Text("status", string(o.Status))
	w.Text("service_level", string(o.ServiceLevel))
	writeContact(w, "pickup", &o.Pickup)
	writeContact(w, "dropoff", &o.Dropoff)
	w.List("parcels")
	for i := range o.Parcels {
		writeParcel(w, &o.Parcels[i], o.Currency)
	}
	w.EndList()
	w.Integer("rate_cents", o.RateCents)
	w.Text("currency", string(o.Currency))
	w.Time("estimated_delivery", o.EstimatedDelivery)
	w.Text("tracking_url", o.TrackingURL)
	w.Time("created_at", o.CreatedAt)
	w.Time("updated_at", o.UpdatedAt)
}

func writeContact(w *strictjson.Writer, name string, c *delivery.Contact) {
	w.Object(name)
	w.Text("name", c.Name)
	w.Text("phone", c.Phone)
	w.Text("email", c.Email)
	w.Object("address")
	w.Text("line1", c.Address.Line1)
	w.OptionalText("line2", c.Address.Line2)
	w.Text("city", c.Address.City)
	w.Text("province", c.Address.Province)
	w.Text("postal_code", c.Address.PostalCode)
	w.Text("country", c.Address.Country)
	w.OptionalText("notes", c.Address.Notes)
	w.EndObject()
	w.Object("time_window")
	w.TimeWithOffset("start", c.Window.Start)
	w.TimeWithOffset("end", c.Window.End)
	w.EndObject()
	w.EndObject()
}

func writeParcel(w *strictjson.Writer, p *delivery.Parcel, currency delivery.Currency) {
	w.Object("")
	w.Text("parcel_id", p.ParcelID)
	w.Text("description", p.Description)
	w.Decimal("weight_kg", p.WeightKg)
	w.Object("dimensions")
	w.Decimal("length_cm", p.LengthCm)
	w.Decimal("width_cm", p.WidthCm)
	w.Decimal("height_cm", p.HeightCm)
	w.EndObject()
	w.Integer("value_cents", p.ValueCents)
	w.Text("currency", string(currency))
	w.Flag("fragile", p.Fragile)
	w.OptionalText("barcode", p.Barcode)
	w.EndObject()
}

func writeMoney(w *strictjson.Writer, name string, m *delivery.Money) {
	if m == nil {
		return
	}
	w.Object(name)
	w.Integer("amount_cents", m.AmountCents)
	w.Text("currency", string(m.Currency))
	w.EndObject()
}

func writeItems(w *strictjson.Writer, items []delivery.Item) {
	if len(items) == 0 {
		return
	}
	w.List("items")
	for _, item := range items {
		w.Object("")
		w.Integer("product_id", item.ProductID)
		w.OptionalText("sku", item.SKU)
		w.Text("name", item.Name)
		w.Integer("quantity", item.Quantity)
		w.EndObject()
	}
	w.EndList()
}

func writeWarnings(w *strictjson.Writer, warnings []delivery.Warning) {
	if len(warnings) == 0 {
		return
	}
	w.List("warnings")
	for _, warning := range warnings {
		w.Object("")
		w.Text("code", string(warning.Code))
		w.Text("field", warning.Field)
		w.Text("message", warning.Message)
		w.EndObject()
	}
	w.EndList()
}

func writeCourier(w *strictjson.Writer, c *delivery.Courier) {
	if c == nil {
		return
	}
	w.Object("courier")
	w.Text("name", c.Name)
	w.Text("phone", c.Phone)
	w.Text("vehicle", c.Vehicle)
	w.EndObject()
}

// writeEntries writes a history. What was collected stands in the entry of the delivery, which is the last.
func writeEntries(
	w *strictjson.Writer, history []delivery.HistoryEntry, collected *delivery.Collected, forOperators bool,
) {
	for _, entry := range history {
		w.Object("")
		w.Text("status", string(entry.Status))
		w.Time("timestamp", entry.At)
		if forOperators {
			w.Time("recorded_at", entry.RecordedAt)
			w.Integer("version", entry.Version)
		}
		w.Text("notes", entry.Notes)
		if entry.Status == delivery.StatusDelivered {
			writeCollected(w, collected)
		}
		w.EndObject()
	}
}

func writeCollected(w *strictjson.Writer, c *delivery.Collected) {
	if c == nil {
		return
	}
	w.Object("collected")
	w.Integer("amount_cents", c.AmountCents)
	w.Text("currency", string(c.Currency))
	w.Text("method", string(c.Method))
	w.OptionalText("notes", c.Notes)
	w.EndObject()
}

func writeCancellation(w *strictjson.Writer, c *delivery.Cancellation) {
	if c == nil {
		return
	}
	w.Text("cancellation_reason", c.Reason)
	w.Time("cancelled_at", c.At)
}

// writeCourse writes the version of an order, and what has happened to it besides its moves.
func writeCourse(w *strictjson.Writer, version int64, c *delivery.Course, forOperators bool) {
	w.Integer("version", version)
	if len(c.Returns) > 0 {
		w.List("returns")
		for _, back := range c.Returns {
			w.Text("", back.OrderID)
		}
		w.EndList()
	}
	if len(c.Edits) == 0 {
		return
	}
	w.List("changes")
	for _, edit := range c.Edits {
		w.Object("")
		w.Time("at", edit.At)
		w.Text("by", string(edit.By))
		if forOperators {
			w.OptionalText("operator_id", edit.OperatorID)
			w.OptionalText("reason", edit.Reason)
			w.Integer("version", edit.Version)
		}
		w.List("fields")
		for _, field := range edit.Fields {
			w.Text("", field)
		}
		w.EndList()
		if forOperators {
			writeConfirmation(w, &edit)
		}
		w.EndObject()
	}
	w.EndList()
}

// writeConfirmation writes whether the courier knows an edit; nothing for one that needs no
// confirmation.
func writeConfirmation(w *strictjson.Writer, edit *delivery.Edit) {
	if edit.Unseen {
		w.Flag("confirmed", false)
	}
	if edit.Seen == nil {
		return
	}
	w.Flag("confirmed", true)
	w.Time("confirmed_at", edit.Seen.At)
	w.OptionalText("confirmed_by", edit.Seen.OperatorID)
	w.OptionalText("courier_id", edit.Seen.CourierID)
}

func writeCancellationRequest(w *strictjson.Writer, r *delivery.CancellationRequest) {
	if r == nil {
		return
	}
	w.Object("cancellation_request")
	w.Text("state", string(r.State))
	w.Text("reason", r.Reason)
	w.Time("at", r.At)
	w.Text("answer", r.Answer) // empty until it is answered
	w.EndObject()
}
