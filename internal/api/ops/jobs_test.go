package ops

import (
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestJobsKnowEveryField fails for a new field of a request, until it is decided whether couriers get it.
func TestJobsKnowEveryField(t *testing.T) {
	t.Parallel()
	var o delivery.Order
	testkit.Fill(&o)
	got := testkit.Ignored(&o.OrderRequest, func() any {
		return jobOf(&dispatch.Job{Order: &o, Stop: dispatch.Stop{Contact: &o.Dropoff}})
	})
	want := []string{
		"Pickup.Name", "Pickup.Phone", "Pickup.Email", "Pickup.Address.Line1", "Pickup.Address.Line2", "Pickup.Address.City",
		"Pickup.Address.Province", "Pickup.Address.PostalCode", "Pickup.Address.Country", "Pickup.Address.Notes",
		"Pickup.Window.Start", "Pickup.Window.End", // the courier has been there
		"Dropoff.Email", // of no use to couriers
		"Parcels.LengthCm", "Parcels.WidthCm", "Parcels.HeightCm", "Parcels.ValueCents",
		"Insurance.AmountCents", "Insurance.Currency", "Metadata",
		"Items.ProductID", "Items.SKU", "Items.Barcode", "Items.Quantity", "Items.Name", "QuoteID",
	}
	testkit.CompareIgnored(t, "jobs", got, want)
}
