package orderfile

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestFieldsAreThoseOfRequests fails for a field of a request that no column of a file becomes.
func TestFieldsAreThoseOfRequests(t *testing.T) {
	t.Parallel()
	var request delivery.OrderRequest
	testkit.Fill(&request)
	become := []string{"metadata.in"}
	for _, field := range Fields {
		become = append(become, map[Part]string{OfParcel: "parcels[0].", OfItem: "items[0]."}[field.Part]+field.target())
	}
	for _, path := range testkit.Members(t, record.EncodeRequest(&request)) {
		if !slices.Contains(become, path) {
			t.Errorf("got no column for %s, want one in Fields", path)
		}
	}
}
