package retention

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// notPersonal lists the text fields of an order that do not identify the recipient
// and stay when the order is erased. Pickup, the sender's end, stays as a whole.
var notPersonal = []string{
	"OrderID", "PartnerID", "PartnerOrderID", "ServiceLevel", "Currency", "TrackingURL", "Status", "LastEvent", "QuoteID",
	"Dropoff.Address.City", "Dropoff.Address.Province", "Dropoff.Address.Country",
	"COD.Currency", "Insurance.Currency", "Parcels.ParcelID", "Parcels.Barcode", "Items.Name", "Items.SKU",
	"Items.Barcode",
	"Warnings.Code", "Warnings.Field", "Warnings.Message", "Courier.CourierID", "Courier.Name", "Courier.Phone",
	"Courier.Vehicle",
	"History.Status", "Allocation.Location", "Course.Edits.By", "Course.Edits.OperatorID", "Course.Edits.Fields",
	"Course.Edits.Was.Field", "Course.Edits.Seen.OperatorID", "Course.Edits.Seen.CourierID",
	"Course.Request.State", "Course.Return.State", "Course.Return.Location", "Course.Return.Lines.Disposition",
	"Course.Transfers.From.Kind", "Course.Transfers.From.ID", "Course.Transfers.From.Name", "Course.Transfers.To.Kind",
	"Course.Transfers.To.ID", "Course.Transfers.To.Name", "Course.Transfers.OperatorID", "Course.Origin.OrderID",
	"Course.Origin.To", "Course.Origin.Location", "Course.Returns.OrderID",
	"Course.CreatedBy",
	"Course.Collected.Currency", "Course.Collected.Method",
	"Course.Picking.Lines.Location", "Course.Picking.Lines.OperatorID", "Course.Picking.Packed.OperatorID",
}

// TestEraseKnowsEveryField fails for a text field of an order that erasing leaves
// and that is not listed as harmless: a new field has to be put in one of the two
// places.
func TestEraseKnowsEveryField(t *testing.T) {
	t.Parallel()
	for _, isReturn := range []bool{false, true} {
		var o delivery.Order
		before := testkit.Fill(&o)
		if !isReturn {
			o.Course.Origin = nil
			before = testkit.Texts(&o)
		}
		eraseOrder(&o, "")
		checkErased(t, before, testkit.Texts(&o), isReturn)
	}
}

// checkErased compares the texts of an order before and after it was erased. In a return the recipient
// is at the pickup.
func checkErased(t *testing.T, before, after map[string]string, isReturn bool) {
	t.Helper()
	for path, text := range before {
		name := strings.NewReplacer("[0]", "", "[1]", "").Replace(path)
		if isReturn { // the ends change places
			name = strings.NewReplacer("Pickup.", "Dropoff.", "Dropoff.", "Pickup.").Replace(name)
		}
		erased, harmless := after[path] != text, slices.Contains(notPersonal, name) || strings.HasPrefix(name, "Pickup.")
		if erased == harmless {
			t.Errorf("%s: got erased %v, want %v: see eraseOrder and notPersonal", path, erased, !harmless)
		}
	}
}
