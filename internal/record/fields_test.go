package record_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRecordKnowsEveryField fails for a field of an order that is neither part of
// the record nor one of those that the store keeps in columns of their own: a new
// field would be lost.
func TestRecordKnowsEveryField(t *testing.T) {
	t.Parallel()
	var o delivery.Order
	testkit.Fill(&o)
	got, err := record.Decode(record.Encode(&o))
	if err != nil {
		t.Fatal(err)
	}
	// Columns of the table orders, and the rows of order_history.
	got.PartnerID, got.Version, got.Events, got.LastEvent = o.PartnerID, o.Version, o.Events, o.LastEvent
	got.Courier, got.Allocation, got.Cancellation, got.History = o.Courier, o.Allocation, o.Cancellation, o.History
	got.MovedIn, got.Course = o.MovedIn, o.Course
	got.Promised = o.Promised // the estimated delivery of the record
	got.QuoteID = o.QuoteID   // used up by the creation, and not kept
	for i := range got.Items {
		got.Items[i].Barcode = o.Items[i].Barcode // likewise
	}
	if lost := testkit.Differences(got, &o); len(lost) > 0 {
		t.Errorf("got other values of the fields %q, want those that were encoded: see writeListed, encode and Decode", lost)
	}
}
