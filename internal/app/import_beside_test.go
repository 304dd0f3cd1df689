package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestImportKeepsNoCreationWaiting imports 9,999 products while orders are created, and
// measures how long those take. TestImportInParts checks at default length that no
// transaction stores more than a part.
func TestImportKeepsNoCreationWaiting(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	s := newStockroom(t)
	var file strings.Builder
	file.WriteString("name,price,barcode,opening_quantity,opening_location\n")
	for i := range 9999 {
		fmt.Fprintf(&file, "Product %d,12.99,%013d,5,MTL-1\n", i, i+1)
	}
	imported := make(chan string, 1)
	began := time.Now()
	go func() { imported <- s.imports(t, file.String()) }()
	var took []time.Duration
	for i := 0; ; i++ {
		select {
		case got := <-imported:
			if got != "9999 0 0 9999" {
				t.Errorf("got %s imported, want 9999 0 0 9999", got)
			}
			slices.Sort(took)
			whole, p99, longest := time.Since(began), took[len(took)*99/100], took[len(took)-1]
			t.Logf("the import took %v; of %d creations beside it: median %v, p99 %v, longest %v",
				whole, len(took), took[len(took)/2], p99, longest)
			// A creation waits for a few of the import's hundred parts; it would wait for the
			// whole if that was one transaction.
			if p99 > whole/10 {
				t.Errorf("got a p99 of %v, want at most a tenth of the import's %v", p99, whole)
			}
			return
		default:
		}
		start := time.Now()
		s.partner.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201)
		took = append(took, time.Since(start))
	}
}
