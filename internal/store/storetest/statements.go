package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/statement"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
	"pgregory.net/rapid"
)

// firstMonth is the first of those in which the entries of these tests are.
var firstMonth = money.PeriodOf(date.On(2026, 10, 1))

// accountants are nodes that close months at a time which the test sets.
type accountants struct {
	*accounting.Service
	mu  sync.Mutex
	now time.Time // guarded by mu
}

// newAccountant returns a node in a time zone, at a time.
func newAccountant(t *testing.T, s *store.Store, now time.Time, number int) *accountants {
	t.Helper()
	a := &accountants{now: now}
	a.Service = accounting.NewService(accounting.Config{
		Store: s.Accounting(), Now: a.time, Zone: time.UTC, Random: repeatable.Reader(t, fmt.Sprint("node ", number)),
		Pause: func(context.Context, time.Duration) error { return nil },
	})
	return a
}

func (a *accountants) time() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.now
}

// statedEntry returns an entry of an act whose lines add up to zero.
func statedEntry(partnerID string, number int, day date.Day, act money.Act, cents int64) *money.Entry {
	e := &money.Entry{
		PartnerID: partnerID, EntryID: fmt.Sprintf("%032d", number), Day: day, At: day.Midnight(), RecordedAt: testkit.Epoch,
		Act: act, Notes: "notes", OrderID: fmt.Sprint("ord_", number),
	}
	line := func(account money.Account, cents int64) {
		e.Lines = append(e.Lines, money.Line{Account: account, Currency: delivery.CAD, Cents: cents})
	}
	switch act {
	case money.ActPayment:
		line(money.Charges, -cents)
		line(money.Bank, cents)
	case money.ActCollection:
		line(money.Collected, -cents)
		line(money.Terminal, cents)
	case money.ActHandIn: // is on no statement
		line(money.Terminal, -cents)
		line(money.Desk, cents)
	default:
		line(money.Charges, cents+cents/10)
		line(money.Revenue, -cents)
		line(money.TaxHST, -cents/10)
	}
	money.SortLines(e.Lines)
	return e
}

var statedActs = []money.Act{
	money.ActDelivery, money.ActPayment, money.ActCollection, money.ActHandIn, money.ActAdjustment,
}

// stated is a statement as the tests read it.
type stated struct {
	Number  int64  `json:"number"`
	Period  string `json:"period"`
	Opening int64
	Closing int64
	Sums    []struct {
		Currency string
		Opening  int64 `json:"opening_balance_cents"`
		Closing  int64 `json:"closing_balance_cents"`
	} `json:"sums"`
	Lines []struct {
		EntryID string `json:"entry_id"`
		Date    string `json:"date"`
		Total   int64  `json:"total_cents"`
	} `json:"lines"`
}

// readStatements returns the statements of a partner, the first one first, with their JSON.
func readStatements(
	ctx context.Context, a *accounting.Service, partnerID string,
) (all []stated, documents [][]byte, err error) {
	page, err := a.Statements(ctx, accounting.StatementFilter{PartnerID: partnerID, Limit: 100})
	if err != nil {
		return nil, nil, err
	}
	for _, closed := range slices.Backward(page.Statements) {
		file, err := a.StatementFile(ctx, partnerID, closed.StatementID(), statement.FormatJSON)
		if err != nil {
			return nil, nil, err
		}
		var one stated
		if err := json.Unmarshal(file.Data, &one); err != nil {
			return nil, nil, err
		}
		one.Opening, one.Closing = one.Sums[0].Opening, one.Sums[0].Closing
		all, documents = append(all, one), append(documents, file.Data)
	}
	return all, documents, nil
}

