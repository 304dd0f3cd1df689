package record_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// listed holds the members of a listed record in their order, by docs/contract.md, Orders in
// responses.
var listed = []string{
	"order_id", "partner_order_id", "status", "service_level", "pickup", "dropoff", "parcels",
	"rate_cents", "currency", "estimated_delivery", "tracking_url", "created_at", "updated_at",
}

// TestListedRecord: the record that a list has of an order is what the order's complete
// record has of its members, byte for byte, whatever the order's texts contain.
func TestListedRecord(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		o := drawOrder(t)
		stored := &delivery.Stored{OrderID: o.OrderID, Document: record.Encode(o)}
		o.Status, o.EstimatedDelivery, o.UpdatedAt = rapid.SampledFrom(delivery.Statuses).Draw(t,
			"new status"), instant(t), instant(t)
		stored.Status, stored.EstimatedDelivery, stored.UpdatedAt = o.Status, o.EstimatedDelivery, o.UpdatedAt

		want := listedOf(t, record.Encode(o))
		got := append([]byte(nil), '[')
		for range 2 {
			var err error
			if got, err = record.AppendListed(got, stored); err != nil {
				t.Fatalf("%s: %v", stored.Document, err)
			}
		}
		if want := "[" + want + "," + want; string(got) != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// TestCurrentRecord: the record that is put together from the stored one is that which is
// encoded, byte for byte, whatever the order's texts and metadata contain.
func TestCurrentRecord(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		o := drawOrder(t)
		if rapid.Bool().Draw(t, "misleading metadata") {
			o.Metadata = []byte(`{"a":[],"status_history":[{"status":"pending"}],"courier":{"name":"x"}}`)
		}
		now := *o
		o.Courier, o.Cancellation = nil, nil
		stored := &delivery.Stored{
			OrderID: o.OrderID, Document: record.Encode(o), Courier: now.Courier, Cancellation: now.Cancellation,
			Status: rapid.SampledFrom(delivery.Statuses).Draw(t,
				"new status"), EstimatedDelivery: instant(t), UpdatedAt: instant(t),
			Moves:   rapid.SliceOfN(rapid.Custom(drawEntry), 0, 3).Draw(t, "moves"),
			Version: rapid.Int64Range(1, 9).Draw(t, "version"),
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "edits") {
			stored.Course.Edits = append(stored.Course.Edits, delivery.Edit{
				Version: int64(i), At: instant(t), By: delivery.EditorPartner, Fields: []string{"dropoff.phone", "reference"},
			})
		}
		before := bytes.Clone(stored.Document)
		now.Status, now.EstimatedDelivery, now.UpdatedAt = stored.Status, stored.EstimatedDelivery, stored.UpdatedAt
		now.History, now.Version, now.Course = slices.Concat(o.History, stored.Moves), stored.Version, stored.Course

		got, err := record.Current(stored)
		if want := record.EncodeCurrent(&now); err != nil || string(got) != string(want) {
			t.Fatalf("got\n%s, %v\nwant\n%s", got, err, want)
		}
		if !bytes.Equal(stored.Document, before) {
			t.Fatal("the stored record was changed")
		}
	})
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Fatalf(format string, args ...any)
}

// listedOf puts the members of a complete record that lists have together.
func listedOf(t fataler, document []byte) string {
	members := parsed(t, document)
	var out bytes.Buffer
	for i, name := range listed {
		out.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + `"` + name + `":`)
		out.Write(members[name])
	}
	return out.String() + "}"
}

// TestCutRecord cuts a record at every byte, and checks that a buffer stays as it is when
// the record cannot be listed.
func TestCutRecord(t *testing.T) {
	t.Parallel()
	full := record.Encode(fullOrder())
	for n := range full {
		cut := full[:n]
		got, err := record.AppendListed([]byte("["), &delivery.Stored{Document: cut})
		if err == nil && cut[n-1] != '}' || err != nil && string(got) != "[" {
			t.Errorf("the first %d bytes: got %s, %v, want an error and no record", n, got, err)
		}
		if got, err := record.Current(&delivery.Stored{Document: cut}); err == nil {
			t.Errorf("the first %d bytes: got the complete record %s, want an error", n, got)
		}
		if got, err := record.Tracked(&delivery.Stored{Document: cut}); err == nil && cut[n-1] != '}' {
			t.Errorf("the first %d bytes: got %+v, want an error", n, got)
		}
	}
}

func BenchmarkCurrent(b *testing.B) {
	o := fullOrder()
	o.Courier, o.Cancellation = nil, nil
	stored := &delivery.Stored{Document: record.Encode(o)}
	for b.Loop() {
		if _, err := record.Current(stored); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendListed(b *testing.B) {
	stored := &delivery.Stored{Document: record.Encode(fullOrder())}
	var buffer []byte
	for b.Loop() {
		var err error
		if buffer, err = record.AppendListed(buffer[:0], stored); err != nil {
			b.Fatal(err)
		}
	}
}
