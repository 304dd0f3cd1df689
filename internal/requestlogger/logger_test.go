package requestlogger_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

const (
	partnerID = "par_01234567"
	// mostWaiting is how many entries the queue holds.
	mostWaiting = 1 << 14
)

// fixture is a log on an embedded database, which writes nothing by itself.
type fixture struct {
	aged func() clock.Age // nil for the clock's
	*requestlogger.Service
	clock *testkit.Clock
	store *broken
	out   strings.Builder

	mu       sync.Mutex // guards outcomes
	outcomes map[requestlogger.Outcome]int
	random   io.Reader
	wrote    chan struct{} // closed with the first entry that is written
	once     sync.Once
}

// Logged implements requestlogger.Observer.
func (f *fixture) Logged(outcome requestlogger.Outcome, entries int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outcomes[outcome] += entries
	if outcome == requestlogger.Written && f.wrote != nil {
		f.once.Do(func() { close(f.wrote) })
	}
}

func (f *fixture) counted() (written, dropped int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outcomes[requestlogger.Written], f.outcomes[requestlogger.Dropped]
}

// broken is a store that refuses to write as long as err is set.
type broken struct {
	requestlogger.Store
	err error
}

func (b *broken) Write(ctx context.Context, fn func(requestlogger.Writer) error) error {
	if b.err != nil {
		return b.err
	}
	return b.Store.Write(ctx, fn)
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), filepath.Join(testkit.FastDir(t), "dropyard.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{
		clock: testkit.NewClock(testkit.Epoch), store: &broken{Store: db.RequestLog()},
		outcomes: map[requestlogger.Outcome]int{}, wrote: make(chan struct{}), random: repeatable.Reader(t),
	}
	f.Service = f.open(1 << 30)
	return f
}

func (f *fixture) open(maxBytes int64) *requestlogger.Service {
	return requestlogger.NewService(requestlogger.Config{
		Store: f.store, Now: f.clock.Now, Aged: f.aged, Random: f.random, Log: slog.New(slog.NewTextHandler(&f.out, nil)),
		MaxBytes: maxBytes, Observer: f, Unreadable: func() { f.out.WriteString("unreadable") },
	})
}

// entry returns the entry of a request that has just been answered.
func (f *fixture) entry(n int) *requestlog.Entry {
	return &requestlog.Entry{
		PartnerID: partnerID, RequestID: fmt.Sprintf("req_%020d",
			n), At: f.clock.Now(), Took: time.Duration(n) * time.Millisecond,
		Method: "GET", Pattern: "/v1/orders", Path: "/v1/orders", Status: 200, KeyID: "key_0123456789abcdef",
	}
}

func (f *fixture) flush(t testing.TB) {
	t.Helper()
	if err := f.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// list returns the request ids of all pages.
func (f *fixture) list(t failer, filter requestlog.Filter, limit int) (ids []string) {
	for after := (requestlogger.Cursor{}); ; {
		page, err := f.List(context.Background(), filter, after, limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Entries) > limit {
			t.Fatalf("got %d entries, want at most %d", len(page.Entries), limit)
		}
		for _, e := range page.Entries {
			ids = append(ids, e.RequestID)
		}
		if page.Next == nil {
			return ids
		}
		next, ok := requestlogger.ParseCursor(page.Next.String())
		if !ok {
			t.Fatalf("ParseCursor(%s): got false, want true", page.Next)
		}
		after = next
	}
}

type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// TestFullQueueDropsAndCounts adds more entries than the queue holds.
func TestFullQueueDropsAndCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const more = 7
	for i := range mostWaiting + more {
		f.Add(f.entry(i))
	}
	if _, dropped := f.counted(); dropped != more {
		t.Errorf("got %d entries dropped, want %d", dropped, more)
	}
	f.flush(t)
	f.Add(f.entry(0))
	f.flush(t)
	if written, dropped := f.counted(); written != mostWaiting+1 || dropped != more {
		t.Errorf("after two flushes: got %d entries written and %d dropped, want %d and %d", written, dropped, mostWaiting+1,
			more)
	}
}