// checkStatements compares the statements of a partner with its entries: each is on one, none is before its day, the
// numbers have no gaps, and each begins with what the last one has ended with.
func checkStatements(t rapid.TB, all []stated, entries []*money.Entry) {
	t.Helper()
	on := map[string]string{}
	balance, last := int64(0), ""
	for i, one := range all {
		if one.Number != int64(i+1) || one.Period <= last {
			t.Errorf("got statement %d of %s behind that of %q, want %d of a later month", one.Number, one.Period, last, i+1)
		}
		if last = one.Period; one.Opening != balance {
			t.Errorf("%s: got an opening balance of %d, want %d", one.Period, one.Opening, balance)
		}
		for _, line := range one.Lines {
			if before := on[line.EntryID]; before != "" || line.Date[:7] > one.Period {
				t.Errorf("%s: got the entry %s of %s, which is on %q, too", one.Period, line.EntryID, line.Date, before)
			}
			on[line.EntryID] = one.Period
			balance += line.Total
		}
		if one.Closing != balance {
			t.Errorf("%s: got a closing balance of %d, want %d", one.Period, one.Closing, balance)
		}
	}
	for _, entry := range entries {
		want := entry.Act != money.ActHandIn && money.PeriodOf(entry.Day).String() <= last
		if got := on[entry.EntryID] != ""; got != want {
			t.Errorf("entry %s of %s (%s): got on a statement: %t, want %t", entry.EntryID, entry.Day, entry.Act, got, want)
		}
		delete(on, entry.EntryID)
	}
	if len(on) > 0 {
		t.Errorf("got lines of entries that do not exist: %v", on)
	}
}

// testStatementModel closes months of a partner between entries, and compares with what has to be on each statement.
func testStatementModel(t *testing.T, s *store.Store) {
	partners, number := 0, 0
	repeatable.Check(t, func(rt *rapid.T) {
		partners++
		id := fmt.Sprintf("par_1%07d", partners)
		addPartner(t, s, id, id)
		a := newAccountant(t, s, firstMonth.First().Midnight().Add(time.Hour), partners)
		var entries []*money.Entry
		var kept [][]byte
		now, closed := firstMonth, firstMonth-1
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0, 1:
				number++
				day := firstMonth.First() + date.Day(rapid.IntRange(0, int((now+1).First()-firstMonth.First()-1)).Draw(rt, "day"))
				entry := statedEntry(id, number, day, rapid.SampledFrom(statedActs).Draw(rt, "act"),
					rapid.Int64Range(-5_000, 50_000).Draw(rt, "cents"))
				must(t, s.Accounting().Write(t.Context(), func(tx accounting.Writer) error {
					return tx.AddEntries(t.Context(), []*money.Entry{entry})
				}))
				entries = append(entries, entry)
			case 2:
				now++
				a.now = now.First().Midnight().Add(time.Hour)
			default:
				period := firstMonth + money.Period(rapid.IntRange(0, int(now-firstMonth)+1).Draw(rt, "period"))
				before, _, err := readStatements(t.Context(), a.Service, id)
				must(t, err)
				due := slices.Contains(unclosed(t, a.Service, period), id)
				preview, previewed := a.Preview(t.Context(), id, period)
				_, document, err := a.CloseMonth(t.Context(), id, period)
				want := period < now && period > closed && due
				if got := err == nil; got != want || err != nil && !refusal.HasCode(err, refusal.CodeConflict) {
					rt.Errorf("close %s in %s after %s: got %v, want it closed: %t", period, now, closed, err, want)
				}
				if err == nil {
					if previewed != nil || len(preview.Lines) != len(linesOf(t, document)) {
						rt.Errorf("%s: got %v as a preview, want the lines of %s", period, preview, document)
					}
					closed, kept = period, append(kept, document)
				} else if after, _, err := readStatements(t.Context(), a.Service, id); err != nil || len(after) != len(before) {
					rt.Errorf("%s: got %d statements after a refusal, %v, want %d", period, len(after), err, len(before))
				}
			}
		}
		a.now = (now + 2).First().Midnight()
		if slices.Contains(unclosed(t, a.Service, now+1), id) {
			_, document, err := a.CloseMonth(t.Context(), id, now+1)
			must(t, err)
			kept = append(kept, document)
		}
		all, documents, err := readStatements(t.Context(), a.Service, id)
		must(t, err)
		checkStatements(rt, all, entries)
		if !slices.EqualFunc(documents, kept, bytes.Equal) {
			rt.Error("got other documents than were answered when they were closed")
		}
	})
}

func linesOf(t *testing.T, document []byte) []any {
	t.Helper()
	var read struct{ Lines []any }
	must(t, json.Unmarshal(document, &read))
	return read.Lines
}

