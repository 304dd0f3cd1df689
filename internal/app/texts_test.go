package app_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/google/uuid"
)

// TestTextsOfAllScripts: 5,000 random texts, 15 in an order, are stored and answered as they
// were sent, and labels with them are drawn.
func TestTextsOfAllScripts(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	texts := testkit.NewTextSource(repeatable.Rand(t))
	const orders, inBatch = 340, 85
	var sent []writtenOrder
	for i := range orders {
		sent = append(sent, writeOrder(t, texts, i))
	}
	for batch := range slices.Chunk(sent, inBatch) {
		var bodies []json.RawMessage
		for _, order := range batch {
			bodies = append(bodies, order.body)
		}
		results := p.Call(t, "POST", "/v1/orders/batch", marshal(t, map[string]any{"orders": bodies}), "Idempotency-Key",
			uuid.NewString()).Must(t, 200)
		for i, order := range batch {
			order.answered(t, results, "results", i, "order")
		}
		for i := range 4 {
			id := results.Text("results", i, "order", "order_id")
			for _, format := range []string{"application/pdf", "application/zpl"} {
				p.Call(t, "GET", "/v1/orders/"+id+"/label", nil, "Accept", format).Must(t, 200)
			}
			batch[i].answered(t, p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200))
		}
	}
}
