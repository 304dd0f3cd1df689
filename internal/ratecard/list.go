package ratecard

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Listed is a card in its series. EffectiveUntil is when the next one takes
// effect; zero if none is known.
type Listed struct {
	*Entry
	EffectiveUntil time.Time
}

// State says what has become of a card.
type State string

// The states. A card that another one from the same moment replaces never takes
// effect.
const (
	StatePlanned  State = "planned"
	StateInForce  State = "in_force"
	StatePast     State = "past"
	StateReplaced State = "replaced"
)

// StateAt tells the card's state at a time.
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

// Page is a part of the list of cards. Next is the cursor for what follows,
// empty at the end.
type Page struct {
	Cards []Listed
	Next  string
}

// List lists the cards of one series, or of all: by name, and in each the
// newest first. An unknown cursor gives nothing.
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

// Get finds a card. One that does not exist is not_found.
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
