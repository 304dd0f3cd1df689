package ratecard

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// memory is a store of cards.
type memory struct{ cards []*Entry }

func (m *memory) Read(_ context.Context, fn func(Reader) error) error  { return fn(m) }
func (m *memory) Write(_ context.Context, fn func(Writer) error) error { return fn(m) }
func (m *memory) AddAudit(context.Context, ...*audit.Entry) error      { return nil }
func (m *memory) AddCard(_ context.Context, entry *Entry) (bool, error) {
	m.cards = append(m.cards, entry)
	return true, nil
}

func (m *memory) CardIDs(context.Context) (ids []string, err error) {
	for _, entry := range m.cards {
		ids = append(ids, entry.CardID)
	}
	return ids, nil
}

func (m *memory) Cards(_ context.Context, ids []string) (found []*Entry, err error) {
	for _, entry := range m.cards {
		if slices.Contains(ids, entry.CardID) {
			found = append(found, &Entry{
				CardID: entry.CardID, Name: entry.Name, Version: entry.Version,
				EffectiveFrom: entry.EffectiveFrom, CreatedAt: entry.CreatedAt, Document: entry.Document,
			})
		}
	}
	return found, nil
}

// desk is a service with what it reports.
type desk struct {
	*Service
	store      *memory
	now        time.Time
	log        bytes.Buffer
	unreadable int
}

func newDesk(t *testing.T, cards ...*Entry) *desk {
	t.Helper()
	d := &desk{store: &memory{cards}, now: begin}
	d.Service = NewService(Config{
		Store: d.store, Now: func() time.Time { return d.now }, Random: repeatable.Reader(t),
		Log: slog.New(slog.NewTextHandler(&d.log, nil)), Unreadable: func() { d.unreadable++ },
	})
	return d
}

// storedCard returns an entry as the store has it.
func storedCard(id, name, document string) *Entry {
	e := entry(id, name, 0, 0)
	e.card, e.Document = nil, []byte(document)
	return e
}

func document(version string) string {
	return strings.Replace(string(pricing.DefaultCardFile()), `"default-1"`, `"`+version+`"`, 1)
}

// TestUnreadableCard: only what needs the prices of a card that cannot be read
// fails. It is logged once, and counted each time.
func TestUnreadableCard(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := newDesk(t, storedCard("crd_good", "good", document("good")), storedCard("crd_bad", "bad", `{"version": "bad"}`))
	for range 2 {
		_, err := d.At(ctx, "bad", begin)
		if err == nil || refusal.HasCode(err, refusal.CodeValidation) {
			t.Errorf("the unreadable card: got %v, want an error that is not a refusal", err)
		}
		d.now = d.now.Add(freshness)
	}
	if card, err := d.At(ctx, "good", begin); err != nil || card.Version != "good" {
		t.Errorf("another card: got %+v, %v, want good", card, err)
	}
	if _, err := d.At(ctx, "", begin); err != nil {
		t.Errorf("the default series: %v", err)
	}
	if page, err := d.List(ctx, "", "", 10); err != nil || len(page.Cards) != 3 {
		t.Errorf("list: got %d cards, %v, want 3", len(page.Cards), err)
	}
	if found, err := d.Get(ctx, "crd_bad"); err != nil || found.Version != "crd_bad" {
		t.Errorf("get: got %+v, %v, want the entry", found, err)
	}
	preview, err := strictjson.Parse([]byte(`{"card_id": "crd_bad", "order_id": "ord_1"}`))
	if err != nil {
		t.Fatal(err)
	}
	request, err := form.Decode(preview, ReadPreview)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Proposed(ctx, request); err == nil || refusal.HasCode(err, refusal.CodeValidation) {
		t.Errorf("preview: got %v, want an error that is not a refusal", err)
	}
	if got := strings.Count(d.log.String(), "crd_bad"); got != 1 || strings.Contains(d.log.String(), "crd_good") {
		t.Errorf("got log %q, want one line, on crd_bad", d.log.String())
	}
	if d.unreadable != 3 {
		t.Errorf("got %d counted, want 3", d.unreadable)
	}
}

// TestAddAnswersWithItsPlace: an upload is answered with when the next card of its
// series takes effect, and this node prices by it.
func TestAddAnswersWithItsPlace(t *testing.T) {
	t.Parallel()
	later := storedCard("crd_later", "deal", document("later"))
	later.EffectiveFrom = begin.AddDate(0, 0, 10)
	d := newDesk(t, later)
	if _, err := d.At(t.Context(), "deal", begin); err != nil { // now the cards are in memory
		t.Fatal(err)
	}
	body := `{"name": "deal", "card": ` + strings.Replace(document("now"), `"effective_from": "2020-01-01T00:00:00Z",`, ``,
		1) + `}`
	root, err := strictjson.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	card, err := form.Decode(root, d.ReadUpload)
	if err != nil {
		t.Fatal(err)
	}
	added, err := d.Add(t.Context(), card)
	if err != nil {
		t.Fatal(err)
	}
	if !added.EffectiveFrom.Equal(begin) || !added.EffectiveUntil.Equal(later.EffectiveFrom) {
		t.Errorf("got %v to %v, want %v to %v", added.EffectiveFrom, added.EffectiveUntil, begin, later.EffectiveFrom)
	}
	if card, err := d.At(t.Context(), "deal", begin); err != nil || card.Version != "now" {
		t.Errorf("afterwards: got %+v, %v, want the new card", card, err)
	}
}
