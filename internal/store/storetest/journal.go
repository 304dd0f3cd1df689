package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

var (
	numbersOfRuns = money.Numbers{GSTHST: "123456789 RT0001", QST: "1234567890 TQ0001"}
	// booksOfRuns begin in the middle of the days of a run.
	booksOfRuns = date.Of(testkit.Epoch, testkit.Epoch.Location()) + 2
)

func writeBooks(t *testing.T, s *store.Store, fn func(tx accounting.Writer) error) {
	t.Helper()
	must(t, s.Accounting().Write(t.Context(), fn))
}

// testJournal compares the journal with what follows from the histories of all orders, after random moves by
// several nodes, and after these orders were erased and removed.
func testJournal(t *testing.T, s *store.Store) {
	writeOperators(t, s, func(tx operator.Writer) error {
		for _, id := range couriersOfFigures {
			must(t, tx.AddCourier(t.Context(),
				&operator.Courier{Courier: delivery.Courier{CourierID: id, Name: "Camille " + id}, Active: true}))
		}
		return nil
	})
	writeBooks(t, s, func(tx accounting.Writer) error {
		must(t, tx.SaveFirm(t.Context(), money.Firm{Name: "Plateau", Numbers: numbersOfRuns}))
		return tx.SaveSettings(t.Context(), money.Settings{From: booksOfRuns})
	})
	runs := testkit.Scaled(40, 4)
	want := make([]string, 0, 10*runs)
	for seed := range runs {
		run := &figuresRun{db: s}
		for i := range 3 {
			run.partners = append(run.partners, fmt.Sprintf("par_%07d%d", seed+1, i))
		}
		run.work(t, uint64(seed))
		want = append(want, run.expected(t)...)
		slices.Sort(want)
		compareJournal(t, s, want)
		run.forget(t)
	}
	if len(want) == 0 {
		t.Error("got no charge in all runs")
	}
	compareJournal(t, s, want)
}

// expected returns what follows from the histories of all orders: the texts of the entries.
func (r *figuresRun) expected(t *testing.T) (entries []string) {
	t.Helper()
	keeper := money.Bookkeeper{
		Books: money.Books{Settings: money.Settings{From: booksOfRuns}, Numbers: numbersOfRuns},
		Zone:  testkit.Epoch.Location(),
		Clock: testkit.Calendar().Clock,
	}
	for _, partnerID := range r.partners {
		must(t, r.db.Retention().Read(t.Context(), func(tx retention.Reader) error {
			orders, err := tx.Orders(t.Context(), partnerID, "", 10_000)
			for _, o := range orders {
				for i := 1; i < len(o.History); i++ {
					before, after := *o, *o
					before.History, before.Status = o.History[:i], o.History[i-1].Status
					after.History, after.Status = o.History[:i+1], o.History[i].Status
					if entry := keeper.Moved(&before, &after, additionsOfRuns); entry != nil {
						entry.RecordedAt, entry.ActorID = o.History[i].RecordedAt, "opr_1"
						money.SortLines(entry.Lines)
						entries = append(entries, textOfEntry(entry))
					}
				}
			}
			return err
		}))
	}
	return entries
}

// textOfEntry returns all of an entry but its id.
func textOfEntry(e *money.Entry) string {
	return fmt.Sprintf("%s %s %s %d %d %s %s %s %v", e.PartnerID, e.Day, e.Act, e.At.UnixMilli(),
		e.RecordedAt.UnixMilli(), e.OrderID, e.PartnerOrderID, e.ActorID, e.Lines)
}

