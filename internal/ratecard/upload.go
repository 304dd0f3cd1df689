package ratecard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

// maxDocument is the most that a card's file may hold, in bytes: ten times what
// one with everything needs.
const maxDocument = 64 << 10

// nameRule is for names of series: they stand in lists and queries.
var nameRule = delivery.TextRule{
	Expected: "a name of 1 to 64 letters, digits, dots, dashes and underscores",
	Allows: func(name string) bool {
		for _, c := range name {
			letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
			if !letter && c != '.' && c != '-' && c != '_' {
				return false
			}
		}
		return len(name) >= 1 && len(name) <= 64
	},
}

// readUpload reads a request to add a card, strictly: what is not understood
// could be a price. It takes effect at once unless it says otherwise.
func (s *Service) readUpload(root delivery.Source, now time.Time) (*Entry, error) {
	var problems delivery.Problems
	f := delivery.NewForm(root, &problems)
	f.Only("name", "effective_from", "card")
	entry := &Entry{
		Name:          f.Text("name", delivery.Required, nameRule),
		EffectiveFrom: f.Time("effective_from", delivery.Optional),
		CreatedAt:     now,
		Document:      f.Raw("card", maxDocument),
	}
	if !f.Has("effective_from") {
		entry.EffectiveFrom = now
	} else if !entry.EffectiveFrom.IsZero() && entry.EffectiveFrom.Before(now) {
		f.Fault("effective_from", "a time that is not in the past, or nothing for now")
	}
	if entry.Document == nil && f.Has("card") {
		return nil, problems.Err()
	}
	card := f.Object("card", delivery.Required)
	read := pricing.ReadCard(card, delivery.Optional)
	if own := read.EffectiveFrom; !own.IsZero() && !own.Equal(entry.EffectiveFrom) {
		card.Fault("effective_from", "the same time as effective_from beside the card, or nothing")
	}
	if read.Version != "" && read.Version == pricing.DefaultCard().Version {
		card.Fault("version", "another version than the built-in card's")
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	entry.Version, entry.Card = read.Version, read.From(entry.EffectiveFrom)
	return entry, nil
}

// Check tells, as Add would, what is wrong with a card, and keeps nothing. What
// it gives has no id.
func (s *Service) Check(ctx context.Context, root delivery.Source) (*Entry, error) {
	entry, err := s.readUpload(root, s.now())
	if err != nil {
		return nil, err
	}
	b, err := s.book(ctx)
	if err != nil {
		return nil, err
	}
	for _, other := range b.all("") {
		if other.Version == entry.Version {
			return nil, taken(entry.Version)
		}
	}
	return entry, nil
}

func taken(version string) error {
	return delivery.Refuse(delivery.CodeConflict, fmt.Sprintf("there is a rate card of the version %q already", version))
}

// now is the time as records hold it.
func (s *Service) now() time.Time { return delivery.Instant(s.Now()) }

// Add keeps a card, which holds from its date on: on this node when this
// returns, on others within freshness. It is a validation_error, or a conflict
// if its version is in use.
func (s *Service) Add(ctx context.Context, root delivery.Source) (*Entry, error) {
	entry, err := s.readUpload(root, s.now())
	if err != nil {
		return nil, err
	}
	if entry.CardID, err = delivery.NewID(s.Random, "crd_"); err != nil {
		return nil, err
	}
	entry.OperatorID = delivery.OperationOf(ctx).OperatorID
	audit, err := delivery.NewAuditEntry(ctx, s.Random, entry.CreatedAt, delivery.ActionRateCardAdded)
	if err != nil {
		return nil, err
	}
	audit.ObjectID, audit.After = entry.CardID, cardFacts{entry.Name, entry.Version, entry.EffectiveFrom}
	err = s.Store.Write(ctx, func(tx Writer) error {
		added, err := tx.AddRateCard(ctx, entry)
		if err == nil && !added {
			err = taken(entry.Version)
		}
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, audit)
	})
	s.forget() // after the commit, and even if it failed: it may have, or not
	if err != nil {
		return nil, err
	}
	return entry, nil
}

// cardFacts are what the audit log tells of a card; the card itself is kept for
// good.
type cardFacts struct {
	Name          string    `json:"name"`
	Version       string    `json:"version"`
	EffectiveFrom time.Time `json:"effective_from"`
}

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
	return Listed{}, delivery.NotFound("the rate card")
}

// Preview is what a shipment costs on two cards, as of now. A price is nil where
// the card does not offer the service level.
type Preview struct {
	Current, Proposed *pricing.Price
}

// Compare prices a shipment on the card that holds for a series now, and on
// another.
func (s *Service) Compare(ctx context.Context, name string, proposed *pricing.Card, shipment delivery.Shipment) (p Preview, err error) {
	now := s.now()
	current, err := s.At(ctx, name, now)
	if err != nil {
		return p, err
	}
	if p.Current, err = price(current, shipment, now); err != nil {
		return p, err
	}
	p.Proposed, err = price(proposed, shipment, now)
	return p, err
}

func price(card *pricing.Card, shipment delivery.Shipment, now time.Time) (*pricing.Price, error) {
	found, err := card.Price(shipment, now)
	var refusal *delivery.Error
	if errors.As(err, &refusal) {
		return nil, nil // the level is not offered there
	}
	return &found, err
}
