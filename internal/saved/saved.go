// Package saved keeps what a partner's people type often into the forms of the portal: the addresses of recipients
// and senders, parcels, and what the columns of their files of orders mean. It also keeps the files that are
// being imported, for a day.
package saved

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Kind is what an entry is.
type Kind string

// The kinds of entries.
const (
	Sender    Kind = "sender"
	Recipient Kind = "recipient"
	Parcel    Kind = "parcel"
	Columns   Kind = "layout" // of files with one header: the fields of its columns, by their numbers
)

// Entry is something that is kept. Test accounts share the entries of their partner.
type Entry struct {
	PartnerID string
	Kind      Kind
	EntryID   string
	Name      string
	Email     string // of an address, in lower case; may be empty
	Fields    map[string]string
	UpdatedAt time.Time
}

// MaxOfKind is how many entries of a kind a partner may keep.
const MaxOfKind = 500

// Store is what this package needs of storage: a consistent view to read, and a transaction to write, durable once
// Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads what is kept. What does not exist is nil, not an error.
type Reader interface {
	// Entries lists the entries of a kind by name.
	Entries(ctx context.Context, partnerID string, kind Kind) ([]*Entry, error)
	Entry(ctx context.Context, partnerID string, kind Kind, entryID string) (*Entry, error)
	Draft(ctx context.Context, partnerID, draftID string) (*Draft, error)
}

// Writer changes it.
type Writer interface {
	Reader
	// EntryIDs lists the ids of the entries of a kind, those first that were not changed for the longest.
	EntryIDs(ctx context.Context, partnerID string, kind Kind) ([]string, error)
	// LockEntry reads an entry, locked until the transaction ends.
	LockEntry(ctx context.Context, partnerID string, kind Kind, entryID string) (*Entry, error)
	// AddEntry adds an entry, unless there is one with its id, and reports whether it did.
	AddEntry(ctx context.Context, entry *Entry) (added bool, err error)
	// SaveEntry adds or replaces an entry.
	SaveEntry(ctx context.Context, entry *Entry) error
	RemoveEntry(ctx context.Context, partnerID string, kind Kind, entryID string) error
	// LockDraft reads a draft, locked until the transaction ends.
	LockDraft(ctx context.Context, partnerID, draftID string) (*Draft, error)
	// AddDraft adds a draft, unless there is one with its id.
	AddDraft(ctx context.Context, draft *Draft) error
	SaveDraft(ctx context.Context, draft *Draft) error
	// Drafts lists the drafts of an account without what is in them.
	Drafts(ctx context.Context, partnerID string) ([]*Draft, error)
	RemoveDraft(ctx context.Context, partnerID, draftID string) error
}

// Config holds what a Service needs.
type Config struct {
	Store Store
	Now   func() time.Time
	// Admit returns why a partner may not keep another file at the moment.
	Admit func(ctx context.Context, partnerID string) error
}

// Service carries out the use cases. It may be used by many goroutines.
type Service struct{ config Config }

// NewService returns a service.
func NewService(config Config) *Service { return &Service{config} }

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// Entries lists the entries of a kind by name.
func (s *Service) Entries(ctx context.Context, account string, kind Kind) (found []*Entry, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Entries(ctx, delivery.LiveAccount(account), kind)
		return err
	})
	return found, err
}

// Entry returns an entry; nil if there is none.
func (s *Service) Entry(ctx context.Context, account string, kind Kind, entryID string) (found *Entry, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Entry(ctx, delivery.LiveAccount(account), kind, entryID)
		return err
	})
	return found, err
}

// Wanted is an entry to keep.
type Wanted struct {
	form.Faults
	Kind   Kind
	Fields map[string]string
}

// addressFields are the fields of an address. Only the name is required: the rest is filled in when it is used.
var addressFields = []string{
	"name", "phone", "email", "address.line1", "address.line2", "address.city", "address.province",
	"address.postal_code", "address.notes",
}

// parcelFields are the fields of a parcel, beside its name.
var parcelFields = []string{
	"name", "description", "weight_kg", "length_cm", "width_cm", "height_cm", "value_cents",
}

// FieldsOf returns the fields that an entry of a kind has.
func FieldsOf(kind Kind) []string {
	if kind == Parcel {
		return parcelFields
	}
	return addressFields
}

// ReadWanted returns the function that reads an entry of a kind. What it holds is kept as texts, in the form in which
// requests of orders have it.
func ReadWanted(kind Kind) func(*form.Form) Wanted {
	return func(f *form.Form) Wanted {
		if kind == Parcel {
			delivery.ReadKnownParcel(f)
		} else {
			delivery.ReadKnownContact(f)
		}
		wanted := Wanted{Kind: kind, Fields: map[string]string{}}
		for _, name := range FieldsOf(kind) {
			if text := textAt(f.Source(), name); text != "" {
				wanted.Fields[name] = text
			}
		}
		return wanted
	}
}

