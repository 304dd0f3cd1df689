package label

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLabelKnowsEveryField fails for a new field of a request, until it is decided whether labels show it.
func TestLabelKnowsEveryField(t *testing.T) {
	t.Parallel()
	o := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
	o.COD.AmountCents = 1250
	got := testkit.Ignored(&o.OrderRequest, func() any {
		common, parcels := layout(o, time.UTC)
		return []any{common, parcels}
	})
	want := []string{
		"Pickup.Phone", "Pickup.Email", "Pickup.Address.Country", "Pickup.Address.Notes", "Pickup.Window.Start",
		"Pickup.Window.End", "Dropoff.Email", "Parcels.Description", "Parcels.ValueCents", "Metadata", "QuoteID",
	}
	testkit.CompareIgnored(t, "labels", got, want)
}