func unclosed(t *testing.T, a *accounting.Service, period money.Period) []string {
	t.Helper()
	due, err := a.Unclosed(t.Context(), period)
	must(t, err)
	return due
}

// testStatementRaces has nodes close the same months at the same time while entries are added, of all partners and of
// single ones.
func testStatementRaces(t *testing.T, s *store.Store) {
	const months, nodes = 3, 3
	ctx := audit.WithOperation(t.Context(), audit.Operation{OperatorID: "opr_1"})
	partners := make([]string, 4)
	for i := range partners {
		partners[i] = fmt.Sprintf("par_2%07d", i)
		addPartner(t, s, partners[i], partners[i])
	}
	addEndpointOf(t, s, partners[0])
	var mu sync.Mutex
	added := map[string][]*money.Entry{}
	number := 0
	var work sync.WaitGroup
	end := (firstMonth + months).First()
	for i := range 4 {
		draw := repeatable.Rand(t, fmt.Sprint("entries ", i))
		work.Go(func() {
			for range testkit.Scaled(60, 25) {
				mu.Lock()
				number++
				id := partners[draw.IntN(len(partners))]
				entry := statedEntry(id, number, firstMonth.First()+date.Day(draw.IntN(int(end-firstMonth.First()))),
					statedActs[draw.IntN(len(statedActs))], int64(draw.IntN(10_000)))
				mu.Unlock()
				if err := s.Accounting().Write(ctx, func(tx accounting.Writer) error {
					return tx.AddEntries(ctx, []*money.Entry{entry})
				}); err != nil {
					t.Errorf("add an entry: %v", err)
					return
				}
				mu.Lock()
				added[id] = append(added[id], entry)
				mu.Unlock()
			}
		})
	}
	closings := map[string]int{}
	for node := range nodes {
		a := newAccountant(t, s, end.Midnight().Add(time.Hour), node)
		work.Go(func() {
			for month := range money.Period(months) {
				if _, err := a.BeginClosing(ctx, firstMonth+month); err != nil && !refusal.HasCode(err, refusal.CodeConflict) {
					t.Errorf("begin: %v", err)
				}
				for _, id := range partners {
					closed, _, err := a.CloseMonth(ctx, id, firstMonth+month)
					if err != nil && !refusal.HasCode(err, refusal.CodeConflict) {
						t.Errorf("close: %v", err)
					}
					if err == nil {
						mu.Lock()
						closings[closed.StatementID()]++
						mu.Unlock()
					}
				}
				if err := a.Work(ctx); err != nil {
					t.Errorf("work: %v", err)
				}
			}
		})
	}
	work.Wait()
	a := newAccountant(t, s, (firstMonth + months + 1).First().Midnight().Add(time.Hour), 100)
	finish(t, a, firstMonth+months)
	for _, id := range partners {
		all, _, err := readStatements(t.Context(), a.Service, id)
		must(t, err)
		checkStatements(t, all, added[id])
	}
	for id, times := range closings {
		if times != 1 {
			t.Errorf("%s: got closed %d times, want once", id, times)
		}
	}
	checkAnnounced(t, s, partners)
	for _, one := range store.Schema.Disagreeing {
		must(t, s.Read(t.Context(), func(c db.Conn) error {
			return c.Query(t.Context(), one.Query, nil, func(r db.Row) error {
				var text string
				err := r.Scan(&text)
				t.Errorf("got the finding %q, want none", text)
				return err
			})
		}))
	}
}

// finish closes a month for all partners, even if a node that was stopped still holds an earlier closing.
func finish(t *testing.T, a *accountants, period money.Period) {
	t.Helper()
	must(t, a.Work(t.Context()))
	_, err := a.BeginClosing(t.Context(), period)
	must(t, err)
	must(t, a.Work(t.Context()))
	if left := unclosed(t, a.Service, period); len(left) > 0 {
		t.Errorf("got %v without a statement of %s, want none", left, period)
	}
	progress, err := a.Progress(t.Context(), period)
	if err != nil || progress.State != accounting.StateDone || progress.Done != progress.Total {
		t.Errorf("got %+v, %v, want all done", progress, err)
	}
}

