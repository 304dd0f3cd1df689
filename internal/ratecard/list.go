package ratecard

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Listed is a card with its place in its series. EffectiveUntil is when the next
// card of the series takes effect; zero if there is none.
type Listed struct {
	*Entry
	EffectiveUntil time.Time
}

// State says whether a card is in force.
type State string

// The states. A replaced card never takes effect, because a later upload of its
// series has the same EffectiveFrom.
const (
	StatePlanned  State = "planned"
	StateInForce  State = "in_force"
	StatePast     State = "past"
	StateReplaced State = "replaced"
)

// StateAt returns the state of the card at a time.
func (l Listed) StateAt(now time.Time) State {
	switch {
	case l.EffectiveUntil.Equal(l.EffectiveFrom):
		return StateReplaced
	case l.EffectiveFrom.After(now):
		return StatePlanned
	case l.EffectiveUntil.IsZero() || l.EffectiveUntil.After(now):
		return StateInForce
	default:
		return StatePast
	}
}

// Page is a page of the list of cards. Next is the cursor of the next page, empty
// on the last one.
type Page struct {
	Cards []Listed
	Next  string
}

// List lists the cards of one series, or of all if name is empty, sorted by name
// and, within a series, newest first. An unknown cursor gives an empty page.
func (s *Service) List(ctx context.Context, name, cursor string, limit int) (page Page, err error) {
	b, err := s.book(ctx)
	if err != nil {
		return page, err
	}
	begun := cursor == ""
	for _, card := range b.all(name) {
		switch {
		case !begun:
			begun = card.CardID == cursor
		case len(page.Cards) == limit:
			page.Next = page.Cards[limit-1].CardID
			return page, nil
		default:
			page.Cards = append(page.Cards, card)
		}
	}
	return page, nil
}

// Get returns a card. The error is not_found if there is none with this id.
func (s *Service) Get(ctx context.Context, cardID string) (Listed, error) {
	b, err := s.book(ctx)
	if err != nil {
		return Listed{}, err
	}
	for _, card := range b.all("") {
		if card.CardID == cardID {
			return card, nil
		}
	}
	return Listed{}, refusal.NotFound("the rate card")
}
