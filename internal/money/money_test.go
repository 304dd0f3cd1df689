package money_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

var (
	both   = money.Numbers{GSTHST: "123456789 RT0001", QST: "1234567890 TQ0001"}
	extras = pricing.Additions{AttemptCents: 301, ReturnCents: 450, LateCancellationCents: 400}
)

// TestTaxesByProvince is a table of worked examples: $100.00 and $12.34 from Montréal and from Toronto to each
// province, on the days around the change of the rate of Nova Scotia.
func TestTaxesByProvince(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, day, want string }{
		{"QC", "AB", "2026-11-27", "tax_gst 500 62"},
		{"QC", "BC", "2026-11-27", "tax_gst 500 62"},
		{"QC", "MB", "2026-11-27", "tax_gst 500 62"},
		{"QC", "NB", "2026-11-27", "tax_hst 1500 185"},
		{"QC", "NL", "2026-11-27", "tax_hst 1500 185"},
		{"QC", "NS", "2025-03-31", "tax_hst 1500 185"},
		{"QC", "NS", "2025-04-01", "tax_hst 1400 173"},
		{"QC", "NT", "2026-11-27", "tax_gst 500 62"},
		{"QC", "NU", "2026-11-27", "tax_gst 500 62"},
		{"QC", "ON", "2026-11-27", "tax_hst 1300 160"},
		{"QC", "PE", "2026-11-27", "tax_hst 1500 185"},
		{"QC", "QC", "2026-11-27", "tax_gst 500 62, tax_qst 998 123"},
		{"QC", "SK", "2026-11-27", "tax_gst 500 62"},
		{"QC", "YT", "2026-11-27", "tax_gst 500 62"},
		{"ON", "QC", "2026-11-27", "tax_gst 500 62"},
		{"ON", "ON", "2026-11-27", "tax_hst 1300 160"},
		{"NS", "NS", "2025-04-01", "tax_hst 1400 173"},
	} {
		day, _ := date.Parse(c.day)
		got := ""
		for i, tax := range money.TaxesOf(money.Leg{From: c.from, To: c.to}, day, both) {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d %d", tax.Account, tax.On(100_00), tax.On(12_34))
		}
		if got != c.want {
			t.Errorf("%s to %s on %s: got %s, want %s", c.from, c.to, c.day, got, c.want)
		}
	}
}

func TestTaxesNeedNumbers(t *testing.T) {
	t.Parallel()
	inQuebec, day := money.Leg{From: "QC", To: "QC"}, date.On(2026, 11, 27)
	for numbers, want := range map[money.Numbers]string{
		{}: "[]", {GSTHST: both.GSTHST}: "[{tax_gst 5000}]", {QST: both.QST}: "[{tax_qst 9975}]",
		both: "[{tax_gst 5000} {tax_qst 9975}]",
	} {
		if got := fmt.Sprint(money.TaxesOf(inQuebec, day, numbers)); got != want {
			t.Errorf("%+v: got %s, want %s", numbers, got, want)
		}
	}
}

// TestTaxRounding compares taxes with exact fractions: they are rounded half up, and those of a correction
// are those of what it corrects.
func TestTaxRounding(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		tax := money.Tax{Account: money.TaxQST, Rate: rapid.Int64Range(0, 100_000).Draw(t, "rate")}
		cents := rapid.Int64Range(0, 1e12).Draw(t, "cents")
		got := tax.On(cents)
		if twice := 2 * (got*100_000 - cents*tax.Rate); twice > 100_000 || twice <= -100_000 {
			t.Errorf("%d %% / 1000 of %d: got %d, which is not the nearest", tax.Rate, cents, got)
		}
		if back := tax.On(-cents); back != -got {
			t.Errorf("of -%d: got %d, want %d", cents, back, -got)
		}
	})
}

// bookkeeper keeps books from a day on, by the clocks of Canada.
func bookkeeper(from date.Day, numbers money.Numbers) *money.Bookkeeper {
	clock := testkit.Calendar().Clock
	return &money.Bookkeeper{
		Books: money.Books{Settings: money.Settings{From: from}, Numbers: numbers}, Zone: clock("QC"), Clock: clock,
	}
}

// TestDayOfCharge: the day of an entry is that of the service, and the rate of the tax that of where the leg
// ends.
func TestDayOfCharge(t *testing.T) {
	t.Parallel()
	o := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
	o.Dropoff.Address.Province = "NS"
	after := *o
	after.Status = delivery.StatusDelivered
	// Half past midnight in Halifax is half past eleven of the day before in Montréal.
	at := time.Date(2025, time.April, 1, 3, 30, 0, 0, time.UTC)
	after.History = append(after.History, delivery.HistoryEntry{Status: delivery.StatusDelivered, At: at})
	entry := bookkeeper(date.On(2025, 3, 31), both).Moved(o, &after, extras)
	if entry == nil || entry.Day.String() != "2025-03-31" || entry.On(money.TaxHST, delivery.CAD) != -173 {
		t.Errorf("got %+v, want an entry of 31 March with 14 %% HST", entry)
	}
	if entry := bookkeeper(date.On(2025, 4, 1), both).Moved(o, &after, extras); entry != nil {
		t.Errorf("got %+v, want nothing before the books begin", entry)
	}
	if entry := bookkeeper(0, both).Moved(o, &after, extras); entry != nil {
		t.Errorf("got %+v, want nothing while the books are off", entry)
	}
}

