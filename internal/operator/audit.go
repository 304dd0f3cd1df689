package operator

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/go-json-experiment/json/jsontext"
)

// AuditFilter selects entries of the audit log. An empty field selects all.
type AuditFilter struct {
	OperatorID string
	PartnerID  string
	ObjectID   string // or the number that a partner has given to an order
	Action     audit.Action
	From, To   time.Time // To is not included
	Before     string    // an audit id; empty begins with the newest
	After      string    // an audit id: only those after it
	Oldest     bool      // list the oldest first
	Limit      int
	// Orders are the ids of the orders that have ObjectID as their number. The service
	// fills them in.
	Orders []string
}

// Audited is an entry of the audit log as it is stored.
type Audited struct {
	AuditID string
	At      time.Time
	audit.Operation
	Action        audit.Action
	PartnerID     string
	ObjectID      string
	Before, After []byte // JSON; empty for nothing
}

// AuditPage is a page of the audit log. Next is the cursor of the next page;
// empty at the end.
type AuditPage struct {
	Entries []*Audited
	Next    string
}

// Audit lists what operators have changed, newest first.
func (s *Service) Audit(ctx context.Context, filter AuditFilter) (page AuditPage, err error) {
	limit := filter.Limit
	filter.Limit++ // one more shows whether a next page exists
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if filter.Orders, err = numbered(ctx, tx, filter); err != nil {
			return err
		}
		page.Entries, err = tx.Audit(ctx, filter)
		return err
	})
	s.makeReadable(page.Entries)
	page.Entries, page.Next = paging.Cut(page.Entries, limit, func(a *Audited) string { return a.AuditID })
	return page, err
}

// maxNumbered is how many orders of different partners a number finds at most.
const maxNumbered = 100

// numbered returns the ids of the orders that have what a filter asks for as their number.
func numbered(ctx context.Context, tx Reader, filter AuditFilter) ([]string, error) {
	if filter.ObjectID == "" {
		return nil, nil
	}
	return tx.OrdersNumbered(ctx, filter.PartnerID, filter.ObjectID, maxNumbered)
}

// exported is how many entries ExportAudit reads at a time.
const exported = 500

// ExportAudit calls fn for every entry that a filter selects, the oldest first. It holds
// only a few in memory at a time.
func (s *Service) ExportAudit(ctx context.Context, filter AuditFilter, fn func(*Audited) error) error {
	filter.Oldest, filter.Limit = true, exported
	for {
		var entries []*Audited
		err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
			if filter.Orders, err = numbered(ctx, tx, filter); err != nil {
				return err
			}
			entries, err = tx.Audit(ctx, filter)
			return err
		})
		if err != nil {
			return err
		}
		s.makeReadable(entries)
		for _, entry := range entries {
			if err := fn(entry); err != nil {
				return err
			}
			filter.After = entry.AuditID
		}
		if len(entries) < exported {
			return nil
		}
	}
}

// makeReadable replaces a document that is not JSON by its text as a JSON string, so
// that a damaged entry does not keep the others from being shown.
func (s *Service) makeReadable(entries []*Audited) {
	for _, entry := range entries {
		for _, document := range []*[]byte{&entry.Before, &entry.After} {
			if len(*document) == 0 || jsontext.Value(*document).IsValid() {
				continue
			}
			s.config.Unreadable()
			s.config.Log.Error("audit log: an entry cannot be read and is shown as text", "audit_id", entry.AuditID)
			*document, _ = jsontext.AppendQuote(nil, *document) // invalid UTF-8 is replaced
		}
	}
}

// note returns an entry of the audit log for an object that belongs to no
// partner.
func (s *Service) note(
	ctx context.Context, action audit.Action, objectID string, before, after any,
) (*audit.Entry, error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), action)
	if err != nil {
		return nil, err
	}
	entry.ObjectID, entry.Before, entry.After = objectID, before, after
	return entry, nil
}
