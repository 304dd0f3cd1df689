package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

const (
	activeCourier   = "cou_active"
	inactiveCourier = "cou_inactive"
)

// addCouriers adds one courier who is active and one who is not.
func addCouriers(t *testing.T, s *store.Store) {
	t.Helper()
	writeOperators(t, s, func(tx operator.Writer) error {
		active := &operator.Courier{
			Courier: delivery.Courier{CourierID: activeCourier, Name: "Camille"}, Active: true, CreatedAt: at(0),
		}
		inactive := &operator.Courier{Courier: delivery.Courier{CourierID: inactiveCourier, Name: "Denis"}, CreatedAt: at(1)}
		return errors.Join(tx.AddCourier(t.Context(), active), tx.AddCourier(t.Context(), inactive))
	})
}

// testBoardCoversAll checks that the board can be filtered and counted by every
// state, service level and reason that there is. It has a row for each state and
// service level, and among them one for each reason.
func testBoardCoversAll(t *testing.T, s *store.Store) {
	addCouriers(t, s)
	rows := make([]*board.Row, 0, len(board.OpenStatuses)*len(delivery.ServiceLevels))
	for _, status := range board.OpenStatuses {
		for _, level := range delivery.ServiceLevels {
			row := board.Of(newOrder(t, "A-1", testkit.Epoch.Add(time.Hour)))
			row.OrderID = fmt.Sprintf("ord_%02d", len(rows))
			row.Status, row.ServiceLevel, row.Failures = status, level, int64(len(rows)%4)
			row.CourierID = []string{"", activeCourier, inactiveCourier}[len(rows)%3]
			row.Flags = board.Flags(len(rows) % 16)
			shift := time.Duration(len(rows)%7-3) * 20 * time.Hour
			for _, at := range []*time.Time{
				&row.EstimatedDelivery, &row.Pickup.Start, &row.Pickup.End, &row.Dropoff.Start, &row.Dropoff.End,
			} {
				*at = at.Add(shift)
			}
			rows = append(rows, row)
		}
	}
	showRows(t, s, rows...)
	readDispatch(t, s, func(tx dispatch.Reader) error {
		for _, status := range board.OpenStatuses {
			checkFilter(t, tx, rows, dispatch.Filter{Statuses: []delivery.Status{status}})
		}
		for _, level := range delivery.ServiceLevels {
			checkFilter(t, tx, rows, dispatch.Filter{ServiceLevel: level})
		}
		for _, reason := range board.Reasons {
			checkFilter(t, tx, rows, dispatch.Filter{Attention: []board.Reason{reason}})
		}
		counts := checkCounts(t, tx, rows)
		for _, status := range board.OpenStatuses {
			if counts.Statuses[status] != int64(len(delivery.ServiceLevels)) {
				t.Errorf("%s: got %d, want %d", status, counts.Statuses[status], len(delivery.ServiceLevels))
			}
		}
		for _, reason := range board.Reasons {
			if counts.Reasons[reason] == 0 {
				t.Errorf("no row needs attention because of %s, so that the reason is not tested", reason)
			}
		}
		return nil
	})
}

// tester is a *testing.T or a *rapid.T.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// checkFilter compares a page of the board with the same filter in Go. The page
// must not be empty unless it may.
func checkFilter(t *testing.T, tx dispatch.Reader, rows []*board.Row, f dispatch.Filter) {
	t.Helper()
	f.Sort, f.Limit = dispatch.SortOldest, 1000
	if comparePage(t, tx, rows, f) == 0 {
		t.Errorf("filter %+v finds nothing, so that it is not tested", f)
	}
}

func comparePage(t tester, tx dispatch.Reader, rows []*board.Row, f dispatch.Filter) (found int) {
	t.Helper()
	page, err := tx.Board(t.Context(), f, testkit.Epoch)
	if err != nil {
		t.Fatalf("filter %+v: %v", f, err)
	}
	got := make([]board.Row, len(page))
	for i, row := range page {
		got[i] = *row
	}
	if want := boardPage(rows, f); !slices.Equal(got, want) {
		t.Fatalf("filter %+v: got\n%swant\n%s", f, printed(got), printed(want))
	}
	return len(got)
}

// boardPage returns the page that a filter selects at the epoch.
func boardPage(rows []*board.Row, f dispatch.Filter) []board.Row {
	page := []board.Row{}
	for _, row := range rows {
		if selects(f, row) {
			page = append(page, withoutSearch(row))
		}
	}
	slices.SortFunc(page, func(a, b board.Row) int { return compareCursors(cursorOf(f, &a), cursorOf(f, &b)) })
	return page[:min(f.Limit, len(page))]
}

