package ratecard

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/pricing"
)

// maxDocument is the most that a card's file may hold, in bytes: ten times what
// one with everything needs.
const maxDocument = 64 << 10

// nameRule is for names of series: they stand in lists and queries.
var nameRule = form.TextRule{
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
func (s *Service) readUpload(root form.Source, now time.Time) (*Entry, error) {
	var problems form.Problems
	f := form.New(root, &problems)
	f.Only("name", "effective_from", "card")
	entry := &Entry{
		Name:          f.Text("name", form.Required, nameRule),
		EffectiveFrom: f.Time("effective_from", form.Optional),
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
	card := f.Object("card", form.Required)
	read := pricing.ReadCard(card, form.Optional)
	if own := read.EffectiveFrom; !own.IsZero() && !own.Equal(entry.EffectiveFrom) {
		card.Fault("effective_from", "the same time as effective_from beside the card, or nothing")
	}
	if read.Version != "" && read.Version == pricing.DefaultCard().Version {
		card.Fault("version", "another version than the built-in card's")
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	entry.Version, entry.Card = read.Version, read.EffectiveAt(entry.EffectiveFrom)
	return entry, nil
}

// Check tells, as Add would, what is wrong with a card, and keeps nothing. What
// it gives has no id.
func (s *Service) Check(ctx context.Context, root form.Source) (*Entry, error) {
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
	return refusal.New(refusal.CodeConflict, fmt.Sprintf("there is a rate card of the version %q already", version))
}

// now is the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.Now()) }

// Add keeps a card, which holds from its date on: on this node when this
// returns, on others within freshness. It is a validation_error, or a conflict
// if its version is in use.
func (s *Service) Add(ctx context.Context, root form.Source) (*Entry, error) {
	entry, err := s.readUpload(root, s.now())
	if err != nil {
		return nil, err
	}
	if entry.CardID, err = identifier.New(s.Random, "crd_"); err != nil {
		return nil, err
	}
	entry.OperatorID = audit.OperationOf(ctx).OperatorID
	audit, err := audit.NewEntry(ctx, s.Random, entry.CreatedAt, audit.ActionRateCardAdded)
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