// TestAddDoesNotAllocate holds what a request pays for its entry.
func TestAddDoesNotAllocate(t *testing.T) {
	f := newFixture(t)
	for range 2 { // so that the queue and its spare have grown
		for i := range 5000 {
			f.Add(f.entry(i))
		}
		f.flush(t)
	}
	e := f.entry(1)
	if allocated := testing.AllocsPerRun(1000, func() { f.Add(e) }); allocated > 0 {
		t.Errorf("got %v allocations for an entry, want none", allocated)
	}
}

// TestBodiesAreBounded adds more bodies than the queue holds bytes of bodies.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	body := []byte(`{"quantity":1,"name":"` + strings.Repeat("x", 4000) + `"}`)
	const entries = 4<<20/4000 + 100
	for i := range entries {
		e := f.entry(i)
		e.Body = slices.Clone(body)
		f.Add(e)
	}
	with := 0
	page, err := f.List(t.Context(), requestlog.Filter{PartnerID: partnerID}, requestlogger.Cursor{}, entries)
	for _, e := range page.Entries {
		if string(e.Body) == `{"quantity":1,"name":"[text of 4000]"}` {
			with++
		}
	}
	if want := 4 << 20 / len(body); err != nil || len(page.Entries) != entries || with != want {
		t.Errorf("got %d entries, %d with bodies, %v, want %d and %d", len(page.Entries), with, err, entries, want)
	}
}

// TestFlushTriesAgain fails to write, for a moment and for too long.
func TestFlushTriesAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	down := errors.New("the database is down")
	f.store.err = down
	f.Add(f.entry(1))
	for range 3 {
		if err := f.Flush(t.Context()); !errors.Is(err, down) {
			t.Errorf("got %v, want %v", err, down)
		}
	}
	f.store.err = nil
	f.flush(t)
	if written, dropped := f.counted(); written != 1 || dropped != 0 {
		t.Errorf("got %d entries written and %d dropped, want 1 and 0", written, dropped)
	}
	f.store.err = down
	f.Add(f.entry(2))
	for range 2 {
		_ = f.Flush(t.Context())
		f.clock.Advance(2 * time.Minute)
	}
	f.store.err = nil
	f.Add(f.entry(3))
	f.flush(t)
	if written, dropped := f.counted(); written != 2 || dropped != 1 {
		t.Errorf("after two minutes: got %d entries written and %d dropped, want 2 and 1", written, dropped)
	}
}

// TestRunWritesByItself waits for the first flush of Run, and for the last of Close.
func TestRunWritesByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.Add(f.entry(1))
		f.Run()
		<-f.wrote
		f.Add(f.entry(2))
		f.Close()
		if written, _ := f.counted(); written != 2 {
			t.Errorf("after Close: got %d entries written, want 2", written)
		}
	})
}