func cursorOf(f dispatch.Filter, row *board.Row) dispatch.Cursor {
	at := map[dispatch.Sort]time.Time{
		dispatch.SortOldest: row.CreatedAt, dispatch.SortWindow: row.Dropoff.End, dispatch.SortDue: row.Due(),
	}
	return dispatch.Cursor{At: at[f.Sort], OrderID: row.OrderID}
}

func compareCursors(a, b dispatch.Cursor) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	return strings.Compare(a.OrderID, b.OrderID)
}

func selects(f dispatch.Filter, row *board.Row) bool {
	now := testkit.Epoch
	needs := func(reason board.Reason) bool {
		return slices.Contains(row.Reasons(now, row.CourierID == activeCourier), reason)
	}
	return (len(f.Statuses) == 0 || slices.Contains(f.Statuses, row.Status)) &&
		(f.PartnerID == "" || row.PartnerID == f.PartnerID) &&
		(f.CourierID == "" || row.CourierID == f.CourierID || f.CourierID == dispatch.NoCourier && row.CourierID == "") &&
		strings.HasPrefix(row.Zone, f.Zone) &&
		(f.ServiceLevel == "" || row.ServiceLevel == f.ServiceLevel) &&
		!row.CreatedAt.Before(f.CreatedFrom) &&
		(f.CreatedTo.IsZero() || row.CreatedAt.Before(f.CreatedTo)) &&
		(f.DueBefore.IsZero() || !row.Dropoff.End.Before(now) && row.Dropoff.End.Before(f.DueBefore)) &&
		(len(f.Attention) == 0 || slices.ContainsFunc(f.Attention, needs)) &&
		(strings.Contains(row.Search, strings.ToLower(f.Search)) ||
			strings.Contains(row.Search, cmp.Or(board.PhoneDigits(f.Search), "\x00")) ||
			strings.Contains(row.Search, board.Fold(f.Search))) &&
		(len(f.Lines) == 0 || slices.ContainsFunc(f.Lines, func(line string) bool {
			return slices.Contains(strings.Split(row.Search, "\n")[1:], strings.ToLower(line))
		})) &&
		(f.After.OrderID == "" || compareCursors(cursorOf(f, row), f.After) > 0)
}

// checkCounts compares the counts of the board with the rows.
func checkCounts(t tester, tx dispatch.Reader, rows []*board.Row) dispatch.Counts {
	t.Helper()
	want := dispatch.Counts{
		Open: int64(len(rows)), Statuses: map[delivery.Status]int64{}, Reasons: map[board.Reason]int64{},
	}
	for _, status := range board.OpenStatuses {
		want.Statuses[status] = 0
	}
	for _, reason := range board.Reasons {
		want.Reasons[reason] = 0
	}
	wantLoads := map[string]int64{}
	for _, row := range rows {
		if row.CourierID != "" {
			wantLoads[row.CourierID]++
		}
		want.Statuses[row.Status]++
		reasons := row.Reasons(testkit.Epoch, row.CourierID == activeCourier)
		for _, reason := range reasons {
			want.Reasons[reason]++
		}
		if len(reasons) > 0 {
			want.Attention++
		}
	}
	got, err := tx.Count(t.Context(), testkit.Epoch)
	if err != nil || got.Open != want.Open || got.Attention != want.Attention ||
		!maps.Equal(got.Statuses, want.Statuses) || !maps.Equal(got.Reasons, want.Reasons) {
		t.Fatalf("got counts %+v, %v\nwant %+v", got, err, want)
	}
	if loads, err := tx.Loads(t.Context()); err != nil || !maps.Equal(loads, wantLoads) {
		t.Fatalf("got loads %v, %v, want %v", loads, err, wantLoads)
	}
	return got
}

// testBoardFilters compares random filters of random rows with the same in Go.
// Each try removes its rows.
func testBoardFilters(t *testing.T, s *store.Store) {
	addCouriers(t, s)
	repeatable.Check(t, func(rt *rapid.T) {
		rows := make([]*board.Row, rapid.IntRange(0, 12).Draw(rt, "rows"))
		for i := range rows {
			rows[i] = drawRow(rt, i)
		}
		f := drawBoardFilter(rt, rows)
		showRows(t, s, rows...)
		defer func() {
			for _, row := range rows {
				hideRows(t, s, row.PartnerID, row.OrderID)
			}
		}()
		readDispatch(t, s, func(tx dispatch.Reader) error {
			comparePage(rt, tx, rows, f)
			checkCounts(rt, tx, rows)
			return nil
		})
	})
}