// compareJournal reads the journal in both directions, in pages, and its balances.
func compareJournal(t *testing.T, s *store.Store, want []string) {
	t.Helper()
	ctx := t.Context()
	sums := map[money.Account]int64{}
	var lists [2][]string
	must(t, s.Accounting().Read(ctx, func(tx accounting.Reader) error {
		for i, oldest := range []bool{false, true} {
			filter := accounting.Filter{Oldest: oldest, Limit: 7}
			for {
				page, err := tx.Entries(ctx, filter)
				if err != nil {
					return err
				}
				for _, entry := range page {
					lists[i] = append(lists[i], textOfEntry(entry))
					for _, line := range entry.Lines {
						if oldest {
							sums[line.Account] += line.Cents
						}
					}
				}
				if len(page) < filter.Limit {
					break
				}
				filter.After = accounting.CursorOf(page[len(page)-1])
			}
		}
		return nil
	}))
	slices.Reverse(lists[0])
	if !slices.Equal(lists[0], lists[1]) {
		t.Error("got other entries newest first than oldest first")
	}
	if !slices.IsSortedFunc(lists[1], compareDays) {
		t.Error("got entries that are not sorted by their days")
	}
	slices.Sort(lists[1])
	same(t, "the journal", lists[1], want)
	must(t, s.Accounting().Read(ctx, func(tx accounting.Reader) error {
		balances, err := tx.Balances(ctx, accounting.Filter{})
		for _, b := range balances {
			if b.Currency != delivery.CAD || sums[b.Account] != b.Cents {
				t.Errorf("got %+v, want %d, the sum of the lines", b, sums[b.Account])
			}
			delete(sums, b.Account)
		}
		if len(sums) > 0 {
			t.Errorf("got no balances of %v", sums)
		}
		return err
	}))
}

// compareDays compares the days in the texts of entries.
func compareDays(a, b string) int {
	day := func(text string) (found string) {
		_, _ = fmt.Sscanf(text, "par_%s %s", new(string), &found)
		return found
	}
	switch {
	case day(a) < day(b):
		return -1
	case day(a) > day(b):
		return 1
	}
	return 0
}

// testBooks selects entries, and keeps settings.
func testBooks(t *testing.T, s *store.Store) {
	ctx := t.Context()
	writeBooks(t, s, func(tx accounting.Writer) error {
		firm, settings, err := tx.LockSettings(ctx)
		if (firm != money.Firm{}) || (settings != money.Settings{}) || err != nil {
			t.Errorf("got %+v, %+v, %v, want nothing before anything was set", firm, settings, err)
		}
		return nil
	})
	firm := money.Firm{Name: "Livraisons Plateau", Address: "4200 Rue Saint-Denis\nMontréal", Numbers: numbersOfRuns}
	writeBooks(t, s, func(tx accounting.Writer) error {
		must(t, tx.SaveFirm(ctx, firm))
		return tx.SaveSettings(ctx, money.Settings{From: booksOfRuns})
	})
	must(t, s.Accounting().Read(ctx, func(tx accounting.Reader) error {
		found, settings, err := tx.Settings(ctx)
		if found != firm || settings.From != booksOfRuns {
			t.Errorf("got %+v, %+v, want what was set", found, settings)
		}
		return err
	}))
}

// testMoneyByDay sums up what was charged and collected by day and currency.
func testMoneyByDay(t *testing.T, s *store.Store) {
	ctx := t.Context()
	const metro, nord = "par_0000001a", "par_0000002b"
	number := 0
	add := func(partnerID string, day date.Day, act money.Act, lines ...money.Line) {
		number++
		writeBooks(t, s, func(tx accounting.Writer) error {
			return tx.AddEntries(ctx, []*money.Entry{{
				PartnerID: partnerID, Day: day, EntryID: fmt.Sprintf("%032d", number), At: testkit.Epoch,
				RecordedAt: testkit.Epoch, Act: act, Lines: lines,
			}})
		})
	}
	line := func(account money.Account, currency delivery.Currency, cents int64) money.Line {
		return money.Line{Account: account, Currency: currency, Cents: cents}
	}
	for _, partnerID := range []string{metro, nord} {
		add(partnerID, 20_000, money.ActDelivery, line(money.Charges, delivery.CAD, 1130),
			line(money.Revenue, delivery.CAD, -1000), line(money.TaxHST, delivery.CAD, -130))
	}
	add(metro, 20_000, money.ActCollection,
		line(money.Collected, delivery.CAD, -500), line(money.Terminal, delivery.CAD, 500))
	add(metro, 20_000, money.ActCollection,
		line(money.Collected, delivery.USD, -700), line(money.Terminal, delivery.USD, 700))
	add(metro, 20_001, money.ActRemittance,
		line(money.Collected, delivery.CAD, 500), line(money.Bank, delivery.CAD, -500))
	add(metro, 20_002, money.ActAdjustment,
		line(money.Charges, delivery.CAD, -300), line(money.Revenue, delivery.CAD, 300))
	add(metro, 20_002, money.ActPayment,
		line(money.Charges, delivery.CAD, -830), line(money.Bank, delivery.CAD, 830))
	adjusted := report.DayMoney{Day: 20_002, Currency: delivery.CAD, Revenue: -300}
	for _, c := range []struct {
		partnerID   string
		first, last date.Day
		want        []report.DayMoney
	}{
		{"", 20_000, 20_002, []report.DayMoney{
			{Day: 20_000, Currency: delivery.CAD, Revenue: 2000, Collected: 500},
			{Day: 20_000, Currency: delivery.USD, Collected: 700}, adjusted,
		}},
		{metro, 20_001, 20_002, []report.DayMoney{adjusted}},
		{nord, 20_000, 20_002, []report.DayMoney{{Day: 20_000, Currency: delivery.CAD, Revenue: 1000}}},
		{nord, 20_001, 20_002, []report.DayMoney{}},
	} {
		must(t, s.Reports().Read(ctx, func(tx report.Reader) error {
			got, err := tx.Money(ctx, c.partnerID, c.first, c.last)
			same(t, fmt.Sprintf("%q from %s to %s", c.partnerID, c.first, c.last), got, c.want)
			return err
		}))
	}
}