// TestEveryWay takes orders on random ways. Each entry is balanced, what the partner owes is what was
// earned with its taxes, and an order that ends after its pickup is charged once for its delivery.
func TestEveryWay(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		o := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
		o.RateCents = rapid.Int64Range(0, 1_000_000).Draw(t, "rate")
		o.Pickup.Address.Province = rapid.SampledFrom(delivery.Provinces).Draw(t, "from")
		o.Dropoff.Address.Province = rapid.SampledFrom(delivery.Provinces).Draw(t, "to")
		books := bookkeeper(1, money.Numbers{
			GSTHST: rapid.SampledFrom([]string{"", both.GSTHST}).Draw(t, "gst"),
			QST:    rapid.SampledFrom([]string{"", both.QST}).Draw(t, "qst"),
		})
		acts := map[money.Act]int{}
		check := func(entry *money.Entry) {
			if entry == nil {
				return
			}
			acts[entry.Act]++
			taxes := entry.On(money.TaxGST, delivery.CAD) + entry.On(money.TaxHST, delivery.CAD) +
				entry.On(money.TaxQST, delivery.CAD)
			owed, earned := entry.On(money.Charges, delivery.CAD), -entry.On(money.Revenue, delivery.CAD)
			if !entry.Balanced() || owed != earned-taxes || owed < earned {
				t.Errorf("got %+v, want lines that add up to zero", entry)
			}
		}
		before, failures := o, 0
		for len(delivery.NextStatuses(before.Status)) > 0 && len(before.History) < 12 {
			after := *before
			after.Status = rapid.SampledFrom(delivery.NextStatuses(before.Status)).Draw(t, "status")
			if after.Status == delivery.StatusOutForDelivery {
				failures++
			}
			at := testkit.Epoch.Add(time.Duration(len(before.History)) * time.Hour)
			after.History = append(append([]delivery.HistoryEntry{}, before.History...),
				delivery.HistoryEntry{Status: after.Status, At: at, RecordedAt: at})
			check(books.Moved(before, &after, extras))
			before = &after
		}
		ended := len(delivery.NextStatuses(before.Status)) == 0
		if ended && before.Status == delivery.StatusCancelled && before.WasPickedUp() {
			check(books.Returned(before, testkit.Epoch, extras))
		}
		want := map[money.Act]int{}
		if attempts := max(0, failures-1); attempts > 0 {
			want[money.ActAttempt] = attempts
		}
		switch {
		case ended && before.WasPickedUp():
			want[money.ActDelivery] = 1
			if before.Status == delivery.StatusCancelled {
				want[money.ActReturn] = 1
			}
		case ended && before.History[len(before.History)-2].Status != delivery.StatusPending &&
			before.History[len(before.History)-2].Status != delivery.StatusAccepted:
			want[money.ActLateCancellation] = 1
		}
		if fmt.Sprint(acts) != fmt.Sprint(want) {
			t.Errorf("%+v: got the charges %v, want %v", before.History, acts, want)
		}
	})
}

// TestAdjustments takes a charge back in two parts: nothing is left of it but a cent of rounding for each tax, and
// nothing at all if it is taken back at once.
func TestAdjustments(t *testing.T) {
	t.Parallel()
	keeper := bookkeeper(1, both)
	repeatable.Check(t, func(t *rapid.T) {
		o := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch)
		o.RateCents = rapid.Int64Range(1, 1_000_000).Draw(t, "rate")
		o.Dropoff.Address.Province = "QC"
		after := *o
		after.Status = delivery.StatusDelivered
		after.History = append(after.History, delivery.HistoryEntry{Status: delivery.StatusDelivered, At: testkit.Epoch})
		charge := keeper.Moved(o, &after, extras)
		part := rapid.Int64Range(0, o.RateCents).Draw(t, "part")
		some := keeper.Adjustment(o.PartnerID, -part, charge, testkit.Epoch)
		rest := keeper.Adjustment(o.PartnerID, part-o.RateCents, charge, testkit.Epoch)
		all := keeper.Adjustment(o.PartnerID, -o.RateCents, charge, testkit.Epoch)
		if !some.Balanced() || !rest.Balanced() || !all.Balanced() {
			t.Errorf("got %+v, %+v and %+v, want lines that add up to zero", some, rest, all)
		}
		if left := charge.On(money.Charges, delivery.CAD) + all.On(money.Charges, delivery.CAD); left != 0 {
			t.Errorf("got %d cents left of %+v, want none", left, charge)
		}
		left := charge.On(money.Charges, delivery.CAD) + some.On(money.Charges, delivery.CAD) +
			rest.On(money.Charges, delivery.CAD)
		if left < -2 || left > 2 {
			t.Errorf("got %d cents left of %+v, want at most one for each tax", left, charge)
		}
	})
}
