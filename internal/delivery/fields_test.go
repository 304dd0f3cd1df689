package delivery_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestFieldRulesHaveEveryField fails for a field of a request that fieldRules has no row for. A row for one end
// of the delivery is enough for a field that both have.
func TestFieldRulesHaveEveryField(t *testing.T) {
	t.Parallel()
	var request delivery.OrderRequest
	testkit.Fill(&request)
	rows := map[string]bool{"metadata.in": true} // the partner's own
	for _, rule := range fieldRules {
		rows[rule.field] = true
	}
	ends := strings.NewReplacer("pickup.", "dropoff.", "dropoff.", "pickup.")
	for _, path := range testkit.Members(t, record.EncodeRequest(&request)) {
		if !rows[path] && !rows[ends.Replace(path)] && !strings.HasPrefix(path, "items[0].") { // see TestItemRules
			t.Errorf("fieldRules: got no row for %s", path)
		}
	}
}

// TestPartsHaveEveryField fails for a field of a request of which an edit would be lost, because it is in
// none of delivery.Parts.
func TestPartsHaveEveryField(t *testing.T) {
	t.Parallel()
	var before, after delivery.OrderRequest
	testkit.Fill(&before)
	testkit.Fill(&after)
	got := testkit.Ignored(&after, func() any { return len(delivery.EditedParts(&before, &after)) })
	want := []string{
		"Items.SKU", "Items.Barcode", "Items.Name", // of a product, which ProductID names
		"QuoteID", // used up by the creation
	}
	testkit.CompareIgnored(t, "Parts", got, want)
}
