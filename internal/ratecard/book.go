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

// book holds all cards as they were read at a time. It is not modified.
type book struct {
	readAt time.Time
	series map[string][]*Entry // by name; the cards in the order of EffectiveFrom
}

// newBook groups cards into their series. Of two cards with the same
// EffectiveFrom, the one that was uploaded later takes effect.
func newBook(entries []*Entry, now time.Time) *book {
	b := &book{readAt: now, series: map[string][]*Entry{DefaultSeries: {builtIn()}}}
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
		CardID: BuiltInID, Name: DefaultSeries, Version: card.Version, EffectiveFrom: card.EffectiveFrom,
		Document: pricing.DefaultCardFile(), Card: card,
	}
}

// fresh reports whether the book is recent enough to be used. A book from the
// future, which a clock that was set back leaves behind, is not. A nil book is
// not fresh.
func (b *book) fresh(now time.Time) bool {
	if b == nil {
		return false
	}
	age := now.Sub(b.readAt)
	return age < freshness && age >= 0
}

// at returns the card of a series that is in force at a time, otherwise that of
// the default series.
func (b *book) at(name string, at time.Time) *pricing.Card {
	for _, name := range []string{name, DefaultSeries} {
		if card := inForce(b.series[name], at); card != nil {
			return card.Card
		}
	}
	return b.series[DefaultSeries][0].Card // the time is before the built-in card
}

// inForce returns the last card of a series that has taken effect, or nil.
func inForce(series []*Entry, at time.Time) (card *Entry) {
	for _, entry := range series {
		if !entry.EffectiveFrom.After(at) {
			card = entry
		}
	}
	return card
}

// all returns the cards of one series, or of all if only is empty, sorted by name
// and, within a series, newest first.
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

// parse sets Card from the document, which was validated when it was uploaded,
// and from EffectiveFrom, which may be absent in the document.
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
		// The validation error is not wrapped: the request that needs the price is
		// not at fault.
		return fmt.Errorf("the stored rate card %s: %v", e.CardID, err) //nolint:errorlint // see above
	}
	e.Card = card.EffectiveAt(e.EffectiveFrom)
	return nil
}