// TestListFollowsModel compares lists of a random log, in pages of any size, with a
// filter over all entries.
func TestListFollowsModel(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(rt *rapid.T) {
		f := newFixture(t)
		var all []requestlog.Entry
		begun := f.clock.Now()
		for i := range rapid.IntRange(0, 150).Draw(rt, "entries") {
			e := f.entry(i)
			e.PartnerID = rapid.SampledFrom([]string{partnerID, "par_zzzzzzzz"}).Draw(rt, "partner")
			e.Status = rapid.SampledFrom([]int{200, 404}).Draw(rt, "status")
			e.Method = rapid.SampledFrom([]string{"GET", "POST"}).Draw(rt, "method")
			if rapid.Bool().Draw(rt, "with order") { // created while the request was under way
				e.OrderID, _ = delivery.NewOrderID(f.random, partnerID, f.clock.Now())
			}
			e.At = e.At.Add(-time.Duration(rapid.IntRange(0, 30_000).Draw(rt, "took")) * time.Millisecond)
			f.Add(e)
			all = append(all, *e)
			if rapid.IntRange(0, 3).Draw(rt, "flush") == 0 {
				f.flush(t)
			}
			f.clock.Advance(time.Duration(rapid.IntRange(0, 10_000).Draw(rt, "pause")) * time.Millisecond)
		}
		f.flush(t)
		span := int(f.clock.Now().Sub(begun)/time.Millisecond) + 1
		drawTime := func(name string) time.Time {
			if rapid.Bool().Draw(rt, "without "+name) {
				return time.Time{}
			}
			return begun.Add(time.Duration(rapid.IntRange(-30_000, span).Draw(rt, name)) * time.Millisecond)
		}
		filter := requestlog.Filter{
			PartnerID: partnerID,
			Status:    rapid.SampledFrom([]int{0, 200}).Draw(rt, "only status"),
			Method:    rapid.SampledFrom([]string{"", "POST"}).Draw(rt, "only method"),
			From:      drawTime("from"), To: drawTime("to"),
		}
		if len(all) > 0 && rapid.Bool().Draw(rt, "only one order") {
			filter.OrderID = all[rapid.IntRange(0, len(all)-1).Draw(rt, "order")].OrderID
		}
		var want []string
		for _, e := range slices.Backward(all) {
			if e.PartnerID == partnerID && (filter.Status == 0 || e.Status == filter.Status) &&
				(filter.Method == "" || e.Method == filter.Method) &&
				(filter.OrderID == "" || e.OrderID == filter.OrderID) &&
				(filter.From.IsZero() || !e.At.Before(filter.From)) && (filter.To.IsZero() || e.At.Before(filter.To)) {
				want = append(want, e.RequestID)
			}
		}
		limit := rapid.IntRange(1, 60).Draw(rt, "limit")
		if got := f.list(rt, filter, limit); !slices.Equal(got, want) {
			rt.Fatalf("%+v: got %v, want %v", filter, got, want)
		}
	})
}

// TestListIsBounded reads a log in which nothing matches, and expects a short page.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 2100 {
		f.Add(f.entry(i))
		f.flush(t)
	}
	page, err := f.List(t.Context(), requestlog.Filter{PartnerID: partnerID, Status: 404}, requestlogger.Cursor{}, 10)
	if err != nil || len(page.Entries) != 0 || page.Next == nil {
		t.Fatalf("got %d entries, next %v, %v, want none and a next page", len(page.Entries), page.Next, err)
	}
	page, err = f.List(t.Context(), requestlog.Filter{PartnerID: partnerID, Status: 404}, *page.Next, 10)
	if err != nil || len(page.Entries) != 0 || page.Next != nil {
		t.Errorf("the next page: got %d entries, next %v, %v, want none and no next page", len(page.Entries), page.Next, err)
	}
}

// TestDamagedSegmentIsLeftOut expects the entries of the other segments.
func TestDamagedSegmentIsLeftOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(f.entry(1))
	f.flush(t)
	damaged := &requestlog.Segment{
		PartnerID: partnerID, SegmentID: "019caef5-ac70-7d02-9a6b-21f4c8e05b93", Packed: []byte("damaged"),
	}
	if err := f.store.Write(t.Context(), func(tx requestlogger.Writer) error {
		return tx.AddSegments(t.Context(), []*requestlog.Segment{damaged})
	}); err != nil {
		t.Fatal(err)
	}
	if got := f.list(t, requestlog.Filter{PartnerID: partnerID}, 10); len(got) != 1 ||
		!strings.Contains(f.out.String(), "unreadable") {
		t.Errorf("got %v and the log %q, want one entry and a report", got, f.out.String())
	}
}

