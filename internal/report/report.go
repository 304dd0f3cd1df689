// Package report answers what happened in a period: the figures of its days, summed
// up over partners, and by courier if asked for. Package figures says what counts.
package report

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Store runs functions on a consistent view of the data.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
}

// Reader reads sums.
type Reader interface {
	// Figures returns the sums by day, and by courier if the filter asks for that, in
	// this order. What nothing was counted for is left out.
	Figures(ctx context.Context, filter figures.Filter) ([]*figures.Row, error)
	// Money returns what was charged and collected by day and currency, in this order. Days without either
	// are left out.
	Money(ctx context.Context, partnerID string, first, last date.Day) ([]DayMoney, error)
	// CourierNames returns the names of couriers by their ids, active or not.
	CourierNames(ctx context.Context, ids []string) (map[string]string, error)
}

// Service reads figures. Its methods may be called by many goroutines at once.
type Service struct {
	store Store
	clock figures.Clock
	now   func() time.Time
}

// NewService returns a service.
func NewService(store Store, clock figures.Clock, now func() time.Time) *Service {
	return &Service{store, clock, now}
}

// Today returns the latest date that has begun in any province.
func (s *Service) Today() date.Day { return figures.Today(s.clock, s.now()) }

// The bounds of a period, in days.
const (
	DefaultDays = 30
	MaxDays     = 366
	// MaxDaysByCourier is less, because each day may have hundreds of couriers.
	MaxDaysByCourier = 31
)

// Question is a filter, of which First and Last are 0 if they were not given: the
// period ends today, and has DefaultDays.
type Question struct {
	figures.Filter
	Money bool // for those who may read the books
}

// DayMoney is what the books have of a day in one currency. Their days are those of the service's time zone.
type DayMoney struct {
	Day       date.Day
	Currency  delivery.Currency
	Revenue   int64 // charged to partners, before taxes, in cents; below zero if more was given back
	Collected int64 // for partners, in cents
}

// Answer has the figures of a period.
type Answer struct {
	First, Last date.Day
	ByCourier   bool // the filter asked for couriers
	// Lines are sorted by day and courier. Without couriers, there is one for each day
	// of the period; with couriers, one for each that something was counted for.
	Lines []Line
	// Money is sorted by day and currency, without days that have none. It is nil if it was not asked for, or
	// for a courier: the books do not divide it by couriers.
	Money []DayMoney
}

// MoneyOn returns what the books have of a day.
func (a *Answer) MoneyOn(day date.Day) []DayMoney {
	from, _ := slices.BinarySearchFunc(a.Money, day, func(m DayMoney, day date.Day) int { return cmp.Compare(m.Day, day) })
	to := from
	for to < len(a.Money) && a.Money[to].Day == day {
		to++
	}
	return a.Money[from:to]
}

// TotalMoney returns the sums of a period, by currency.
func (a *Answer) TotalMoney() (total []DayMoney) {
	for _, m := range a.Money {
		i := slices.IndexFunc(total, func(t DayMoney) bool { return t.Currency == m.Currency })
		if i < 0 {
			i = len(total)
			total = append(total, DayMoney{Currency: m.Currency})
		}
		total[i].Revenue += m.Revenue
		total[i].Collected += m.Collected
	}
	slices.SortFunc(total, func(a, b DayMoney) int { return cmp.Compare(a.Currency, b.Currency) })
	return total
}

// Line has the sums of a day, or of a courier on a day.
type Line struct {
	*figures.Row
	CourierName string
}

// Total returns the sums of lines.
func Total(lines []Line) (total figures.Counts) {
	for _, line := range lines {
		total = total.Plus(line.Counts)
	}
	return total
}

// Figures returns the figures of a period. A period that is too long, or that ends
// before it begins, is a problem at "from".
func (s *Service) Figures(ctx context.Context, q Question) (*Answer, error) {
	if err := q.complete(s.Today()); err != nil {
		return nil, err
	}
	answer := &Answer{First: q.First, Last: q.Last, ByCourier: q.ByCourier}
	err := s.store.Read(ctx, func(tx Reader) error {
		rows, err := tx.Figures(ctx, q.Filter)
		if err != nil {
			return err
		}
		if q.Money && q.CourierID == "" {
			if answer.Money, err = tx.Money(ctx, q.PartnerID, q.First, q.Last); err != nil {
				return err
			}
		}
		if !q.ByCourier {
			answer.Lines = eachDay(q.Filter, rows)
			return nil
		}
		answer.Lines, err = named(ctx, tx, rows)
		return err
	})
	return answer, err
}

var period = form.Define("period", "a date not after to ({to}), in a period of at most {most} days")

// complete sets the bounds that were not given, and checks both.
func (q *Question) complete(today date.Day) error {
	if q.Last == 0 {
		q.Last = max(today, q.First)
	}
	if q.First == 0 {
		q.First = max(1, q.Last-DefaultDays+1)
	}
	longest := date.Day(MaxDays)
	if q.ByCourier {
		longest = MaxDaysByCourier
	}
	if q.First <= q.Last && q.Last-q.First < longest {
		return nil
	}
	var problems form.Problems
	problems.Add("from", q.First.String(), period.With("to", q.Last.String(), "most", int(longest)))
	return problems.Err()
}

// eachDay returns a line for each day of the period.
func eachDay(f figures.Filter, rows []*figures.Row) []Line {
	lines := make([]Line, 0, f.Last-f.First+1)
	for day := f.First; day <= f.Last; day++ {
		row := &figures.Row{Key: figures.Key{Day: day}}
		if len(rows) > 0 && rows[0].Day == day {
			row, rows = rows[0], rows[1:]
		}
		lines = append(lines, Line{Row: row})
	}
	return lines
}

// named adds the names of couriers to rows.
func named(ctx context.Context, tx Reader, rows []*figures.Row) ([]Line, error) {
	seen := map[string]bool{"": true}
	var ids []string
	for _, row := range rows {
		if !seen[row.CourierID] {
			seen[row.CourierID] = true
			ids = append(ids, row.CourierID)
		}
	}
	names, err := tx.CourierNames(ctx, ids)
	lines := make([]Line, len(rows))
	for i, row := range rows {
		lines[i] = Line{row, names[row.CourierID]}
	}
	return lines, err
}
