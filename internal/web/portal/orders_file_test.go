package portal

import (
	"bytes"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOrdersFileKnowsEveryField fails for a new field of a request, until it is decided whether the file of orders
// has a column for it.
func TestOrdersFileKnowsEveryField(t *testing.T) {
	t.Parallel()
	var o delivery.Order
	testkit.Fill(&o)
	got := testkit.Ignored(&o.OrderRequest, func() any {
		var file bytes.Buffer
		lines := csvfile.NewWriter(&file, csvfile.Layout{})
		writeOrder(lines, &o)
		if err := lines.Flush(); err != nil {
			t.Fatal(err)
		}
		return file.String()
	})
	want := []string{
		"Pickup.Name", "Pickup.Phone", "Pickup.Email", "Pickup.Address.Line1", "Pickup.Address.Line2", "Pickup.Address.City",
		"Pickup.Address.Province", "Pickup.Address.PostalCode", "Pickup.Address.Country", "Pickup.Address.Notes",
		"Pickup.Window.Start", "Pickup.Window.End", "Dropoff.Address.Country", "Dropoff.Address.Notes",
		"Dropoff.Window.Start", "Dropoff.Window.End", "Parcels.ParcelID", "Parcels.Description", "Parcels.LengthCm",
		"Parcels.WidthCm", "Parcels.HeightCm", "Parcels.WeightKg", "Parcels.ValueCents", "Parcels.Fragile",
		"Parcels.Barcode", "Insurance.AmountCents", "Insurance.Currency", "Instructions", "Metadata",
		"Items.ProductID", "Items.SKU", "Items.Barcode", "Items.Quantity", "Items.Name", "QuoteID",
	}
	testkit.CompareIgnored(t, "columns of the file of orders", got, want)
}
