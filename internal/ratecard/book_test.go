package ratecard

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/pricing"
)

var begin = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

// entry returns a card that takes effect days after begin and was uploaded hours
// after begin.
func entry(id, name string, days, hours int) *Entry {
	from := begin.AddDate(0, 0, days)
	return &Entry{
		CardID: id, Name: name, Version: id, EffectiveFrom: from, CreatedAt: begin.Add(time.Duration(hours) * time.Hour),
		card: &pricing.Card{Version: id, EffectiveFrom: from},
	}
}

func TestCardInForce(t *testing.T) {
	t.Parallel()
	b := newBook([]*Entry{
		entry("later", DefaultSeries, 20, 0), entry("first", DefaultSeries, 10, 1), entry("corrected", DefaultSeries, 10, 2),
		entry("deal", "friends", 5, 0),
	}, begin)
	for _, c := range []struct {
		name string
		days int
		want string
	}{
		{
			DefaultSeries, 0, "default-1",
		}, {"", 9, "default-1"}, {DefaultSeries, 10, "corrected"}, {"unknown", 19, "corrected"}, {"", 20, "later"},
		{"friends", 4, "default-1"}, {"friends", 5, "deal"}, {"friends", 400, "deal"}, {"", -10_000, "default-1"},
	} {
		if got := b.at(c.name, begin.AddDate(0, 0, c.days)).Version; got != c.want {
			t.Errorf("%q after %d days: got %s, want %s", c.name, c.days, got, c.want)
		}
	}
}

func TestStateAt(t *testing.T) {
	t.Parallel()
	b := newBook([]*Entry{entry("later", DefaultSeries, 20,
		0), entry("first", DefaultSeries, 10, 1), entry("corrected", DefaultSeries, 10, 2)}, begin)
	for days, want := range map[int]map[string]State{
		0:  {"default-1": StateInForce, "first": StateReplaced, "corrected": StatePlanned, "later": StatePlanned},
		10: {"default-1": StatePast, "first": StateReplaced, "corrected": StateInForce, "later": StatePlanned},
		20: {"default-1": StatePast, "first": StateReplaced, "corrected": StatePast, "later": StateInForce},
	} {
		for _, listed := range b.all("") {
			if got := listed.StateAt(begin.AddDate(0, 0, days)); got != want[listed.Version] {
				t.Errorf("%s after %d days: got %s, want %s", listed.Version, days, got, want[listed.Version])
			}
		}
	}
}

func TestBookFreshness(t *testing.T) {
	t.Parallel()
	b := newBook(nil, begin)
	for age, want := range map[time.Duration]bool{
		0: true, freshness - 1: true, freshness: false, time.Hour: false, -time.Second: false,
	} {
		if got := b.fresh(begin.Add(age)); got != want {
			t.Errorf("after %v: got %v, want %v", age, got, want)
		}
	}
	if (*book)(nil).fresh(begin) {
		t.Error("a nil book: got fresh, want not")
	}
}