// testOwing sums up what partners owe, and what orders were charged.
func testOwing(t *testing.T, s *store.Store) {
	ctx := t.Context()
	const metro, nord, even = "par_0000001a", "par_0000002b", "par_0000003c"
	entry := func(partnerID string, day date.Day, number int, act money.Act, net, tax int64) *money.Entry {
		return &money.Entry{
			PartnerID: partnerID, Day: day, EntryID: fmt.Sprintf("%032d", number), At: testkit.Epoch, RecordedAt: testkit.Epoch,
			Act: act, OrderID: fmt.Sprint("ord_", number), PartnerOrderID: fmt.Sprint("A-", number), Lines: []money.Line{
				{Account: money.Charges, Currency: delivery.CAD, Cents: net + tax},
				{Account: money.Revenue, Currency: delivery.CAD, Cents: -net},
				{Account: money.TaxHST, Currency: delivery.CAD, Cents: -tax},
			},
		}
	}
	must(t, s.Orders().Write(ctx, func(tx order.Writer) error {
		return tx.Save(ctx, &order.Changes{Entries: []*money.Entry{
			entry(metro, 20_000, 1, money.ActDelivery, 1000, 130), entry(metro, 20_010, 2, money.ActDelivery, 2000, 260),
			entry(metro, 20_011, 3, money.ActAttempt, 300, 39), entry(nord, 20_001, 4, money.ActDelivery, 700, 91),
			entry(even, 20_010, 5, money.ActDelivery, 500, 65), entry(even, 20_010, 6, money.ActDelivery, -500, -65),
		}})
	}))
	must(t, s.Accounting().Read(ctx, func(tx accounting.Reader) error {
		owing, err := tx.Owing(ctx, 20_010, 20_011)
		slices.SortFunc(owing, func(a, b accounting.Owing) int { return strings.Compare(a.PartnerID, b.PartnerID) })
		same(t, "what partners owe", owing, []accounting.Owing{
			{PartnerID: metro, Currency: delivery.CAD, Cents: 3729, Charged: 2599, Last: 20_011},
			{PartnerID: nord, Currency: delivery.CAD, Cents: 791, Last: 20_001},
		})
		if err != nil {
			return err
		}
		for _, c := range []struct {
			filter accounting.Filter
			want   int64
		}{
			{accounting.Filter{}, -4000}, {accounting.Filter{PartnerID: metro}, -3300},
			{accounting.Filter{Act: money.ActAttempt}, -300}, {accounting.Filter{PartnerOrderID: "A-2"}, -2000},
			{accounting.Filter{OrderID: "ord_1", Last: 20_001}, -1000},
		} {
			balances, err := tx.Balances(ctx, c.filter)
			if err != nil {
				return err
			}
			var got int64
			for _, b := range balances {
				if b.Account == money.Revenue {
					got = b.Cents
				}
			}
			if got != c.want {
				t.Errorf("%+v: got %d on the account of revenue, want %d", c.filter, got, c.want)
			}
		}
		found, err := tx.Entries(ctx, accounting.Filter{PartnerOrderID: "A-3", Limit: 10})
		if len(found) != 1 || found[0].OrderID != "ord_3" {
			t.Errorf("A-3: got %d entries, want that of its order", len(found))
		}
		return err
	}))
}
