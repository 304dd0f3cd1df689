package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"unicode"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/google/uuid"
)

// TestTextsOfAllScripts: 5,000 random texts, five in an order, are stored and answered as they
// were sent, and labels with them are drawn.
func TestTextsOfAllScripts(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	random := repeatable.Rand(t)
	scripts := []*unicode.RangeTable{
		unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Canadian_Aboriginal, unicode.Han, unicode.Arabic,
		unicode.Hebrew, unicode.Devanagari, unicode.Thai, unicode.Hangul, unicode.Armenian, unicode.Mn, unicode.So,
		unicode.P, unicode.Nd,
	}
	text := func() string {
		letters := scripts[random.IntN(len(scripts))].R16
		drawn := []rune("x") // so that it is never blank
		for range 1 + random.IntN(20) {
			some := letters[random.IntN(len(letters))]
			drawn = append(drawn, rune(some.Lo)+rune(some.Stride)*rune(random.IntN(1+int(some.Hi-some.Lo)/int(some.Stride))))
		}
		return string(drawn)
	}
	paths := [][]any{
		{"dropoff", "name"}, {"dropoff", "address", "line1"}, {"dropoff", "address", "line2"},
		{"dropoff", "address", "notes"}, {"instructions"},
	}
	const orders, inBatch = 1000, 500
	var bodies []map[string]any
	for i := range orders {
		var body map[string]any
		if err := json.Unmarshal(testkit.OrderJSON(fmt.Sprint("T-", i), ""), &body); err != nil {
			t.Fatal(err)
		}
		to := body["dropoff"].(map[string]any)
		address := to["address"].(map[string]any)
		to["name"], address["line1"], address["line2"], address["notes"], body["instructions"] = text(), text(), text(),
			text(), text()
		bodies = append(bodies, body)
	}
	sent := func(order map[string]any, path []any) any {
		var at any = order
		for _, step := range path {
			at = at.(map[string]any)[step.(string)]
		}
		return at
	}
	for batch := range slices.Chunk(bodies, inBatch) {
		request, err := json.Marshal(map[string]any{"orders": batch})
		if err != nil {
			t.Fatal(err)
		}
		results := p.Call(t, "POST", "/v1/orders/batch", request, "Idempotency-Key", uuid.NewString())
		results.Must(t, 200)
		for i, order := range batch {
			for _, path := range paths {
				if got := results.JSON(append([]any{"results", i, "order"}, path...)...); got != sent(order, path) {
					t.Fatalf("%v: got %q, want %q", path, got, sent(order, path))
				}
			}
		}
		id := results.Text("results", 0, "order", "order_id")
		for _, format := range []string{"application/pdf", "application/zpl"} {
			p.Call(t, "GET", "/v1/orders/"+id+"/label", nil, "Accept", format).Must(t, 200)
		}
		if read := p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t,
			200); read.Text("dropoff", "name") != sent(batch[0], paths[0]) {
			t.Errorf("read: got %q, want %q", read.Text("dropoff", "name"), sent(batch[0], paths[0]))
		}
	}
}
