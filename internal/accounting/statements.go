package accounting

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/statement"
)

// Closed is a statement that was closed, without its lines.
type Closed struct {
	PartnerID string
	Number    int64
	Period    money.Period
	ClosedAt  time.Time
	Closings  []money.Closing // by currency
	Owing     bool            // the balance is not zero
	Damage    error           // why the closings cannot be read; nil if they can
}

// StatementID returns the id of the statement.
func (c *Closed) StatementID() string { return delivery.StatementID(c.PartnerID, c.Number) }

// Addressee is the partner that statements are addressed to.
type Addressee struct {
	Name     string // of the partner
	Language statement.Language
	Owners   []string // their e-mail addresses
}

// StatementFilter selects statements. Zero fields select all.
type StatementFilter struct {
	PartnerID string
	Period    money.Period
	After     StatementCursor // only those that a list has after it
	Limit     int
}

// StatementCursor names the place of a statement in lists.
type StatementCursor struct {
	Period    money.Period
	PartnerID string
}

// String returns the cursor as text, which ParseStatementCursor reads; empty for none.
func (c StatementCursor) String() string {
	if c == (StatementCursor{}) {
		return ""
	}
	return c.Period.String() + "." + c.PartnerID
}

// ParseStatementCursor reads a cursor that String has written.
func ParseStatementCursor(text string) (c StatementCursor, ok bool) {
	period, partnerID, found := strings.Cut(text, ".")
	if c.Period, ok = money.ParsePeriod(period); !ok || !found || partnerID == "" {
		return StatementCursor{}, false
	}
	c.PartnerID = partnerID
	return c, true
}

// StatementPage is a page of statements. Next is the place of its last one; zero at the end.
type StatementPage struct {
	Statements []*Closed
	Next       StatementCursor
}

// Statements lists the statements that a filter selects, the latest month first.
func (s *Service) Statements(ctx context.Context, filter StatementFilter) (page StatementPage, err error) {
	limit := filter.Limit
	filter.Limit++ // one more shows whether a next page exists
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page.Statements, err = tx.Statements(ctx, filter)
		return err
	})
	page.Statements, page.Next = paging.Cut(page.Statements, limit,
		func(c *Closed) StatementCursor { return StatementCursor{c.Period, c.PartnerID} })
	return page, err
}

// StatementFile returns a statement as the file that was made when it was closed. Only that of a partner is found
// unless partnerID is empty. It refuses with not_found.
func (s *Service) StatementFile(
	ctx context.Context, partnerID, statementID string, format statement.Format,
) (file statement.File, err error) {
	owner, number, ok := delivery.ParseStatementID(statementID)
	if !ok || partnerID != "" && owner != partnerID {
		return file, errNoStatement
	}
	file.Format = format
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		file.Data, err = tx.StatementFile(ctx, owner, number, format)
		return err
	})
	if err == nil && file.Data == nil {
		err = errNoStatement
	}
	return file, err
}

var errNoStatement = refusal.NotFound("statement")

// PeriodRule is the rule for texts that name a month.
var PeriodRule = form.TextRule{
	Rule: form.Define("month", "a month such as 2026-11"),
	Allows: func(text string) bool {
		_, ok := money.ParsePeriod(text)
		return ok
	},
}

// ClosingRequest is a request to close a month.
type ClosingRequest struct {
	form.Faults
	Period    money.Period
	PartnerID string // empty for all partners
}

// ReadClosingRequest reads such a request.
func ReadClosingRequest(f *form.Form) ClosingRequest {
	period, _ := money.ParsePeriod(f.Text("period", form.Required, PeriodRule))
	return ClosingRequest{Period: period, PartnerID: f.Text("partner_id", form.Optional, form.Length(1, 255))}
}

// The refusals of a closing.
var (
	errNotEnded = refusal.New(refusal.CodeConflict, "the month has not ended")
	errClosed   = refusal.New(refusal.CodeConflict, "the month, or a later one, is closed for this partner")
	errNothing  = refusal.New(refusal.CodeConflict, "there is nothing to state: no entry, and no balance")
)

// draft is a statement that is about to be closed.
type draft struct {
	*money.Statement
	to Addressee
}

// draft reads what a statement of a month would have now. It refuses with not_found, and with a conflict if the month
// or a later one is closed.
func (s *Service) draft(ctx context.Context, partnerID string, period money.Period) (d draft, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		known, err := tx.KnowsPartner(ctx, partnerID)
		if err == nil && (!known || delivery.IsTest(partnerID)) {
			err = refusal.NotFound("partner")
		}
		if err != nil {
			return err
		}
		last, err := tx.LastStatement(ctx, partnerID)
		if err != nil {
			return err
		}
		var before []money.Closing
		number := int64(1)
		switch {
		case last == nil:
		case last.Damage != nil:
			return last.Damage
		case last.Period >= period:
			return errClosed
		default:
			before, number = last.Closings, last.Number+1
		}
		entries, err := tx.Unstated(ctx, partnerID, period.Last())
		if err != nil {
			return err
		}
		d.Statement = money.NewStatement(entries, before)
		d.PartnerID, d.Number, d.Period = partnerID, number, period
		if d.Firm, _, err = tx.Settings(ctx); err != nil {
			return err
		}
		d.to, err = tx.Addressee(ctx, partnerID)
		d.Name = d.to.Name
		return err
	})
	return d, err
}

