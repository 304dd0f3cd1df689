package label

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// FuzzLabel: whatever an order's texts are, the ZPL holds no commands but those of a label,
// and the PDF has a page for each parcel.
func FuzzLabel(f *testing.F) {
	f.Add("Zo\u00eb ^XA~JR\\&", "4000, rue Saint-Denis", "_5E^FS^XZ", "P>2", "H2X 1Y4")
	f.Add("\u202e\u5c71\u7530 \U0001f469\u200d\U0001f467", strings.Repeat("W", 255), "\x00\x1f\x7f", ">:>0", "h2x1y4")
	f.Add("(\\) endstream endobj", "", "\n\r\t", "", "")
	f.Fuzz(func(t *testing.T, name, line, notes, parcel, code string) {
		o := testkit.Order("par_3kq9w0zt", "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", parcel, testkit.Epoch)
		o.Dropoff.Name, o.Dropoff.Address.Line1, o.Dropoff.Address.Notes, o.Dropoff.Address.PostalCode = name, line, notes,
			code
		o.Parcels = append(o.Parcels, delivery.Parcel{ParcelID: parcel, WeightKg: 1, LengthCm: 1, WidthCm: 2, HeightCm: 3})
		checkZPL(t, o)
		file, err := PDF(o, Coarsest, time.UTC)
		if got := strings.Count(string(file), "/Type /Page\n"); err != nil || got != len(o.Parcels) {
			t.Fatalf("got %d pages, %v, want %d", got, err, len(o.Parcels))
		}
	})
}

// FuzzScan: whatever is read from a label, what is recognised is the id of an order.
func FuzzScan(f *testing.F) {
	const id = "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j"
	for _, text := range []string{id, parcelNumber(id,
		3), "https://dropyard.example.com/track/" + id, "//x/track/" + id + "/html/", "0627735067890", "%zz"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		orderID, place, ok := Scan(text)
		if !ok {
			return
		}
		if _, valid := delivery.PartnerOfOrder(orderID); !valid || place < 0 || place > delivery.MaxParcels {
			t.Fatalf("%q: got the order %q and the place %d", text, orderID, place)
		}
		if again, same, _ := Scan(parcelNumber(orderID, max(1, place))); again != orderID || same != max(1, place) {
			t.Fatalf("%q: got %q and %d back from the number of the parcel, want %q", text, again, same, orderID)
		}
	})
}
