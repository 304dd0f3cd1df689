package label_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
)

// TestWarnings: what a label does not show as it is is a warning at its field, once.
func TestWarnings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*delivery.Order)
		want   string
	}{
		"usual":    {func(*delivery.Order) {}, "[]"},
		"lettered": {func(o *delivery.Order) { *o = *lettered() }, "[]"},
		"a name in Chinese": {func(o *delivery.Order) { o.Dropoff.Name = "山田太郎" },
			"[label_not_printed dropoff.name]"},
		"an emoji in the notes": {func(o *delivery.Order) { o.Dropoff.Address.Notes = "👍" },
			"[label_not_printed dropoff.address.notes]"},
		"a long street": {func(o *delivery.Order) { o.Dropoff.Address.Line1 = strings.Repeat("Longueuil ", 20) },
			"[label_cut dropoff.address.line1]"},
		"long instructions": {func(o *delivery.Order) { o.Instructions = strings.Repeat("Ring, then wait. ", 50) },
			"[label_cut instructions]"},
		"a long number of the order": {func(o *delivery.Order) { o.PartnerOrderID = strings.Repeat("W", 255) },
			"[label_cut partner_order_id]"},
		"barcodes": {func(o *delivery.Order) {
			o.Parcels[0].Barcode, o.Parcels[1].Barcode = "PKG-KELOWNA-WAREHOUSE-LOT-A-B-00", " 12"
		}, "[barcode_not_printed parcels[0].barcode barcode_not_printed parcels[1].barcode]"},
		"a quote": {func(o *delivery.Order) {
			*o = delivery.Order{}
			o.Parcels = make([]delivery.Parcel, 2)
		}, "[]"},
	} {
		o := usual()
		c.change(o)
		var got []string
		for _, warning := range label.Warnings(o) {
			got = append(got, string(warning.Code), warning.Field)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %s", name, got, c.want)
		}
	}
}
