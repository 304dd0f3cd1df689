// Package testkit has what tests of several packages need: valid orders, a clock and
// random bytes that repeat, private PostgreSQL servers, and proxies in front of them.
package testkit

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Epoch is the time at which tests begin: a Wednesday morning in Montréal.
var Epoch = time.Date(2026, time.January, 14, 15, 0, 0, 0, time.UTC)

// Order returns a valid order that was created at the given time.
func Order(partnerID, orderID, reference string, at time.Time) *delivery.Order {
	return &delivery.Order{
		OrderID:   orderID,
		PartnerID: partnerID,
		OrderRequest: delivery.OrderRequest{
			PartnerOrderID: reference,
			Shipment: delivery.Shipment{
				ServiceLevel: delivery.Express,
				Pickup:       contact("Épicerie Métro", "Montréal", "QC", "H2W 2M5", at),
				Dropoff:      contact("Alex Martin", "Toronto", "ON", "M5H 2N2", at.Add(24*time.Hour)),
				Parcels: []delivery.Parcel{{
					ParcelID: "P-1", Description: "Books", LengthCm: 30, WidthCm: 20, HeightCm: 10.5,
					WeightKg: 2.25, ValueCents: 4500, Fragile: true, Barcode: "0123",
				}},
				COD: &delivery.Money{AmountCents: 0, Currency: delivery.CAD},
			},
			Reference: "REF", Instructions: "Ring twice", Metadata: []byte(`{ "b" : 1, "a":[1.0] }`),
		},
		RateCents: 1234, Currency: delivery.CAD, TrackingURL: "http://localhost/track/" + orderID,
		CreatedAt: at, Status: delivery.StatusPending, Version: 1, UpdatedAt: at,
		EstimatedDelivery: at.Add(48 * time.Hour), Promised: at.Add(48 * time.Hour),
		History: []delivery.HistoryEntry{{Status: delivery.StatusPending, At: at, RecordedAt: at, Version: 1}},
	}
}

func contact(name, city, province, postalCode string, at time.Time) delivery.Contact {
	return delivery.Contact{
		Name: name, Phone: "+15145550100", Email: "someone@example.com",
		Address: delivery.Address{
			Line1: "1 Rue Principale", Line2: "app. 2", City: city, Province: province,
			PostalCode: postalCode, Country: delivery.Country, Notes: "Sonner",
		},
		Window: delivery.Window{Start: at, End: at.Add(3 * time.Hour)},
	}
}

// OrderJSON returns the body of a valid request to create an order. items is a JSON
// list, or empty for none.
func OrderJSON(reference, items string) []byte {
	if items != "" {
		items = `,"items":` + items
	}
	return fmt.Appendf(nil, `{"partner_order_id":%q,"service_level":"express",
"pickup":{"name":"Épicerie Métro","phone":"+15145550100","email":"shop@example.com",
 "address":{"line1":"4000 Rue Saint-Denis","city":"Montréal","province":"QC","postal_code":"H2W 2M5","country":"CA"},
 "time_window":{"start":"2026-01-14T13:00:00-05:00","end":"2026-01-14T16:00:00-05:00"}},
"dropoff":{"name":"Alex Martin","phone":"+14165550123","email":"alex@example.com",
 "address":{"line1":"100 Queen St W","line2":"Unit 4","city":"Toronto","province":"ON","postal_code":"M5H 2N2","country":"CA","notes":"Ring twice"},
 "time_window":{"start":"2026-01-15T09:00:00-05:00","end":"2026-01-15T17:00:00-05:00"}},
"parcels":[{"parcel_id":"P-1","description":"Books","length_cm":30,"width_cm":20,"height_cm":10,"weight_kg":2.5,"value_cents":4500},
 {"parcel_id":"P-2","description":"Lamp","length_cm":40.5,"width_cm":40,"height_cm":60,"weight_kg":3,"value_cents":12000,"fragile":true,"barcode":"LAMP-2"}],
"reference":"PO 77","instructions":"Leave at the desk","metadata":{ "shop":"métro", "n":1.0 }%s}`, reference, items)
}
