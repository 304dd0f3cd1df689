package ratecard

import (
	"cmp"
	"slices"
	"time"

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
		slices.SortFunc(series, byEffect)
	}
	return b
}

// byEffect sorts the cards of a series in the order in which they take effect.
func byEffect(a, b *Entry) int {
	return cmp.Or(a.EffectiveFrom.Compare(b.EffectiveFrom), a.CreatedAt.Compare(b.CreatedAt),
		cmp.Compare(a.CardID, b.CardID))
}

func builtIn() *Entry {
	card := pricing.DefaultCard()
	return &Entry{
		CardID: BuiltInID, Name: DefaultSeries, Version: card.Version, EffectiveFrom: card.EffectiveFrom,
		Document: pricing.DefaultCardFile(), card: card,
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
func (b *book) at(name string, at time.Time) *Entry {
	for _, name := range []string{name, DefaultSeries} {
		if entry := inForce(b.series[name], at); entry != nil {
			return entry
		}
	}
	return b.series[DefaultSeries][0] // the time is before the built-in card
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

// listedAt returns the card at an index of its series.
func listedAt(series []*Entry, i int) Listed {
	l := Listed{Entry: series[i]}
	if i+1 < len(series) {
		l.EffectiveUntil = series[i+1].EffectiveFrom
	}
	return l
}

// with returns a card that is not in the book as it is listed when it is.
func (b *book) with(entry *Entry) Listed {
	series := append(slices.Clone(b.series[entry.Name]), entry)
	slices.SortFunc(series, byEffect)
	return listedAt(series, slices.Index(series, entry))
}

// all returns the cards of one series, or of all if only is empty, sorted by name
// and, within a series, newest first.
func (b *book) all(only string) (listed []Listed) {
	for name, series := range b.series {
		if only != "" && name != only {
			continue
		}
		for i := range series {
			listed = append(listed, listedAt(series, i))
		}
	}
	slices.SortStableFunc(listed, func(a, b Listed) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), b.EffectiveFrom.Compare(a.EffectiveFrom), b.CreatedAt.Compare(a.CreatedAt),
			cmp.Compare(b.CardID, a.CardID))
	})
	return listed
}
