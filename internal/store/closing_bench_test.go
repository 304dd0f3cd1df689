package store_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// What the benchmark closes: a month of some partners, each with as many orders.
const (
	closedPartners = 100
	closedOrders   = 1_000
)

// BenchmarkClosing closes a month. It reports the greatest heap between two statements.
func BenchmarkClosing(b *testing.B) {
	for engine, open := range map[string]func() (*store.Store, error){
		"sqlite":   func() (*store.Store, error) { return store.OpenSQLite(b.Context(), store.MigratedSQLite(b)) },
		"postgres": func() (*store.Store, error) { return store.OpenPostgres(b.Context(), store.MigratedPostgres(b)) },
	} {
		b.Run(engine, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				s, err := open()
				if err != nil {
					b.Fatal(err)
				}
				fillClosing(b, s)
				must(b, s.Write(b.Context(), func(c db.Conn) error { // as the database does by itself within a minute
					_, err := c.Exec(b.Context(), "ANALYZE")
					return err
				}))
				b.StartTimer()
				closeMonth(b, s)
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// closedMonth is the month that is closed.
var closedMonth = money.PeriodOf(date.On(2026, 10, 1))

func closeMonth(b *testing.B, s *store.Store) {
	b.Helper()
	var peak uint64
	now := closedMonth.Last().Midnight().AddDate(0, 0, 2)
	books := accounting.NewService(accounting.Config{
		Store: s.Accounting(), Now: func() time.Time { return now }, Zone: time.UTC, Random: repeatable.Reader(b, "books"),
		Pause: func(context.Context, time.Duration) error {
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			peak = max(peak, memory.HeapInuse)
			return nil
		},
	})
	if _, err := books.BeginClosing(b.Context(), closedMonth); err != nil {
		b.Fatal(err)
	}
	if err := books.Work(b.Context()); err != nil {
		b.Fatal(err)
	}
	p, err := books.Progress(b.Context(), closedMonth)
	if err != nil || p.Done != closedPartners || p.Total != closedPartners {
		b.Fatalf("got %+v, %v, want all statements", p, err)
	}
	b.ReportMetric(float64(peak)/1e6, "MB")
}

// fillClosing adds the partners and what their orders were charged, with cash for every sixth one.
func fillClosing(b *testing.B, s *store.Store) {
	b.Helper()
	for i := range closedPartners {
		partnerID := fmt.Sprintf("par_%08d", i)
		must(b, s.Partners().Write(b.Context(), func(tx partner.Writer) error {
			_, err := tx.AddPartner(b.Context(), &partner.Partner{
				PartnerID: partnerID, Name: fmt.Sprint("Partner ", i), Email: fmt.Sprintf("p%d@example.com", i),
				CreatedAt: testkit.Epoch,
			})
			return err
		}))
		var entries []*money.Entry
		for n := range closedOrders {
			entries = append(entries, chargeOfBench(partnerID, 2*n, money.ActDelivery,
				money.Line{Account: money.Charges, Cents: 1_131}, money.Line{Account: money.Revenue, Cents: -1_001},
				money.Line{Account: money.TaxHST, Cents: -130}))
			if n%6 == 0 {
				entries = append(entries, chargeOfBench(partnerID, 2*n+1, money.ActCollection,
					money.Line{Account: money.Collected, Cents: -4_999},
					money.Line{Account: money.Cash, CourierID: "cou_1", Cents: 4_999}))
			}
		}
		must(b, s.Orders().Write(b.Context(), func(tx order.Writer) error {
			return tx.Save(b.Context(), &order.Changes{Entries: entries})
		}))
	}
}

func chargeOfBench(partnerID string, number int, act money.Act, lines ...money.Line) *money.Entry {
	day := closedMonth.Last() - date.Day(number%28)
	for i := range lines {
		lines[i].Currency = delivery.CAD
	}
	return &money.Entry{
		PartnerID: partnerID, EntryID: fmt.Sprintf("%032d", number), Day: day, At: day.Midnight(), RecordedAt: testkit.Epoch,
		Act: act, OrderID: fmt.Sprintf("ord_%s_%06d", partnerID[4:], number/2), PartnerOrderID: fmt.Sprint("A-", number/2),
		ActorID: "opr_1", Lines: lines,
	}
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