// TestPruneRemovesOld expects entries to be kept for seven days.
func TestPruneRemovesOld(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 3 {
		f.Add(f.entry(i))
		f.flush(t)
		f.clock.Advance(3 * 24 * time.Hour)
	}
	if err := f.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := f.list(t, requestlog.Filter{PartnerID: partnerID}, 10),
		[]string{"req_00000000000000000002", "req_00000000000000000001"}; !slices.Equal(got, want) {
		t.Errorf("after nine days: got %v, want %v", got, want)
	}
}

// TestPruneOnWrongClock prunes while the clock is 60 days ahead of the time by which requests age.
func TestPruneOnWrongClock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	now := f.clock.Now()
	f.aged = func() clock.Age { return clock.At(now) }
	f.Service = f.open(1 << 30)
	f.Add(f.entry(0))
	f.flush(t)
	f.clock.Advance(60 * 24 * time.Hour)
	for _, want := range []int{1, 0} {
		if err := f.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := f.list(t, requestlog.Filter{PartnerID: partnerID}, 10); len(got) != want {
			t.Errorf("aged until %v: got %v, want %d entries", now, got, want)
		}
		now = f.clock.Now()
	}
}

// TestPruneKeepsBound expects the oldest segments, of all partners, to go first.
func TestPruneKeepsBound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const partners = 500
	for i := range partners {
		e := f.entry(i)
		e.PartnerID = fmt.Sprintf("par_%08d", i)
		f.Add(e)
		f.flush(t)
	}
	segments, bytes := f.measure(t)
	if segments != partners {
		t.Fatalf("got %d segments, want %d", segments, partners)
	}
	const overhead = 200
	each := bytes/partners + overhead
	f.Service = f.open(100 * each)
	if err := f.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, bytes := f.measure(t); left < 95 || left > 100 || bytes+left*overhead > 100*each {
		t.Errorf("got %d segments of %d bytes, want 95 to 100 and at most %d bytes", left, bytes, 100*each)
	}
	if newest := f.list(t, requestlog.Filter{PartnerID: fmt.Sprintf("par_%08d", partners-1)}, 10); len(newest) != 1 {
		t.Errorf("the newest: got %v, want one entry", newest)
	}
}

func (f *fixture) measure(t *testing.T) (segments, bytes int64) {
	t.Helper()
	if err := f.store.Read(t.Context(), func(tx requestlogger.Reader) (err error) {
		segments, bytes, err = tx.MeasureSegments(t.Context())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return segments, bytes
}

// TestOffLogsNothing expects a bound of 0 to switch the log off.
func TestOffLogsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Service = f.open(0)
	f.Add(f.entry(1))
	f.flush(t)
	if written, dropped := f.counted(); written != 0 || dropped != 0 {
		t.Errorf("got %d entries written and %d dropped, want none", written, dropped)
	}
}

func TestParseCursorRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "x", ".1", "019caef5-ac70-7d02-9a6b-21f4c8e05b93", "019caef5-ac70-7d02-9a6b-21f4c8e05b93.",
		"019caef5-ac70-7d02-9a6b-21f4c8e05b93.-1", "019caef5-ac70-7d02-9a6b-21f4c8e05b93.01",
		"019caef5-ac70-7d02-9a6b-21f4c8e05b93.1000000000",
	} {
		if cursor, ok := requestlogger.ParseCursor(text); ok {
			t.Errorf("%q: got %v, want it refused", text, cursor)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	db, err := store.OpenSQLite(b.Context(), filepath.Join(testkit.FastDir(b), "dropyard.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	f := &fixture{
		clock: testkit.NewClock(testkit.Epoch), store: &broken{Store: db.RequestLog()},
		outcomes: map[requestlogger.Outcome]int{}, random: repeatable.Reader(b),
	}
	f.Service = f.open(1 << 30)
	e := f.entry(1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f.Add(e)
		if i%8000 == 0 { // what one service answers in two seconds
			f.flush(b)
		}
	}
}