// drawTime draws one of few times around the epoch, so that limits are often
// met exactly.
func drawTime(rt *rapid.T, label string) time.Time {
	return testkit.Epoch.Add(
		rapid.SampledFrom([]time.Duration{0, time.Millisecond, -time.Millisecond, time.Hour, -time.Hour}).Draw(rt, label),
	)
}

func drawRow(rt *rapid.T, i int) *board.Row {
	near := func(label string) time.Time { return drawTime(rt, label) }
	return &board.Row{
		PartnerID:         rapid.SampledFrom([]string{partnerID, "par_00000002"}).Draw(rt, "partner"),
		OrderID:           fmt.Sprintf("ord_%02d", i),
		PartnerOrderID:    fmt.Sprintf("A-%d", i),
		Status:            rapid.SampledFrom(board.OpenStatuses).Draw(rt, "status"),
		Version:           int64(i + 1),
		CreatedAt:         near("created"),
		UpdatedAt:         near("updated"),
		EstimatedDelivery: near("estimate"),
		Pickup:            delivery.Window{Start: near("pickup starts"), End: near("pickup ends")},
		Dropoff:           delivery.Window{Start: near("dropoff starts"), End: near("dropoff ends")},
		Failures:          rapid.Int64Range(0, 3).Draw(rt, "failures"),
		Flags:             board.Flags(rapid.Int64Range(0, 31).Draw(rt, "flags")),
		ServiceLevel:      rapid.SampledFrom(delivery.ServiceLevels).Draw(rt, "level"),
		Zone:              rapid.SampledFrom([]string{"", "H2W", "H2%", "M5H"}).Draw(rt, "zone"),
		CourierID:         rapid.SampledFrom([]string{"", activeCourier, inactiveCourier}).Draw(rt, "courier"),
		Search: strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"po 1", "po 12", `p\_%`, "p_", "15145550100", "jean pierre",
		}), 1, 3).Draw(rt, "search"), "\n"),
	}
}

func drawBoardFilter(rt *rapid.T, rows []*board.Row) dispatch.Filter {
	f := dispatch.Filter{
		Sort:  rapid.SampledFrom(append(slices.Clone(dispatch.Sorts), dispatch.SortDue)).Draw(rt, "sort"),
		Limit: rapid.IntRange(1, 13).Draw(rt, "limit"),
	}
	near := func(label string) time.Time { return drawTime(rt, label) }
	for i, draw := range []func(){
		func() {
			f.Statuses = rapid.SliceOfNDistinct(rapid.SampledFrom(board.OpenStatuses), 1, -1, rapid.ID).Draw(rt, "states")
		},
		func() { f.PartnerID = rapid.SampledFrom([]string{partnerID, "par_00000003"}).Draw(rt, "of partner") },
		func() {
			f.CourierID = rapid.SampledFrom([]string{dispatch.NoCourier, activeCourier, inactiveCourier}).Draw(rt, "of courier")
		},
		func() { f.Zone = rapid.SampledFrom([]string{"H", "H2", "H2%", "_"}).Draw(rt, "in zone") },
		func() { f.ServiceLevel = rapid.SampledFrom(delivery.ServiceLevels).Draw(rt, "of level") },
		func() { f.CreatedFrom = near("created from") },
		func() { f.CreatedTo = near("created to") },
		func() { f.DueBefore = near("due before") },
		func() {
			f.Attention = rapid.SliceOfNDistinct(rapid.SampledFrom(board.Reasons), 1, -1, rapid.ID).Draw(rt, "reasons")
		},
		func() {
			f.Search = rapid.SampledFrom([]string{
				"PO", "o 1", `\_`, "%", "p_", "1\np", "555-0100", "5550100", "Jéan-P",
			}).Draw(rt, "searched")
		},
		func() {
			f.Lines = rapid.SliceOfN(rapid.SampledFrom([]string{"PO 1", "p_", "%", "none"}), 1, 3).Draw(rt, "lines searched")
		},
	} {
		if rapid.IntRange(0, 4).Draw(rt, fmt.Sprintf("by field %d", i)) == 4 {
			draw()
		}
	}
	if len(rows) > 0 && rapid.Bool().Draw(rt, "later page") {
		f.After = cursorOf(f, rapid.SampledFrom(rows).Draw(rt, "after"))
	}
	return f
}