// addEndpointOf adds the endpoint of a partner.
func addEndpointOf(t *testing.T, s *store.Store, partnerID string) {
	t.Helper()
	must(t, s.Webhooks().Write(t.Context(), func(tx webhook.Writer) error {
		endpoint := &webhook.Endpoint{PartnerID: partnerID, URL: "https://shop.example", Enabled: true}
		_, err := tx.AddEndpoint(t.Context(), endpoint)
		return err
	}))
}

// checkAnnounced expects one event and one entry of the audit log for each statement.
func checkAnnounced(t *testing.T, s *store.Store, partners []string) {
	t.Helper()
	for i, id := range partners {
		all, _, err := readStatements(t.Context(), newAccountant(t, s, testkit.Epoch, 0).Service, id)
		must(t, err)
		var events []*webhook.Event
		must(t, s.Webhooks().Read(t.Context(), func(tx webhook.Reader) (err error) {
			events, err = tx.Events(t.Context(), webhook.Filter{PartnerID: id, Limit: 100})
			return err
		}))
		if len(events) != len(all) {
			t.Errorf("%s: got %d events, want one for each of %d statements", id, len(events), len(all))
		}
		for _, event := range events {
			waits := !event.DueAt.IsZero()
			if event.Type != delivery.EventStatementClosed || event.Facts.Statement == nil || waits != (i == 0) ||
				event.OrderID != event.Facts.Statement.StatementID {
				t.Errorf("%s: got the event %+v, want that of a statement, due: %t", id, event.Event, i == 0)
			}
		}
	}
}

// testClosing closes a month for all partners: what a node has left that is gone, another one does once its hold has
// run out. Partners that have nothing to state get no statement.
func testClosing(t *testing.T, s *store.Store) {
	ctx := audit.WithOperation(t.Context(), audit.Operation{OperatorID: "opr_1"})
	ids := []string{"par_30000001", "par_30000002", "par_30000003", "par_30000004"}
	for i, id := range ids {
		addPartner(t, s, id, id)
		if i > 0 { // the first one has no entry
			must(t, s.Accounting().Write(ctx, func(tx accounting.Writer) error {
				err := tx.AddEntries(ctx, []*money.Entry{statedEntry(id, 10*i, firstMonth.First(), money.ActDelivery, 1000)})
				if err == nil && i == 1 { // has paid everything
					err = tx.AddEntries(ctx, []*money.Entry{statedEntry(id, 10*i+1, firstMonth.Last(), money.ActPayment, 1100)})
				}
				return err
			}))
		}
	}
	now := (firstMonth + 1).First().Midnight().Add(time.Hour)
	first, second := newAccountant(t, s, now, 1), newAccountant(t, s, now, 2)
	if _, err := first.BeginClosing(ctx, firstMonth+1); !refusal.HasCode(err, refusal.CodeConflict) {
		t.Errorf("a month that has not ended: got %v, want a conflict", err)
	}
	progress, err := first.BeginClosing(ctx, firstMonth)
	same(t, "the progress", progress, accounting.Progress{Period: firstMonth, Total: 3, State: accounting.StateRunning})
	must(t, err)
	stopped, stop := context.WithCancel(ctx)
	first.Service = accounting.NewService(accounting.Config{
		Store: s.Accounting(), Now: first.time, Zone: time.UTC, Random: repeatable.Reader(t, "stopped"),
		Pause: func(context.Context, time.Duration) error { stop(); return errWanted },
	})
	must(t, first.Work(stopped))
	progress, err = second.Progress(ctx, 0)
	same(t, "the progress", progress, accounting.Progress{Period: firstMonth, Total: 3, Done: 1, State: accounting.StateRunning})
	must(t, err)
	must(t, s.Accounting().Write(ctx, func(tx accounting.Writer) error { // of a node that was killed
		closing, err := tx.LockClosing(ctx)
		closing.Holder, closing.HeldUntil = "killed", now.Add(time.Minute)
		must(t, err)
		return tx.SaveClosing(ctx, closing)
	}))
	must(t, second.Work(ctx))
	if progress, err := second.Progress(ctx, firstMonth); err != nil || progress.Done != 1 {
		t.Errorf("got %+v, %v, want nothing done while another node holds it", progress, err)
	}
	second.now = now.Add(time.Minute)
	must(t, second.Work(ctx))
	progress, err = second.Progress(ctx, firstMonth)
	same(t, "the progress", progress, accounting.Progress{Period: firstMonth, Total: 3, Done: 3, State: accounting.StateDone})
	must(t, err)
	must(t, second.Work(ctx))
	// Another month: without an entry, only those with a balance get a statement.
	second.now = (firstMonth + 2).First().Midnight().Add(time.Hour)
	same(t, "who gets a statement", unclosed(t, second.Service, firstMonth+1), ids[2:])
	if _, _, err := second.CloseMonth(ctx, ids[1], firstMonth+1); !refusal.HasCode(err, refusal.CodeConflict) {
		t.Errorf("nothing to state: got %v, want a conflict", err)
	}
	for _, id := range []string{"par_none", delivery.TestAccount(ids[2])} {
		if _, _, err := second.CloseMonth(ctx, id, firstMonth+1); !refusal.HasCode(err, refusal.CodeNotFound) {
			t.Errorf("%s: got %v, want not_found", id, err)
		}
	}
	finish(t, second, firstMonth+1)
	page, err := second.Statements(ctx, accounting.StatementFilter{Limit: 2})
	must(t, err)
	rest, err := second.Statements(ctx, accounting.StatementFilter{Limit: 10, After: page.Next})
	must(t, err)
	all := slices.Concat(page.Statements, rest.Statements)
	listed := make([]string, len(all))
	for i, one := range all {
		listed[i] = one.StatementID()
	}
	same(t, "the statements", listed,
		[]string{"stm_30000004_2", "stm_30000003_2", "stm_30000004_1", "stm_30000003_1", "stm_30000002_1"})
	if _, err := second.StatementFile(ctx, ids[2], "stm_30000004_2", statement.FormatPDF); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("a statement of another partner: got %v, want not_found", err)
	}
	file, err := second.StatementFile(ctx, "", "stm_30000004_2", statement.FormatPDF)
	if err != nil || !bytes.HasPrefix(file.Data, []byte("%PDF")) {
		t.Errorf("got %q, %v, want a PDF", file.Data[:min(10, len(file.Data))], err)
	}
	closeByDay(t, s, ids)
}

