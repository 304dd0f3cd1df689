package pricing

import (
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
)

// SameTerms reports whether two shipments have the same price and the same estimate at any
// moment, because they differ in nothing that either is computed from.
func SameTerms(a, b *delivery.Shipment) bool {
	return a.ServiceLevel == b.ServiceLevel && a.Pickup.Window.Start.Equal(b.Pickup.Window.Start) &&
		samePlace(&a.Pickup.Address, &b.Pickup.Address) && samePlace(&a.Dropoff.Address, &b.Dropoff.Address) &&
		slices.EqualFunc(a.Parcels, b.Parcels, sameLoad) && a.COD.Equal(b.COD) && a.Insurance.Equal(b.Insurance)
}

func samePlace(a, b *delivery.Address) bool {
	return a.PostalCode == b.PostalCode && a.City == b.City && a.Province == b.Province
}

func sameLoad(a, b delivery.Parcel) bool {
	return a.WeightKg == b.WeightKg && a.LengthCm == b.LengthCm && a.WidthCm == b.WidthCm && a.HeightCm == b.HeightCm &&
		a.Fragile == b.Fragile
}