// Preview returns the statement of a partner as it would be if the month were closed now, also of a month that has
// not ended. It has no number. It refuses with not_found, and with a conflict if the month or a later one is closed.
func (s *Service) Preview(ctx context.Context, partnerID string, period money.Period) (*money.Statement, error) {
	d, err := s.draft(ctx, partnerID, period)
	if err != nil {
		return nil, err
	}
	d.Number = 0
	return d.Statement, nil
}

// CloseMonth closes a month of a partner: from then on its statement never changes. Entries that are recorded later
// are on the next one. It refuses with not_found, and with a conflict if the month has not ended, if it or a later one
// is closed, or if there is nothing to state.
//
// The statement is written before the transaction, which adds it only if its number and its month are still free: then
// no other statement has come between, and no entry is on two. An entry that is committed meanwhile is on the next.
func (s *Service) CloseMonth(
	ctx context.Context, partnerID string, period money.Period,
) (closed *Closed, document []byte, err error) {
	now := s.now()
	if !s.ended(period, now) {
		return nil, nil, errNotEnded
	}
	d, err := s.draft(ctx, partnerID, period)
	if err != nil {
		return nil, nil, err
	}
	if d.Empty() {
		return nil, nil, errNothing
	}
	d.ClosedAt, d.ClosedOn = now, date.Of(now, s.config.Zone)
	files, err := statement.Files(d.Statement, d.to.Language)
	if err != nil {
		return nil, nil, err
	}
	closed = &Closed{
		PartnerID: partnerID, Number: d.Number, Period: period, ClosedAt: now, Closings: d.Closings(),
		Owing: money.Owing(d.Closings()),
	}
	if err := s.add(ctx, d, closed, files); err != nil {
		return nil, nil, err
	}
	return closed, files[slices.Index(statement.Formats, statement.FormatJSON)].Data, nil
}

// ended reports whether a month has ended at a time.
func (s *Service) ended(period money.Period, at time.Time) bool {
	return period.Last() < date.Of(at, s.config.Zone)
}

// closedFacts is what the audit log holds of a statement.
type closedFacts struct {
	StatementID string       `json:"statement_id"`
	Number      int64        `json:"number"`
	Period      money.Period `json:"period"`
}

// add adds a statement, and has it announced.
func (s *Service) add(ctx context.Context, d draft, closed *Closed, files []statement.File) error {
	event, err := s.closedEvent(d)
	if err != nil {
		return err
	}
	entryIDs := make([]string, len(d.Lines))
	for i, line := range d.Lines {
		entryIDs[i] = line.EntryID
	}
	slices.Sort(entryIDs)
	entryIDs = slices.Compact(entryIDs)
	var waits []outbox.EndpointKey
	err = s.change(ctx, audit.ActionStatementClosed, func(tx Writer, note *audit.Entry) (bool, error) {
		added, err := tx.AddStatement(ctx, closed, files, entryIDs)
		if err == nil && !added {
			err = errClosed
		}
		if err != nil {
			return false, err
		}
		if waits, err = tx.AddEvent(ctx, event); err != nil {
			return false, err
		}
		if err := s.mail(ctx, tx, d); err != nil {
			return false, err
		}
		note.PartnerID, note.ObjectID = closed.PartnerID, closed.StatementID()
		note.After = closedFacts{closed.StatementID(), closed.Number, closed.Period}
		return true, nil
	})
	if err == nil && len(waits) > 0 && s.config.Announce != nil {
		s.config.Announce(waits...)
	}
	return err
}

// closedEvent returns the event of a statement, which is its first and only one.
func (s *Service) closedEvent(d draft) (*delivery.Event, error) {
	id, err := identifier.NewUUID(s.config.Random, d.ClosedAt)
	if err != nil {
		return nil, err
	}
	facts := &delivery.StatementFacts{
		StatementID: delivery.StatementID(d.PartnerID, d.Number), Period: d.Period.String(), Number: d.Number,
	}
	for _, sums := range d.Sums {
		facts.Balances = append(facts.Balances, delivery.Balance{Currency: sums.Currency, Cents: sums.Closing.Balance()})
	}
	return &delivery.Event{
		EventID: id, PartnerID: d.PartnerID, OrderID: facts.StatementID, Type: delivery.EventStatementClosed, Sequence: 1,
		CreatedAt: d.ClosedAt, Facts: delivery.EventFacts{Statement: facts},
	}, nil
}

// mail writes a mail to each owner of a partner.
func (s *Service) mail(ctx context.Context, tx Writer, d draft) error {
	if s.config.Post == nil {
		return nil
	}
	for _, owner := range d.to.Owners {
		if err := s.config.Post.Send(ctx, tx, &mail.Message{
			Kind: mail.Statement, To: owner, PartnerID: d.PartnerID, Team: d.to.Name, At: d.ClosedAt,
			URL: s.config.BaseURL() + "/portal/statements", Number: d.Number, Month: d.Period.First().Midnight(),
		}); err != nil {
			return err
		}
	}
	return nil
}
