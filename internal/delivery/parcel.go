package delivery

import "github.com/dropyard/dropyard/internal/foundation/form"

// Parcel is one thing to carry (interface section 2.6).
type Parcel struct {
	ParcelID    string // unique within its order
	Description string
	LengthCm    float64 // 0.1 to 300; 0 in a quote that does not tell it
	WidthCm     float64
	HeightCm    float64
	WeightKg    float64 // 0.01 to 70
	ValueCents  int64   // declared value
	Fragile     bool
	Barcode     string
}

// The limits of interface section 8.
const (
	MaxParcels = 50

	minSideCm, maxSideCm     = 0.1, 300
	minWeightKg, maxWeightKg = 0.01, 70

	// MaxCents bounds every amount of money taken in: a billion dollars. It
	// keeps sums and percentages of amounts far from overflowing.
	MaxCents = 100_000_000_000
)

var (
	identifierRule  = form.Length(1, 255)
	descriptionRule = form.Length(1, 1000)
	barcodeRule     = form.Length(0, 255)
	currencyRule    = form.OneOf(CAD, USD)
)

func readParcels(f *form.Form, d depth) []Parcel {
	forms := f.Objects("parcels", form.Required, 1, MaxParcels)
	parcels := make([]Parcel, len(forms))
	seen := make(map[string]bool, len(forms))
	for i, entry := range forms {
		parcel := readParcel(entry, d)
		if parcel.ParcelID != "" && seen[parcel.ParcelID] {
			entry.Fault("parcel_id", "an identifier that no other parcel of the order has")
		}
		seen[parcel.ParcelID] = true
		parcels[i] = parcel
	}
	return parcels
}

func readParcel(f *form.Form, d depth) (p Parcel) {
	p.ParcelID = f.Text("parcel_id", d.whole, identifierRule)
	p.Description = f.Text("description", d.whole, descriptionRule)
	p.LengthCm, _ = f.Decimal("length_cm", d.whole, minSideCm, maxSideCm)
	p.WidthCm, _ = f.Decimal("width_cm", d.whole, minSideCm, maxSideCm)
	p.HeightCm, _ = f.Decimal("height_cm", d.whole, minSideCm, maxSideCm)
	p.WeightKg, _ = f.Decimal("weight_kg", form.Required, minWeightKg, maxWeightKg)
	p.ValueCents, _ = f.Integer("value_cents", d.whole, 0, MaxCents)
	p.Fragile = f.Flag("fragile")
	p.Barcode = f.Text("barcode", form.Optional, barcodeRule)
	return p
}

// Currency is CAD or USD.
type Currency string

// The two currencies of interface section 2.7.
const (
	CAD Currency = "CAD"
	USD Currency = "USD"
)

// Money is a cash-on-delivery or insurance amount (interface section 2.7).
type Money struct {
	AmountCents int64 // 0: nothing to collect, nothing insured
	Currency    Currency
}

func readMoney(f *form.Form) *Money {
	if f == nil {
		return nil
	}
	amount, _ := f.Integer("amount_cents", form.Required, 0, MaxCents)
	return &Money{
		AmountCents: amount,
		Currency:    Currency(f.Text("currency", form.Required, currencyRule)),
	}
}
