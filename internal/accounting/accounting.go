// Package accounting has the use cases of the books: who the firm is, from when on acts are
// charged, what the journal has, and what its accounts add up to. The rules are in package
// money; charges are decided where orders move, in package order.
package accounting

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Config holds what a service needs.
type Config struct {
	Store  Store
	Now    func() time.Time
	Zone   *time.Location // of the service's days and months
	Random io.Reader      // safe for use by many goroutines
	// Startable returns an error while the books cannot be turned on, because a node of a release
	// without them runs; nil if they always can be.
	Startable func(ctx context.Context) error

	// Post has mails sent; nil without a mail server.
	Post mail.Post
	// BaseURL returns the public address of the service.
	BaseURL func() string
	// Announce is called with endpoints for which events wait to be sent.
	Announce func(keys ...outbox.EndpointKey)
	// At and Log are for Run.
	At  func(time.Time) <-chan time.Time
	Log *slog.Logger
	// Pause waits after each statement of a closing, which took the given time. If it is nil, the service waits in
	// proportion, on the real clock.
	Pause func(ctx context.Context, took time.Duration) error
}

// Service carries out the use cases of the books. Its methods may be called by many goroutines at
// once, but Work by one only.
type Service struct {
	config Config
	*background
}

// background is what closes months.
type background struct {
	cancel  context.CancelFunc // nil until Run
	stopped sync.WaitGroup
	woken   chan struct{} // holds one
	holder  string        // names this service while it closes a month; only Work uses it
}

// NewService returns a service, which does nothing by itself until Run.
func NewService(config Config) *Service {
	return &Service{config, &background{woken: make(chan struct{}, 1)}}
}

// At returns a service that carries out the same use cases by another clock.
func (s *Service) At(now func() time.Time) *Service {
	at := *s
	at.config.Now = now
	return &at
}

// now returns the time as the books hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// Firm returns who sends statements.
func (s *Service) Firm(ctx context.Context) (firm money.Firm, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		firm, _, err = tx.Settings(ctx)
		return err
	})
	return firm, err
}

// FirmEntry is a request to set who sends statements.
type FirmEntry struct {
	form.Faults
	money.Firm
}

var numberRule = form.Length(0, 30)

// ReadFirmEntry reads such a request.
func ReadFirmEntry(f *form.Form) FirmEntry {
	entry := FirmEntry{Firm: money.Firm{
		Name:    f.Text("name", form.Required, delivery.OwnNameRule),
		Address: f.Text("address", form.Optional, form.Length(0, 500)),
	}}
	if numbers := f.Object("numbers", form.Optional); numbers != nil {
		entry.Numbers = money.Numbers{
			GSTHST: strings.TrimSpace(numbers.Text("gst_hst", form.Optional, numberRule)),
			QST:    strings.TrimSpace(numbers.Text("qst", form.Optional, numberRule)),
		}
	}
	return entry
}

// SetFirm sets who sends statements, and which taxes are charged from now on. It refuses with
// form.ErrStale unless the basis is what was set before.
func (s *Service) SetFirm(ctx context.Context, basis form.Basis[money.Firm], entry FirmEntry) error {
	if err := entry.Problems().Err(); err != nil {
		return err
	}
	return s.change(ctx, audit.ActionFirmChanged, func(tx Writer, note *audit.Entry) (bool, error) {
		before, _, err := tx.LockSettings(ctx)
		if err == nil {
			err = basis.Check(before)
		}
		if err != nil || before == entry.Firm {
			return false, err
		}
		note.Before, note.After = before, entry.Firm
		return true, tx.SaveFirm(ctx, entry.Firm)
	})
}

// Settings returns the settings of the books.
func (s *Service) Settings(ctx context.Context) (settings money.Settings, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		_, settings, err = tx.Settings(ctx)
		return err
	})
	return settings, err
}

// SettingsChange is a change of the settings of the books; what is nil stays.
type SettingsChange struct {
	form.Faults
	From       *date.Day // 0 turns the books off
	CloseOnDay *int64    // 0 has no month closed by itself
	// RequireCollected says whether deliveries have to say what was collected, if they happen from now on.
	RequireCollected *bool
}

// mostCloseOnDay is the last day that every month has.
const mostCloseOnDay = 28

// ReadSettingsChange reads a change of the settings: null removes a value.
func ReadSettingsChange(f *form.Form) (change SettingsChange) {
	if f.Has("books_from") || f.IsNull("books_from") {
		change.From = new(f.Day("books_from", form.Optional))
	}
	if f.Has("close_on_day") || f.IsNull("close_on_day") {
		day, _ := f.Integer("close_on_day", form.Optional, 1, mostCloseOnDay)
		change.CloseOnDay = &day
	}
	change.RequireCollected = f.FlagIfSent("require_collected")
	return change
}

