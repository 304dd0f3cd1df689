package delivery

import "github.com/dropyard/dropyard/internal/foundation/form"

// Parcel is one package of an order (docs/contract.md, Parcels).
type Parcel struct {
	ParcelID    string // unique within its order
	Description string
	LengthCm    float64 // 0.1 to 300; 0 in a quote that leaves it out
	WidthCm     float64
	HeightCm    float64
	WeightKg    float64 // 0.01 to 70
	ValueCents  int64   // declared value
	Fragile     bool
	Barcode     string
}

// The limits of parcels (docs/contract.md, Parcels).
const (
	MaxParcels = 50

	minSideCm, maxSideCm     = 0.1, 300
	minWeightKg, maxWeightKg = 0.01, 70

	// MaxCents is the greatest amount of money that a request may hold: a billion
	// dollars. Sums and percentages of such amounts do not overflow.
	MaxCents = 100_000_000_000
)

var (
	identifierRule  = form.Length(1, 255).And(form.NoOuterSpace)
	descriptionRule = form.Length(1, 1000)
	barcodeRule     = form.Length(0, 255)
	currencyRule    = form.OneOf(CAD, USD)
	distinctParcel  = form.Define("distinct_parcel", "an identifier that no other parcel of the order has")
)

func readParcels(f *form.Form, unpriced form.Presence) []Parcel {
	forms := f.Objects("parcels", form.Required, 1, MaxParcels)
	parcels := make([]Parcel, len(forms))
	seen := make(map[string]bool, len(forms))
	for i, entry := range forms {
		parcel := readParcel(entry, unpriced)
		if parcel.ParcelID != "" && seen[parcel.ParcelID] {
			entry.Fault("parcel_id", distinctParcel)
		}
		seen[parcel.ParcelID] = true
		parcels[i] = parcel
	}
	return parcels
}

func readParcel(f *form.Form, unpriced form.Presence) (p Parcel) {
	p.ParcelID = f.Text("parcel_id", unpriced, identifierRule)
	p.Description = f.Text("description", unpriced, descriptionRule)
	p.LengthCm, _ = f.Decimal("length_cm", unpriced, minSideCm, maxSideCm)
	p.WidthCm, _ = f.Decimal("width_cm", unpriced, minSideCm, maxSideCm)
	p.HeightCm, _ = f.Decimal("height_cm", unpriced, minSideCm, maxSideCm)
	p.WeightKg, _ = f.Decimal("weight_kg", form.Required, minWeightKg, maxWeightKg)
	p.ValueCents, _ = f.Integer("value_cents", unpriced, 0, MaxCents)
	p.Fragile = f.Flag("fragile")
	p.Barcode = f.Text("barcode", form.Optional, barcodeRule)
	return p
}

// Currency is the currency of an amount, CAD or USD.
type Currency string

// The two currencies (docs/contract.md, Orders in requests).
const (
	CAD Currency = "CAD"
	USD Currency = "USD"
)

// Money is a cash-on-delivery or insurance amount (docs/contract.md, Orders in requests).
type Money struct {
	AmountCents int64 // 0 means nothing to collect, or nothing insured
	Currency    Currency
}

// Equal reports whether two amounts are the same; nil is that of an order without one.
func (m *Money) Equal(other *Money) bool {
	return m == other || m != nil && other != nil && *m == *other
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

// ReadKnownParcel reads a parcel that is kept for later orders, by a name of its own: no other field is required.
func ReadKnownParcel(f *form.Form) {
	f.Text("name", form.Required, NameRule)
	f.Text("description", form.Optional, form.Length(0, 1000))
	for _, side := range []string{"length_cm", "width_cm", "height_cm"} {
		f.Decimal(side, form.Optional, minSideCm, maxSideCm)
	}
	f.Decimal("weight_kg", form.Optional, minWeightKg, maxWeightKg)
	f.Integer("value_cents", form.Optional, 0, MaxCents)
}
