package ratecard

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/pricing"
)

// book is all cards at a time. It does not change.
type book struct {
	readAt time.Time
	series map[string][]*Entry // by name, in the order in which they take effect
}

// newBook sorts cards into their series. Of two from the same moment the one
// that was uploaded later takes effect.
func newBook(entries []*Entry, now time.Time) *book {
	b := &book{readAt: now, series: map[string][]*Entry{Everybody: {builtIn()}}}
	for _, entry := range entries {
		b.series[entry.Name] = append(b.series[entry.Name], entry)
	}
	for _, series := range b.series {
		slices.SortFunc(series, func(a, b *Entry) int {
			return cmp.Or(a.EffectiveFrom.Compare(b.EffectiveFrom), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.CardID, b.CardID))
		})
	}
	return b
}

func builtIn() *Entry {
	card := pricing.DefaultCard()
	return &Entry{
		CardID: BuiltIn, Name: Everybody, Version: card.Version, EffectiveFrom: card.EffectiveFrom,
		Document: pricing.DefaultCardFile(), Card: card,
	}
}

// fresh tells whether the book may be gone by. A clock that was set back does
// not keep it for ever.
func (b *book) fresh(now time.Time) bool {
	if b == nil {
		return false
	}
	age := now.Sub(b.readAt)
	return age < freshness && age >= 0
}

func (b *book) at(name string, at time.Time) *pricing.Card {
	for _, name := range []string{name, Everybody} {
		if card := inForce(b.series[name], at); card != nil {
			return card.Card
		}
	}
	return b.series[Everybody][0].Card // a clock before the built-in card
}

// inForce is the last of a series that has taken effect; nil if none has.
func inForce(series []*Entry, at time.Time) (card *Entry) {
	for _, entry := range series {
		if !entry.EffectiveFrom.After(at) {
			card = entry
		}
	}
	return card
}

// all are the cards of all series, or of one: by name, and the newest first.
func (b *book) all(only string) (listed []Listed) {
	for name, series := range b.series {
		if only != "" && name != only {
			continue
		}
		for i, entry := range series {
			l := Listed{Entry: entry}
			if i+1 < len(series) {
				l.EffectiveUntil = series[i+1].EffectiveFrom
			}
			listed = append(listed, l)
		}
	}
	slices.SortStableFunc(listed, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), b.EffectiveFrom.Compare(a.EffectiveFrom), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.CardID, a.CardID))
	})
	return listed
}

// parse reads the card out of its document, which was checked when it was
// uploaded. When it takes effect is told beside the document.
func (e *Entry) parse() error {
	if e.Card != nil {
		return nil
	}
	root, err := strictjson.ParseTrusted(e.Document)
	if err != nil {
		return fmt.Errorf("the stored rate card %s: %w", e.CardID, err)
	}
	var problems form.Problems
	card := pricing.ReadCard(form.New(root, &problems), form.Optional)
	if err := problems.Err(); err != nil {
		// Not a refusal: whoever asks for a price has done nothing wrong.
		return fmt.Errorf("the stored rate card %s: %v", e.CardID, err) //nolint:errorlint // see above
	}
	e.Card = card.EffectiveAt(e.EffectiveFrom)
	return nil
}
