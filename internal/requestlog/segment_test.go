package requestlog_test

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 3, 2, 14, 5, 9, 417_123_000, time.UTC)

// drawEntry returns an entry as Clean leaves it.
func drawEntry(t *rapid.T) requestlog.Entry {
	e := requestlog.Entry{
		PartnerID: "par_01234567",
		RequestID: "req_" + hex.EncodeToString(rapid.SliceOfN(rapid.Byte(), 10, 10).Draw(t, "request")),
		At:        epoch.Add(time.Duration(rapid.Int64Range(-40_000_000, 40_000_000).Draw(t, "at")) * time.Microsecond),
		Took:      time.Duration(rapid.Int64Range(0, 40_000_000).Draw(t, "took")) * time.Microsecond,
		Method:    rapid.SampledFrom([]string{"GET", "POST", "HEAD"}).Draw(t, "method"),
		Path:      rapid.SampledFrom([]string{"/v1/orders", "/v1/rates/quote", "/v1/orders/{order_id}"}).Draw(t, "path"),
		Status:    rapid.SampledFrom([]int{200, 201, 422, 503}).Draw(t, "status"),
		Code:      rapid.SampledFrom([]string{"", "validation_error"}).Draw(t, "code"),
		KeyID:     rapid.SampledFrom([]string{"key_0123456789abcdef", "key_fedcba9876543210"}).Draw(t, "key"),
	}
	if rapid.Bool().Draw(t, "odd") {
		e.RequestID = rapid.String().Draw(t, "odd request")
	}
	if rapid.Bool().Draw(t, "has order") {
		e.OrderID = "ord_" + identifier.Encoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "order"))
		e.Path = rapid.SampledFrom([]string{
			"/v1/orders", "/v1/orders/" + e.OrderID, "/v1/orders/" + e.OrderID + "/cancel",
		}).Draw(t, "path of it")
	}
	if rapid.Bool().Draw(t, "has body") {
		e.Body = rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "body")
	}
	return e
}

// TestSegmentRoundTrip packs entries with one packer twice.
func TestSegmentRoundTrip(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		var packer requestlog.Packer
		for range 2 {
			entries := rapid.SliceOfN(rapid.Custom(drawEntry), 1, 20).Draw(t, "entries")
			for i := range entries {
				packer.Add(&entries[i])
			}
			segment, err := packer.Pack("par_01234567", "id")
			if err != nil {
				t.Fatal(err)
			}
			first, last := entries[0].At, entries[0].At
			for _, e := range entries {
				if e.At.Before(first) {
					first = e.At
				}
				if e.At.After(last) {
					last = e.At
				}
			}
			if !segment.FirstAt.Equal(first) || !segment.LastAt.Equal(last) || segment.Requests != int64(len(entries)) ||
				segment.Size != int64(len(segment.Packed)) {
				t.Fatalf("got %v to %v, %d requests, %d bytes, want %v to %v, %d, %d",
					segment.FirstAt, segment.LastAt, segment.Requests, segment.Size, first, last, len(entries), len(segment.Packed))
			}
			if got, err := segment.Entries(); err != nil || !reflect.DeepEqual(got, entries) {
				t.Fatalf("got %+v, %v, want %+v", got, err, entries)
			}
		}
	})
}

// FuzzEntries reads what Pack may never have written.
func FuzzEntries(f *testing.F) {
	var packer requestlog.Packer
	for i := range 3 {
		e := usual(i)
		e.Body = []byte(`{"a":1}`)
		packer.Add(&e)
	}
	segment, err := packer.Pack("par_01234567", "id")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(segment.Packed)
	f.Add([]byte{1, 0})
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, packed []byte) {
		_, _ = (&requestlog.Segment{Packed: packed}).Entries() // must not panic
	})
}

// usual returns an entry for the creation of an order.
func usual(n int) requestlog.Entry {
	random := fmt.Sprintf("%020d", n*n*7919)
	return requestlog.Entry{
		PartnerID: "par_01234567", RequestID: "req_" + random, At: epoch.Add(time.Duration(n) * time.Millisecond),
		Took: 5432 * time.Microsecond, Method: "POST", Pattern: "/v1/orders", Path: "/v1/orders", Status: 201,
		KeyID: "key_0123456789abcdef", OrderID: "ord_01234567012z" + random,
	}
}

// TestSizeOfAnEntry holds the size that docs/desk.md gives.
func TestSizeOfAnEntry(t *testing.T) {
	t.Parallel()
	var packer requestlog.Packer
	const entries = 100
	for i := range entries {
		e := usual(i)
		packer.Add(&e)
	}
	segment, err := packer.Pack("par_01234567", "id")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(segment.Packed) / entries; got > 40 {
		t.Errorf("got %d bytes for each entry, want at most 40", got)
	}
}

func BenchmarkPack(b *testing.B) {
	var packer requestlog.Packer
	entries := make([]requestlog.Entry, 1000)
	for i := range entries {
		entries[i] = usual(i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e := entries[i%len(entries)]
		e.Clean()
		packer.Add(&e)
		if i%len(entries) == 0 {
			if _, err := packer.Pack("par_01234567", "id"); err != nil {
				b.Fatal(err)
			}
		}
	}
}