// ChangeSettings changes the settings of the books and returns them. It refuses with form.ErrStale unless
// the basis is what they were, with a conflict if the day would change since which acts have been
// charged, and while a node of a release without books runs.
func (s *Service) ChangeSettings(
	ctx context.Context, basis form.Basis[money.Settings], change SettingsChange,
) (changed money.Settings, err error) {
	if err := change.Problems().Err(); err != nil {
		return changed, err
	}
	if s.config.Startable != nil {
		if err := s.config.Startable(ctx); err != nil {
			return changed, err
		}
	}
	err = s.change(ctx, audit.ActionBooksChanged, func(tx Writer, note *audit.Entry) (bool, error) {
		_, before, err := tx.LockSettings(ctx)
		if err == nil {
			err = basis.Check(before)
		}
		if err != nil {
			return false, err
		}
		changed = change.of(before, s.now())
		if changed == before {
			return false, nil
		}
		if changed.From != before.From {
			begun, err := hasEntries(ctx, tx)
			if begun {
				err = errBegun
			}
			if err != nil {
				return false, err
			}
		}
		note.Before, note.After = before, changed
		return true, tx.SaveSettings(ctx, changed)
	})
	return changed, err
}

// of returns the settings after the change, which is made at a time.
func (c *SettingsChange) of(settings money.Settings, at time.Time) money.Settings {
	if c.From != nil {
		settings.From = *c.From
	}
	if c.CloseOnDay != nil {
		settings.CloseOnDay = *c.CloseOnDay
	}
	if c.RequireCollected != nil && *c.RequireCollected != !settings.CollectedFrom.IsZero() {
		settings.CollectedFrom = time.Time{}
		if *c.RequireCollected {
			settings.CollectedFrom = at
		}
	}
	return settings
}

// hasEntries reports whether the journal has any entry.
func hasEntries(ctx context.Context, tx Reader) (bool, error) {
	written, err := tx.Entries(ctx, Filter{Limit: 1})
	return len(written) > 0, err
}

// Begun reports whether acts have been charged, after which the first day of the books stays.
func (s *Service) Begun(ctx context.Context) (begun bool, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		begun, err = hasEntries(ctx, tx)
		return err
	})
	return begun, err
}

// errBegun refuses another beginning of books that have entries.
var errBegun = refusal.New(refusal.CodeConflict, "the books have begun: their first day can no longer be changed")

// change runs a change in a transaction, and notes it in the audit log if it has changed something.
func (s *Service) change(
	ctx context.Context, action audit.Action, fn func(Writer, *audit.Entry) (changed bool, err error),
) error {
	note, err := audit.NewEntry(ctx, s.config.Random, s.now(), action)
	if err != nil {
		return err
	}
	return s.config.Store.Write(ctx, func(tx Writer) error {
		changed, err := fn(tx, note)
		if err != nil || !changed {
			return err
		}
		return tx.AddAudit(ctx, note)
	})
}

// Page is a page of the journal. Next is the place of its last entry; zero at the end.
type Page struct {
	Entries []*money.Entry
	Next    Cursor
}

// Journal lists the entries that a filter selects.
func (s *Service) Journal(ctx context.Context, filter Filter) (page Page, err error) {
	limit := filter.Limit
	filter.Limit++ // one more shows whether a next page exists
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page.Entries, err = tx.Entries(ctx, filter)
		return err
	})
	page.Entries, page.Next = paging.Cut(page.Entries, limit, CursorOf)
	return page, err
}

// Balances returns what the accounts that a filter selects add up to, in the order in which they are
// shown.
func (s *Service) Balances(ctx context.Context, filter Filter) (balances []money.Balance, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		balances, err = tx.Balances(ctx, filter)
		return err
	})
	money.SortBalances(balances)
	return balances, err
}

// Owing returns what each partner owes and what it was charged in a period of which both days are included,
// the largest debt first. Partners that owe nothing are left out.
func (s *Service) Owing(ctx context.Context, first, last date.Day) (owing []Owing, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		owing, err = tx.Owing(ctx, first, last)
		return err
	})
	slices.SortFunc(owing, func(a, b Owing) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(b.Cents, a.Cents),
			cmp.Compare(a.PartnerID, b.PartnerID))
	})
	return owing, err
}

// Month returns the first day of this month and today, in the time zone of the service.
func (s *Service) Month() (first, today date.Day) {
	today = date.Of(s.config.Now(), s.config.Zone)
	return today - date.Day(today.Midnight().Day()) + 1, today
}
