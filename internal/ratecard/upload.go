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

// maxDocument is the greatest size of a card in JSON, in bytes: ten times the size
// of a complete card.
const maxDocument = 64 << 10

// nameRule is the rule for names of series, which appear in lists and queries.
var nameRule = form.TextRule{
	Rule: form.Define("series_name", "a name of 1 to 64 letters, digits, dots, dashes and underscores"),
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

var (
	notPast    = form.Define("not_past", "a time that is not in the past, or no value for now")
	sameTime   = form.Define("same_time", "the same time as effective_from beside the card, or no value")
	notBuiltIn = form.Define("not_built_in", "a version other than that of the built-in card")
)

// ReadUpload reads a card that is to be added, of which it keeps the document as it was
// sent. Unknown members are faults, because they might be misspelt prices. The card takes
// effect now unless effective_from says otherwise.
func (s *Service) ReadUpload(f *form.Form) *Entry {
	f.Only("name", "effective_from", "card")
	now := s.now()
	entry := &Entry{
		Name:          f.Text("name", form.Required, nameRule),
		EffectiveFrom: f.Time("effective_from", form.Optional),
		CreatedAt:     now,
		Document:      f.Raw("card", maxDocument),
	}
	if !f.Has("effective_from") {
		entry.EffectiveFrom = now
	} else if !entry.EffectiveFrom.IsZero() && entry.EffectiveFrom.Before(now) {
		f.Fault("effective_from", notPast)
	}
	if entry.Document == nil && f.Has("card") {
		return entry
	}
	card := f.Object("card", form.Required)
	read := pricing.ReadCard(card, form.Optional)
	if own := read.EffectiveFrom; !own.IsZero() && !own.Equal(entry.EffectiveFrom) {
		card.Fault("effective_from", sameTime)
	}
	if read.Version != "" && read.Version == pricing.DefaultCard().Version {
		card.Fault("version", notBuiltIn)
	}
	entry.Version, entry.card = read.Version, read.EffectiveAt(entry.EffectiveFrom)
	return entry
}

// Check returns the error that Add would return for a card that was read. It stores nothing.
func (s *Service) Check(ctx context.Context, entry *Entry) error {
	b, err := s.book(ctx)
	if err != nil {
		return err
	}
	for _, other := range b.all("") {
		if other.Version == entry.Version {
			return versionTaken(entry.Version)
		}
	}
	return nil
}

func versionTaken(version string) error {
	return refusal.New(refusal.CodeConflict, fmt.Sprintf("a rate card with version %q exists already", version))
}

// now returns the time in the precision of records.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// Add stores a card that was read and returns it with its place in its series, as far as
// this node knows the other cards. This node uses the card as soon as Add has returned,
// other nodes within freshness. The error is a conflict if the version is in use.
func (s *Service) Add(ctx context.Context, entry *Entry) (Listed, error) {
	others, err := s.book(ctx) // before the write, so that nothing can fail after it
	if err != nil {
		return Listed{}, err
	}
	if err := s.add(ctx, entry); err != nil {
		return Listed{}, err
	}
	return others.with(entry), nil
}

func (s *Service) add(ctx context.Context, entry *Entry) (err error) {
	if entry.CardID, err = identifier.New(s.config.Random, "crd_"); err != nil {
		return err
	}
	entry.OperatorID = audit.OperationOf(ctx).OperatorID
	log, err := audit.NewEntry(ctx, s.config.Random, entry.CreatedAt, audit.ActionRateCardAdded)
	if err != nil {
		return err
	}
	log.ObjectID, log.After = entry.CardID, cardFacts{entry.Name, entry.Version, entry.EffectiveFrom}
	defer s.forget() // even after an error, because the commit may have succeeded
	return s.config.Store.Write(ctx, func(tx Writer) error {
		added, err := tx.AddCard(ctx, entry)
		if err == nil && !added {
			err = versionTaken(entry.Version)
		}
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, log)
	})
}

// cardFacts is what the audit log holds of a card. The card itself is never
// deleted.
type cardFacts struct {
	Name          string    `json:"name"`
	Version       string    `json:"version"`
	EffectiveFrom time.Time `json:"effective_from"`
}
