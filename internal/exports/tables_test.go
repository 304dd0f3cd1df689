package exports

import (
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOrderCellsKnowEveryField fails for a new field of a request, until it is decided whether the files of a
// day have a column for it.
func TestOrderCellsKnowEveryField(t *testing.T) {
	t.Parallel()
	var o delivery.Order
	testkit.Fill(&o)
	s := NewService(Config{Personal: true})
	got := testkit.Ignored(&o.OrderRequest, func() any { return s.orderCells(&o) })
	want := []string{ // the records in JSON have them
		"Pickup.Address.Country", "Pickup.Address.Notes", "Dropoff.Address.Country", "Dropoff.Address.Notes",
		"Parcels.ParcelID", "Parcels.Description", "Parcels.LengthCm", "Parcels.WidthCm", "Parcels.HeightCm",
		"Parcels.ValueCents", "Parcels.Fragile", "Parcels.Barcode", "Metadata", "Items.ProductID",
		"Items.SKU", "Items.Barcode", "Items.Name", "QuoteID",
	}
	testkit.CompareIgnored(t, "columns of the files of a day", got, want)
	if cells, columns := len(s.orderCells(&o)), len(s.orderColumns()); cells != columns {
		t.Errorf("got %d cells under %d columns", cells, columns)
	}
}