// closeByDay sets a day on which months are closed by themselves.
func closeByDay(t *testing.T, s *store.Store, ids []string) {
	t.Helper()
	ctx := t.Context()
	writeBooks(t, s, func(tx accounting.Writer) error {
		return tx.SaveSettings(ctx, money.Settings{From: 1, CloseOnDay: 5})
	})
	month := firstMonth + 2
	a := newAccountant(t, s, ((month + 1).First() + 3).Midnight(), 5)
	must(t, a.Work(ctx))
	if left := unclosed(t, a.Service, month); len(left) != 2 {
		t.Errorf("on the 4th: got %v to close, want %v", left, ids[2:])
	}
	a.now = ((month + 1).First() + 4).Midnight()
	must(t, a.Work(ctx))
	if left := unclosed(t, a.Service, month); len(left) != 0 {
		t.Errorf("on the 5th: got %v to close, want none", left)
	}
}

// testAddressee returns who gets statements, and in which language.
func testAddressee(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartner(t, s, partnerID, "Librairie")
	writePartners(t, s, func(tx partner.Writer) error {
		for i, role := range []partner.Role{partner.RoleReader, partner.RoleOwner, partner.RoleClerk} {
			user := &partner.Account{}
			user.UserID, user.PartnerID, user.Role = fmt.Sprint("usr_", i), partnerID, role
			user.Email, user.EmailKey = fmt.Sprint(role, "@example.com"), fmt.Sprint(role, "@example.com")
			if _, err := tx.AddUser(ctx, user); err != nil {
				return err
			}
		}
		if _, err := tx.LockProfile(ctx, partnerID); err != nil {
			return err
		}
		return tx.SaveProfile(ctx, partnerID, partner.Profile{Language: partner.LanguageFrench})
	})
	must(t, s.Accounting().Read(ctx, func(tx accounting.Reader) error {
		found, err := tx.Addressee(ctx, partnerID)
		same(t, "the addressee", found, accounting.Addressee{
			Name: "Librairie", Language: statement.French, Owners: []string{"owner@example.com"},
		})
		return err
	}))
}
