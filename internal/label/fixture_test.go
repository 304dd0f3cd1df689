package label_test

import (
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

const (
	orderID  = "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j"
	tracking = "https://dropyard.example.com/track/" + orderID
)

// clock is the time zone of the dropoff of a typical order.
var clock = time.FixedZone("AST", -4*60*60)

// usual returns a typical order.
func usual() *delivery.Order {
	o := testkit.Order("par_3kq9w0zt", orderID, "EM-2026-004711", testkit.Epoch)
	o.TrackingURL = tracking
	o.Pickup.Name, o.Dropoff.Name = "Épicerie Bœuf & Fils", "Amélie Façade-Noël"
	o.Dropoff.Address = delivery.Address{
		Line1: "4000, rue Saint-Denis", Line2: "app. 12", City: "Montréal", Province: "QC", PostalCode: "h2w2m5",
		Country: "CA", Notes: "Sonnette du haut; le chien mord.",
	}
	o.Parcels = []delivery.Parcel{
		{
			ParcelID: "EM-2026-004711-1", LengthCm: 40, WidthCm: 30.5, HeightCm: 20, WeightKg: 6.2, Fragile: true,
			Barcode: "0627735067890",
		},
		{ParcelID: "EM-2026-004711-2", LengthCm: 10, WidthCm: 10, HeightCm: 5, WeightKg: 0.05},
	}
	o.COD = &delivery.Money{AmountCents: 4505, Currency: delivery.CAD}
	return o
}

// extreme returns an order with as many parcels and as long texts as an order may
// have.
func extreme() *delivery.Order {
	o := usual()
	o.ServiceLevel = delivery.SameDay
	long := strings.Repeat("Longueuil-sur-Mer ", 15)[:255]
	contact := delivery.Contact{Name: long, Phone: "+999999999999999", Window: delivery.Window{
		Start: o.Dropoff.Window.Start, End: o.Dropoff.Window.End.AddDate(1, 0, 0),
	}, Address: delivery.Address{
		Line1: long, Line2: long, City: long, Province: "NL", PostalCode: "A1B 2C3", Country: "CA",
		Notes: strings.Repeat("Press every bell twice, then wait. ", 28),
	}}
	o.Pickup, o.Dropoff = contact, contact
	o.Reference, o.PartnerOrderID = long[:100], strings.Repeat("W", 255)
	o.COD.AmountCents = delivery.MaxCents
	o.Parcels = make([]delivery.Parcel, delivery.MaxParcels)
	for i := range o.Parcels {
		o.Parcels[i] = delivery.Parcel{ParcelID: strings.Repeat("W", 250) + string(rune('A'+i)),
			LengthCm: 299.9, WidthCm: 299.9, HeightCm: 299.9, WeightKg: 69.99, Fragile: true, Barcode: strings.Repeat("x", 255)}
	}
	return o
}

// foreign returns an order with texts in scripts that the fonts have in part.
func foreign() *delivery.Order {
	o := usual()
	o.Dropoff.Name = "Дмитрий Ελένη 山田太郎 👩‍👩‍👧 e\u0301\u202e"
	o.Dropoff.Address.City = "Québec\n\x1b[31m"
	o.Parcels = o.Parcels[:1]
	o.Parcels[0].Barcode = strings.Repeat("M", 31)
	return o
}