// textAt returns the text at a path.
func textAt(source form.Source, path string) string {
	for step := range strings.SplitSeq(path, ".") {
		if source == nil || source.Kind() == form.Absent {
			return ""
		}
		source = source.Member(step)
	}
	return source.Text()
}

// idOf returns the id of an entry: what it is known by. So an entry that is saved twice is kept once.
func idOf(fields map[string]string) string {
	return delivery.SavedID(fields["name"], fields["address.postal_code"])
}

// ErrFull is the refusal of an entry when there are as many as may be kept.
var ErrFull = refusal.New(refusal.CodeConflict, "there are 500 saved entries of this kind: remove some first")

// ErrTaken is the refusal of an entry when another one is known by the same.
var ErrTaken = refusal.New(refusal.CodeConflict, "there is another saved entry with this name and postal code")

// Keep keeps an entry that comes with an order, in the place of an earlier one that is known by the same.
func (s *Service) Keep(ctx context.Context, account string, wanted Wanted) error {
	entry, err := s.entryOf(account, wanted)
	if err != nil {
		return err
	}
	return s.keep(ctx, entry)
}

// Save adds an entry that a person has typed, or replaces the one with the id replaced, unless that is empty. It
// refuses with ErrTaken if another entry is known by the same, and with form.ErrStale unless the entry that is replaced
// is the basis of the change; that is nil if there is none. An entry that is there already is saved, so a form may be
// sent twice.
func (s *Service) Save(
	ctx context.Context, account string, wanted Wanted, replaced string, basis form.Basis[*Entry],
) error {
	entry, err := s.entryOf(account, wanted)
	if err != nil {
		return err
	}
	return s.config.Store.Write(ctx, func(tx Writer) error {
		before, err := tx.LockEntry(ctx, entry.PartnerID, entry.Kind, replaced)
		if err != nil {
			return err
		}
		now, err := tx.Entry(ctx, entry.PartnerID, entry.Kind, entry.EntryID)
		if err != nil {
			return err
		}
		if now != nil && maps.Equal(now.Fields, entry.Fields) && (before == nil || replaced == entry.EntryID) {
			return nil
		}
		if err := basis.Check(before); err != nil {
			return err
		}
		return put(ctx, tx, entry, before)
	})
}

// put saves an entry in the place of another, which is nil for none.
func put(ctx context.Context, tx Writer, entry, replaced *Entry) error {
	if replaced != nil && replaced.EntryID == entry.EntryID {
		return tx.SaveEntry(ctx, entry)
	}
	if replaced == nil {
		if err := makeRoomFor(ctx, tx, entry); err != nil {
			return err
		}
	}
	added, err := tx.AddEntry(ctx, entry)
	switch {
	case err != nil:
		return err
	case !added:
		return ErrTaken
	case replaced == nil:
		return nil
	}
	return tx.RemoveEntry(ctx, replaced.PartnerID, replaced.Kind, replaced.EntryID)
}

// entryOf returns the entry to keep. It refuses one with faults.
func (s *Service) entryOf(account string, wanted Wanted) (*Entry, error) {
	return &Entry{
		PartnerID: delivery.LiveAccount(account), Kind: wanted.Kind, EntryID: idOf(wanted.Fields),
		Name: wanted.Fields["name"], Email: strings.ToLower(wanted.Fields["email"]), Fields: wanted.Fields,
		UpdatedAt: s.now(),
	}, wanted.Problems().Err()
}

// keep adds or replaces an entry.
func (s *Service) keep(ctx context.Context, entry *Entry) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		if err := makeRoomFor(ctx, tx, entry); err != nil {
			return err
		}
		return tx.SaveEntry(ctx, entry)
	})
}

// makeRoomFor refuses an entry with ErrFull if there are as many others as may be kept. Of columns, which people do not
// see and cannot remove, it removes those that were not changed for the longest.
func makeRoomFor(ctx context.Context, tx Writer, entry *Entry) error {
	ids, err := tx.EntryIDs(ctx, entry.PartnerID, entry.Kind)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(ids, func(id string) bool { return id == entry.EntryID })
	switch {
	case len(others) < MaxOfKind:
		return nil
	case entry.Kind != Columns:
		return ErrFull
	}
	return tx.RemoveEntry(ctx, entry.PartnerID, entry.Kind, others[0])
}

// Remove removes an entry, if there is one.
func (s *Service) Remove(ctx context.Context, account string, kind Kind, entryID string) error {
	return s.config.Store.Write(ctx, func(tx Writer) error {
		return tx.RemoveEntry(ctx, delivery.LiveAccount(account), kind, entryID)
	})
}
