package label

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"pgregory.net/rapid"
)

// TestZPL compares the ZPL of an order with a file that was checked by reading it.
// DROPYARD_UPDATE=1 replaces the file.
func TestZPL(t *testing.T) {
	t.Parallel()
	o := testkit.Order("par_3kq9w0zt", "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "A_1", testkit.Epoch)
	o.Dropoff.Name = `Zoë ^XA~JR\& 山 <b>`
	o.Parcels = append(o.Parcels, delivery.Parcel{ParcelID: "P>2", WeightKg: 70, LengthCm: 1, WidthCm: 2, HeightCm: 3})
	got := string(ZPL(o, Coarsest, time.UTC))
	const golden = "testdata/order.zpl"
	if os.Getenv("DROPYARD_UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// lineForm matches every line that a label may have. Its data holds no command.
var lineForm = regexp.MustCompile(`^(?:\^XA|\^CI28|\^PW812|\^LL1218|\^LH0,0|\^PQ1|\^XZ|` +
	`\^FO\d+,\d+(?:\^GB\d+,\d+,\d+|\^GFA,\d+,\d+,\d+,[0-9A-F,:]+|(?:\^A0N,\d+,\d+(?:\^FR)?|\^BY[2-4]\^BCN,\d+,N,N,N,[AN]|\^BQN,2,\d+)\^FH\^FD([^^~\\\x00-\x1f\x7f]*))\^FS)$`)

var hexForm = regexp.MustCompile(`_([0-9A-F]{2})`)

// decodeField returns the text of field data, as a printer reads it.
func decodeField(data string) string {
	return hexForm.ReplaceAllStringFunc(data, func(code string) string {
		letter := strings.IndexByte("0123456789ABCDEF", code[1])<<4 | strings.IndexByte("0123456789ABCDEF", code[2])
		return string([]byte{byte(letter)})
	})
}

func checkZPL(t rapid.TB, o *delivery.Order) {
	labels := strings.SplitAfter(string(ZPL(o, Coarsest, time.UTC)), "^XZ\n")
	if len(labels) != len(o.Parcels)+1 || labels[len(o.Parcels)] != "" {
		t.Fatalf("got %d labels, want %d", len(labels)-1, len(o.Parcels))
	}
	for i, one := range labels[:len(o.Parcels)] {
		qr, bars := "", ""
		for command := range strings.Lines(one) {
			found := lineForm.FindStringSubmatch(strings.TrimSuffix(command, "\n"))
			if found == nil {
				t.Fatalf("got %q, want a command of a label", command)
			}
			switch data := decodeField(found[1]); {
			case strings.Contains(command, "^BQ"):
				qr = data
			case strings.Contains(command, "N,N,N,A"):
				bars = data
			case strings.Contains(command, "N,N,N,N"):
				bars = strings.ReplaceAll(strings.TrimPrefix(data, ">:"), ">0", ">")
			}
		}
		if qr != "MA,"+o.TrackingURL || bars != Code128(o, i+1) {
			t.Fatalf("got the codes %q and %q, want %q and %q", qr, bars, "MA,"+o.TrackingURL, Code128(o, i+1))
		}
	}
}
