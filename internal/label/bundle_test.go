package label_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
)

func atClock(delivery.Address) *time.Location { return clock }

// numbered returns an order with a number of its own and so many parcels.
func numbered(n, parcels int) *delivery.Order {
	o := usual()
	o.OrderID = fmt.Sprintf("ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g%04d", n)
	o.PartnerOrderID = fmt.Sprintf("A-%d", n)
	o.Parcels = slices.Repeat(o.Parcels[:1], parcels)
	return o
}

// TestBundleLeavesOut: what has no label, or no room, is left out, and all else stays in its order.
func TestBundleLeavesOut(t *testing.T) {
	t.Parallel()
	damaged, erased, returned := numbered(1, 1), numbered(2, 1), numbered(3, 1)
	damaged.Damage = &delivery.DamagedError{OrderID: damaged.OrderID}
	erased.Dropoff.Email, returned.Pickup.Email = delivery.ErasedEmail, delivery.ErasedEmail
	var many, large []*delivery.Order
	for n := range label.MaxOrders + 1 {
		many = append(many, numbered(n, 1))
	}
	for n := range label.MaxLabels/delivery.MaxParcels + 1 {
		large = append(large, numbered(n, delivery.MaxParcels-1))
	}
	large = append(large, numbered(99, label.MaxLabels%(delivery.MaxParcels-1)))
	for name, c := range map[string]struct {
		orders  []*delivery.Order
		printed int
		leftOut []string
	}{
		"nothing": {nil, 0, nil},
		"faults": {
			[]*delivery.Order{numbered(9, 1), damaged, erased, returned, numbered(8, 1)}, 2,
			[]string{"A-1 unreadable", "A-2 erased", "A-3 erased"},
		},
		"many orders": {many, label.MaxOrders, []string{fmt.Sprintf("A-%d full", label.MaxOrders)}},
		"many labels": {large, 11, []string{"A-10 full"}}, // a smaller one behind it fits
	} {
		b := label.Gather(c.orders, atClock)
		var leftOut []string
		for _, one := range b.LeftOut {
			leftOut = append(leftOut, one.Order.PartnerOrderID+" "+string(one.Why))
		}
		if len(b.Jobs) != c.printed || !slices.Equal(leftOut, c.leftOut) {
			t.Errorf("%s: got %d orders and left out %q, want %d and %q", name, len(b.Jobs), leftOut, c.printed, c.leftOut)
		}
		for i := 1; i < len(b.Jobs); i++ {
			before, after := slices.Index(c.orders, b.Jobs[i-1].Order), slices.Index(c.orders, b.Jobs[i].Order)
			if before > after {
				t.Errorf("%s: got the order at %d before that at %d, want them in their order", name, before, after)
			}
		}
	}
}

// TestBundleFile: the file has the labels of its orders, one after the other, and with a single order is
// that of the order.
func TestBundleFile(t *testing.T) {
	t.Parallel()
	orders := []*delivery.Order{numbered(1, 2), foreign(), numbered(3, 1)}
	b := label.Gather(orders, atClock)
	pages := 0
	for _, o := range orders {
		pages += len(o.Parcels)
	}
	file, err := b.File(label.FormatPDF, label.Coarsest)
	if err != nil || file.Name != "labels.pdf" || file.Format != label.FormatPDF {
		t.Fatalf("got the file %q, %s, %v, want labels.pdf", file.Name, file.Format, err)
	}
	if got := bytes.Count(file.Data, []byte("/Type /Page\n")); got != pages {
		t.Errorf("got %d pages, want %d", got, pages)
	}
	if again, err := b.File(label.FormatPDF, label.Coarsest); err != nil || !bytes.Equal(again.Data, file.Data) {
		t.Errorf("got another file for the same orders, %v", err)
	}
	var want []byte
	for _, o := range orders {
		want = append(want, label.ZPL(o, label.Coarsest, clock)...)
	}
	if file, err := b.File(label.FormatZPL, label.Coarsest); err != nil || file.Name != "labels.zpl" ||
		!bytes.Equal(file.Data, want) {
		t.Errorf("got %q of %d bytes, %v, want the labels one after the other", file.Name, len(file.Data), err)
	}
	one, err := label.Gather(orders[:1], atClock).File(label.FormatPDF, label.Coarsest)
	single, singleErr := label.NewFile(orders[0], label.FormatPDF, label.Coarsest, clock)
	if err != nil || singleErr != nil || one.Name != single.Name || !bytes.Equal(one.Data, single.Data) {
		t.Errorf("got %q, %v, want the file of the order, %q, %v", one.Name, err, single.Name, singleErr)
	}
}

// TestLargestBundle: the largest file stays within what a response may be.
func TestLargestBundle(t *testing.T) {
	t.Parallel()
	orders := slices.Repeat([]*delivery.Order{extreme()}, label.MaxLabels/delivery.MaxParcels)
	file, err := label.Gather(orders, atClock).File(label.FormatPDF, 600)
	if most := 16 << 20; err != nil || len(file.Data) > most {
		t.Errorf("got %d bytes, %v, want at most %d", len(file.Data), err, most)
	}
}
