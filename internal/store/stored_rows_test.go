package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// storedRows are rows of all tables that a release has written: those of a table
// by its name, and in each the values by the name of their column.
type storedRows map[string][]map[string]any

// TestStoredRowsStayReadable reads rows that earlier releases have written, and
// this one, through the store. What may never change, whatever the code becomes:
//   - Every row can be read, on every engine.
//   - An order has the record with which its creation was answered, byte for byte
//     where a repeated request is answered with it; and what the columns beside it
//     hold: status, courier, allocation, cancellation, history.
//   - An event has the facts that it was written with, and its attempts.
//   - A repeated request gets the answer that was stored.
//   - A shipment costs what it did by a rate card that was stored.
//   - The audit log and settings come back as they were written.
func TestStoredRowsStayReadable(t *testing.T) {
	t.Parallel()
	orders, err := filepath.Glob("testdata/rows/*/orders.json")
	if err != nil || len(orders) == 0 {
		t.Fatalf("got %d releases, %v, want at least 1", len(orders), err)
	}
	for _, file := range orders {
		release := filepath.Dir(file)
		rows := readRows(t, release)
		for engine, open := range engines {
			t.Run(filepath.Base(release)+" on "+engine, func(t *testing.T) {
				t.Parallel()
				s := open(t)
				insertRows(t, s, rows)
				for _, check := range []func(*testing.T, *Store, storedRows){
					checkStoredOrders, checkStoredEvents, checkStoredReceipts, checkStoredRateCards, checkStoredAudit,
					checkStoredSettings,
				} {
					check(t, s, rows)
				}
			})
		}
	}
}

// readRows reads the files of a release.
func readRows(t *testing.T, directory string) storedRows {
	t.Helper()
	rows := storedRows{}
	files, err := filepath.Glob(filepath.Join(directory, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var table []map[string]any
		decoder := json.NewDecoder(bytes.NewReader(content))
		decoder.UseNumber()
		if err := decoder.Decode(&table); err != nil || len(table) == 0 {
			t.Fatalf("%s: got %d rows, %v, want at least 1", file, len(table), err)
		}
		for _, row := range table {
			for column, value := range row {
				row[column] = storedValue(t, value)
			}
		}
		rows[strings.TrimSuffix(filepath.Base(file), ".json")] = table
	}
	return rows
}

// storedValue returns a value of a file as a parameter: string, int64 or []byte.
func storedValue(t *testing.T, value any) any {
	t.Helper()
	var err error
	switch v := value.(type) {
	case json.Number:
		value, err = v.Int64()
	case map[string]any:
		value, err = hex.DecodeString(v["hex"].(string))
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// insertRows inserts rows by the columns that their release knew. Columns that were
// added since have their defaults, as after a migration.
func insertRows(t *testing.T, s *Store, rows storedRows) {
	t.Helper()
	err := s.Write(t.Context(), func(c db.Conn) error {
		for table, of := range rows {
			for _, row := range of {
				columns := slices.Sorted(maps.Keys(row))
				values, numbers := make([]any, len(columns)), make([]string, len(columns))
				for i, column := range columns {
					values[i], numbers[i] = row[column], fmt.Sprintf("$%d", i+1)
					if table == "orders" && column == "document" { // JSON as it is, in a column of bytes
						values[i] = []byte(textOf(row, column))
					}
				}
				insert := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(numbers,
					", ") + ")"
				if _, err := c.Exec(t.Context(), insert, values...); err != nil {
					return fmt.Errorf("%s: %w", table, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func textOf(row map[string]any, column string) string {
	text, _ := row[column].(string)
	return text
}

func integerOf(row map[string]any, column string) int64 {
	integer, _ := row[column].(int64)
	return integer
}

func momentOf(row map[string]any, column string) time.Time {
	if us := integerOf(row, column); us != 0 {
		return time.UnixMicro(us).UTC()
	}
	return time.Time{}
}

// movedMembers are the members of an order's record that change after its
// creation. The document holds what they were then.
var movedMembers = []string{"status", "updated_at", "estimated_delivery", "status_history"}

func checkStoredOrders(t *testing.T, s *Store, rows storedRows) {
	for _, row := range rows["orders"] {
		id := textOf(row, "order_id")
		var got *delivery.Order
		err := s.Orders().Read(t.Context(), func(tx order.Reader) (err error) {
			got, err = tx.Order(t.Context(), textOf(row, "partner_id"), id)
			return err
		})
		if err != nil || got == nil {
			t.Errorf("order %s: got %+v, %v, want the order", id, got, err)
			continue
		}
		checkMembers(t, "order "+id, record.Encode(got), textOf(row, "document"), movedMembers...)
		checkMembers(t, "courier of "+id, encodeJSON(t, got.Courier), textOf(row, "courier"))
		checkMembers(t, "allocation of "+id, encodeJSON(t, got.Allocation), textOf(row, "allocation"))
		checkFields(t, "order "+id, [][2]any{
			{string(got.Status), textOf(row, "status")}, {got.Version, integerOf(row, "version")},
			{got.Events, integerOf(row, "events")}, {got.LastEvent, textOf(row, "last_event")},
			{got.UpdatedAt, momentOf(row, "updated_at")}, {got.EstimatedDelivery, momentOf(row, "estimated_delivery")},
		})
		cancelled := delivery.Cancellation{At: momentOf(row, "cancelled_at"), Reason: textOf(row, "cancellation_reason")}
		if got.Cancellation != nil && *got.Cancellation != cancelled || got.Cancellation == nil && !cancelled.At.IsZero() {
			t.Errorf("order %s: got cancellation %+v, want %+v", id, got.Cancellation, cancelled)
		}
		checkStoredHistory(t, got, rows)
	}
}

// checkStoredHistory compares the history of an order after its first entry, which
// has no row.
func checkStoredHistory(t *testing.T, got *delivery.Order, rows storedRows) {
	t.Helper()
	want := []delivery.HistoryEntry{
		{Status: delivery.StatusPending, At: got.CreatedAt, RecordedAt: got.CreatedAt, Version: 1},
	}
	for _, row := range rows["order_history"] {
		if textOf(row, "order_id") == got.OrderID {
			want = append(want, delivery.HistoryEntry{
				Status: delivery.Status(textOf(row, "status")), Notes: textOf(row,
					"notes"), At: momentOf(row, "created_at"), RecordedAt: momentOf(row, "recorded_at"),
				Version: integerOf(row, "version"),
			})
		}
	}
	if !slices.Equal(got.History, want) {
		t.Errorf("order %s: got history %+v, want %+v", got.OrderID, got.History, want)
	}
}

func checkStoredEvents(t *testing.T, s *Store, rows storedRows) {
	for _, row := range rows["events"] {
		id := textOf(row, "event_id")
		var got *webhook.Event
		err := s.Webhooks().Read(t.Context(), func(tx webhook.Reader) (err error) {
			got, err = tx.Event(t.Context(), textOf(row, "partner_id"), id)
			return err
		})
		if err != nil || got == nil || got.Damaged {
			t.Errorf("event %s: got %+v, %v, want the event", id, got, err)
			continue
		}
		checkMembers(t, "facts of "+id, encodeJSON(t, got.Facts), textOf(row, "facts"))
		checkMembers(t, "attempts of "+id, encodeJSON(t, got.Log), textOf(row, "attempts"))
		checkFields(t, "event "+id, [][2]any{
			{got.OrderID, textOf(row, "order_id")}, {got.Sequence, integerOf(row, "sequence")},
			{string(got.Type), textOf(row, "type")}, {string(got.State), textOf(row, "state")},
			{got.Tries, integerOf(row, "tries")}, {got.CreatedAt, momentOf(row, "created_at")},
		})
	}
}

func checkStoredReceipts(t *testing.T, s *Store, rows storedRows) {
	documents := map[string]string{}
	for _, row := range rows["orders"] {
		documents[textOf(row, "order_id")] = textOf(row, "document")
	}
	for _, row := range rows["idempotency_keys"] {
		key := idempotency.Key{PartnerID: textOf(row, "partner_id"), Scope: textOf(row, "scope")}
		copy(key.UUID[:], row["idempotency_key"].([]byte))
		var state *order.State
		err := s.Orders().Read(t.Context(), func(tx order.Reader) (err error) {
			state, err = tx.Peek(t.Context(), &order.Needs{Receipts: []idempotency.Key{key}})
			return err
		})
		if err != nil || state.Receipts[key] == nil {
			t.Errorf("receipt of %s: got %+v, %v, want the receipt", key.Scope, state, err)
			continue
		}
		want := textOf(row, "answer")
		if want == "" {
			want = documents[textOf(row, "order_id")]
		}
		got := state.Receipts[key]
		checkFields(t, "receipt of "+key.Scope, [][2]any{
			{string(got.Answer), want}, {got.BodyHash[:], row["body_hash"]},
			{got.OrderID, textOf(row, "order_id")}, {got.CreatedAt, momentOf(row, "created_at")},
		})
	}
}

// storedPrices are what the shipment of the second order costs by the stored rate
// cards, in cents, by their versions.
var storedPrices = map[string]int64{"docks-1": 6791}

// storedAdditions are those of the stored rate cards, by their versions; cards of the first release have none.
var storedAdditions = map[string]pricing.Additions{}

func checkStoredRateCards(t *testing.T, s *Store, rows storedRows) {
	shipped, err := record.Decode([]byte(textOf(rows["orders"][1], "document")))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows["rate_cards"] {
		id := textOf(row, "card_id")
		var found []*ratecard.Entry
		err := s.RateCards().Read(t.Context(), func(tx ratecard.Reader) (err error) {
			found, err = tx.Cards(t.Context(), []string{id})
			return err
		})
		if err != nil || len(found) != 1 {
			t.Errorf("rate card %s: got %d, %v, want 1", id, len(found), err)
			continue
		}
		got := found[0]
		checkFields(t, "rate card "+id, [][2]any{
			{got.Name, textOf(row, "name")}, {got.Version, textOf(row, "version")}, {got.OperatorID, textOf(row, "operator_id")},
			{got.EffectiveFrom, momentOf(row, "effective_from")}, {got.CreatedAt, momentOf(row, "created_at")},
			{string(got.Document), textOf(row, "document")},
		})
		card, err := pricing.ReadStoredCard(got.Document, got.EffectiveFrom)
		if err != nil {
			t.Errorf("rate card %s: %v", id, err)
			continue
		}
		price, err := card.Price(testkit.Calendar(), shipped.Shipment, got.EffectiveFrom)
		if want := storedPrices[got.Version]; err != nil || price.RateCents != want {
			t.Errorf("rate card %s: got a price of %d, %v, want %d", got.Version, price.RateCents, err, want)
		}
		if card.Additions != storedAdditions[got.Version] {
			t.Errorf("rate card %s: got %+v, want %+v", got.Version, card.Additions, storedAdditions[got.Version])
		}
	}
}

func checkStoredAudit(t *testing.T, s *Store, rows storedRows) {
	entries := map[string]*operator.Audited{}
	err := s.Operators().Read(t.Context(), func(tx operator.Reader) error {
		all, err := tx.Audit(t.Context(), operator.AuditFilter{Limit: 1 << 20})
		for _, entry := range all {
			entries[entry.AuditID] = entry
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows["audit"] {
		id := textOf(row, "audit_id")
		got := entries[id]
		if got == nil {
			t.Errorf("audit entry %s: got none", id)
			continue
		}
		checkFields(t, "audit entry "+id, [][2]any{
			{got.PartnerID, textOf(row, "partner_id")}, {got.At, momentOf(row, "at")},
			{got.OperatorID, textOf(row, "operator_id")}, {got.RequestID, textOf(row, "request_id")},
			{string(got.Action), textOf(row, "action")}, {got.ObjectID, textOf(row, "object_id")},
			{string(got.Before), textOf(row, "before")}, {string(got.After), textOf(row, "after")},
		})
	}
}

func checkStoredSettings(t *testing.T, s *Store, rows storedRows) {
	for _, row := range rows["settings"] {
		got, err := s.Setting(t.Context(), textOf(row, "name"))
		if err != nil || got != textOf(row, "value") {
			t.Errorf("setting %s: got %q, %v, want %q", textOf(row, "name"), got, err, textOf(row, "value"))
		}
	}
}

// checkFields compares pairs of what was read and what is stored.
func checkFields(t *testing.T, what string, pairs [][2]any) {
	t.Helper()
	for _, pair := range pairs {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got %v, want %v", what, pair[0], pair[1])
		}
	}
}

func encodeJSON(t *testing.T, value any) []byte {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// checkMembers checks that everything in a stored document, which may be empty, is
// in what is written again of what was read, apart from some members.
func checkMembers(t *testing.T, what string, written []byte, stored string, except ...string) {
	t.Helper()
	if stored == "" {
		return
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(written, &got), json.Unmarshal([]byte(stored), &want)); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if missing := missingFrom(got, want, except); missing != "" {
		t.Errorf("%s: %s is not the same in %s as in the stored %s", what, missing, written, stored)
	}
}

// missingFrom returns the path of a value that is not in got as it is in want; ""
// if there is none. A time may be written in another way.
func missingFrom(got, want any, except []string) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			if slices.Contains(except, name) {
				continue
			}
			if path := missingFrom(object[name], value, nil); path != "" {
				return "." + name + path
			}
		}
		return ""
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			return " (the length)"
		}
		for i := range want {
			if path := missingFrom(list[i], want[i], nil); path != "" {
				return fmt.Sprintf("[%d]%s", i, path)
			}
		}
		return ""
	default:
		if reflect.DeepEqual(got, want) || sameTime(got, want) {
			return ""
		}
		return fmt.Sprintf(" (%v, want %v)", got, want)
	}
}

func sameTime(got, want any) bool {
	gotText, _ := got.(string)
	wantText, _ := want.(string)
	gotTime, gotErr := time.Parse(time.RFC3339, gotText)
	wantTime, wantErr := time.Parse(time.RFC3339, wantText)
	return gotErr == nil && wantErr == nil && gotTime.Equal(wantTime)
}
