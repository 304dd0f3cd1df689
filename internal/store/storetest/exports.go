package storetest

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/exports"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// mortalExports is the store of exports in a process that may be killed.
type mortalExports struct {
	exports.Store
	*life
}

func (s mortalExports) Read(ctx context.Context, fn func(exports.Reader) error) error {
	return s.Store.Read(ctx, fn)
}

func (s mortalExports) Write(ctx context.Context, fn func(exports.Writer) error) error {
	return s.write(writing(ctx, s.Store.Write, fn))
}

// mortalPlace is a place for the files of a process that may be killed before or after it puts one there.
type mortalPlace struct {
	exports.Folder
	*life
}

func (p mortalPlace) Put(ctx context.Context, name, file, digest string) error {
	return p.write(func(rollBack error) error {
		if rollBack != nil {
			return rollBack
		}
		return p.Folder.Put(ctx, name, file, digest)
	})
}

// exportYard is a service whose days are exported while its process is killed again and again.
type exportYard struct {
	*testing.T
	db      *store.Store
	random  *rand.Rand
	ids     io.Reader
	names   io.Reader // of processes
	zone    *time.Location
	folder  string
	now     time.Time
	first   time.Time // when the first day begins that is exported
	kills   int
	life    *life
	service *exports.Service
	rows    map[exports.Kind][]string
	made    map[string]time.Time // when a row was recorded, by its kind and id
	orders  []*delivery.Order
	events  map[string]int64 // by order
	product []movement.ProductKey
}

func newExportYard(t *testing.T, s *store.Store, begin time.Time) *exportYard {
	t.Helper()
	y := &exportYard{
		T: t, db: s, random: repeatable.Rand(t), ids: repeatable.Reader(t, "ids"),
		names: repeatable.Reader(t, "processes"), folder: t.TempDir(), now: begin,
		zone: zone.Own().Location("America/Toronto"), rows: map[exports.Kind][]string{},
		made: map[string]time.Time{}, events: map[string]int64{},
	}
	y.first = time.Date(begin.Year(), begin.Month(), begin.Day(), 0, 0, 0, 0, y.zone)
	y.product = addProducts(t, s, lamp)
	y.start(1 << 30)
	return y
}

// start starts a process, which is killed after some transactions and files.
func (y *exportYard) start(left int) {
	y.kills++
	y.life = &life{left: left, committed: y.random.IntN(2) == 0}
	y.service = exports.NewService(y.config(y.life, y.names))
}

func (y *exportYard) config(l *life, names io.Reader) exports.Config {
	return exports.Config{
		Store: mortalExports{y.db.Exports(), l}, Place: mortalPlace{exports.Folder(y.folder), l},
		Entries: exports.EntryTable{Columns: accounting.EntryColumns(), Write: accounting.WriteEntry},
		Formats: exports.Formats, Zone: y.zone, Hour: 2, Minute: 30, Now: func() time.Time { return y.now },
		At:     func(time.Time) <-chan time.Time { return nil },
		Random: names, Log: slog.New(slog.DiscardHandler), PartBytes: 4000,
		Pause: func(context.Context, time.Duration) error { return nil },
	}
}

// recorded draws when a row was recorded that is committed now: mostly just now, sometimes long ago.
func (y *exportYard) recorded() time.Time {
	at := y.now
	if y.random.IntN(4) == 0 {
		at = at.Add(-time.Duration(y.random.Int64N(int64(60 * time.Hour))))
	}
	if at.Before(y.first) {
		at = y.first
	}
	return at.UTC().Truncate(time.Millisecond)
}

func (y *exportYard) note(kind exports.Kind, id string, at time.Time) {
	y.rows[kind] = append(y.rows[kind], id)
	y.made[string(kind)+id] = at
}

// act commits something.
func (y *exportYard) act() {
	at := y.recorded()
	switch y.random.IntN(4) {
	case 0:
		y.create(partnerID, at)
	case 1:
		y.event(at)
	case 2:
		y.move(at)
	default:
		y.post(at)
	}
}

func (y *exportYard) create(account string, at time.Time) {
	id, err := delivery.NewOrderID(y.ids, account, at)
	must(y.T, err)
	o := testkit.Order(account, id, "=R-"+id, at)
	changes := creation(o, 0)
	changes.Receipts = nil
	must(y.T, save(y.Context(), y.db, changes))
	if account == partnerID {
		y.orders = append(y.orders, o)
		y.note(exports.KindOrders, id, at)
	}
}

func (y *exportYard) event(at time.Time) {
	if len(y.orders) == 0 {
		return
	}
	o := y.orders[y.random.IntN(len(y.orders))]
	id, err := identifier.NewUUID(y.ids, at)
	must(y.T, err)
	y.events[o.OrderID]++
	kinds := []delivery.EventType{delivery.EventOrderPickedUp, delivery.EventOrderUpdated, delivery.EventReturnDue}
	e := &delivery.Event{
		EventID: id, PartnerID: partnerID, OrderID: o.OrderID, Sequence: y.events[o.OrderID],
		Type: kinds[y.random.IntN(len(kinds))], CreatedAt: at,
		Facts: delivery.EventFacts{At: at, Reason: "Alex was away", PartnerOrderID: o.PartnerOrderID},
	}
	must(y.T, y.db.Orders().Write(y.Context(), func(tx order.Writer) error {
		if _, err := tx.Load(y.Context(), &order.Needs{LockWait: repeatable.Hang}); err != nil {
			return err
		}
		return order.Apply(y.Context(), tx, &order.Changes{Events: []*delivery.Event{e}})
	}))
	at, _ = identifier.UUIDTime(e.EventID) // the id may have been raised
	y.note(exports.KindEvents, e.EventID, at)
	if e.Type == delivery.EventOrderUpdated {
		y.note(exports.KindOrderEdits, e.EventID, at)
	}
}

func (y *exportYard) move(at time.Time) {
	book(y.T, y.db, delivery.Movement{
		ProductID: y.product[0].ProductID, Type: delivery.MovementIn, Quantity: 1, Location: "MTL-1", Notes: "for Alex",
		At: at,
	})
	var last []delivery.Movement
	readStock(y.T, y.db, func(tx stock.Reader) (err error) {
		last, err = tx.Movements(y.Context(), stock.MovementFilter{PartnerID: partnerID, Limit: 1})
		return err
	})
	y.note(exports.KindMovements, fmt.Sprint(last[0].MovementID), at)
}

func (y *exportYard) post(at time.Time) {
	id, err := identifier.NewUUID(y.ids, at)
	must(y.T, err)
	entry := statedEntry(partnerID, 1, date.Of(at, y.zone)-date.Day(y.random.IntN(3)), money.ActDelivery, 1000)
	entry.EntryID, entry.RecordedAt, entry.Notes = id, at, "Alex paid"
	writeBooks(y.T, y.db, func(tx accounting.Writer) error {
		return tx.AddEntries(y.Context(), []*money.Entry{entry})
	})
	y.note(exports.KindJournal, id, at)
}

// export lets the process work, and starts another one after it was killed.
func (y *exportYard) export() {
	_, err := y.service.Work(y.Context())
	switch {
	case y.life.dead:
		y.now = y.now.Add(11 * time.Minute) // what it held becomes free
		y.start(1 + y.random.IntN(40))
	case err != nil:
		y.Fatal(err)
	}
}

// check compares the files with what was committed: each row is in the files of one day, in each format, and that day
// is not before the one on which it was recorded.
func (y *exportYard) check() {
	y.Helper()
	found, err := y.service.Verify(y.Context())
	must(y.T, err)
	if len(found.Faults) > 0 {
		y.Fatalf("got the faults %v", found.Faults)
	}
	manifests, err := filepath.Glob(filepath.Join(y.folder, "day=*", exports.ManifestName))
	must(y.T, err)
	got := map[exports.Format]map[exports.Kind][]string{exports.FormatCSV: {}, exports.FormatJSONL: {}}
	previous := date.Day(0)
	for _, path := range manifests {
		m := y.manifest(path)
		if previous != 0 && (m.Day != previous+1 || m.Previous == nil) {
			y.Errorf("got the day %s behind %s with the previous manifest %v", m.Day, previous, m.Previous)
		}
		previous = m.Day
		for _, file := range m.Files {
			ids := y.read(filepath.Join(filepath.Dir(path), file.Name), file)
			got[file.Format][file.Kind] = append(got[file.Format][file.Kind], ids...)
			for _, id := range ids {
				if at := y.made[string(file.Kind)+id]; !at.Before(m.To) {
					y.Errorf("%s of %s has %s, which was recorded at %v", file.Name, m.Day, id, at)
				}
			}
		}
	}
	for format, kinds := range got {
		for kind := range idsOfRows {
			ids, want := kinds[kind], slices.Clone(y.rows[kind])
			if format == exports.FormatCSV && kind == exports.KindJournal {
				ids = slices.Compact(slices.Clone(ids)) // an entry has several lines, one after the other
			}
			slices.Sort(ids)
			slices.Sort(want)
			if !slices.Equal(ids, want) {
				y.Errorf("%s of %s: got %d rows, want %d:\n%v, want\n%v", format, kind, len(ids), len(want), ids, want)
			}
		}
	}
}

func (y *exportYard) manifest(path string) (m exports.Manifest) {
	y.Helper()
	text, err := os.ReadFile(path)
	must(y.T, err)
	must(y.T, json.Unmarshal(text, &m))
	return m
}

// idsOfRows names the column with the ids of rows, by their kind.
var idsOfRows = map[exports.Kind]string{
	exports.KindOrders: "order_id", exports.KindOrderEdits: "event_id", exports.KindEvents: "event_id",
	exports.KindMovements: "movement_id", exports.KindJournal: "entry_id",
}

// read returns the ids of the rows of a file, which must have none of the names and texts of people.
func (y *exportYard) read(path string, file exports.File) (ids []string) {
	y.Helper()
	text, err := os.ReadFile(path)
	must(y.T, err)
	if strings.Contains(string(text), "Alex") || strings.Contains(string(text), "Ring twice") ||
		strings.Contains(string(text), "par_g") {
		y.Errorf("%s has a name, a text or a test account:\n%s", path, text)
	}
	id := idsOfRows[file.Kind]
	if file.Format == exports.FormatCSV {
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		must(y.T, err)
		at := slices.Index(rows[0], id)
		for _, cells := range rows[1:] {
			ids = append(ids, cells[at])
			if slices.ContainsFunc(cells, func(cell string) bool { return strings.HasPrefix(cell, "=") }) {
				y.Errorf("%s: a spreadsheet computes one of %q", path, cells)
			}
		}
	} else {
		for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
			members := map[string]any{}
			must(y.T, json.Unmarshal(lines.Bytes(), &members))
			ids = append(ids, fmt.Sprint(members[id]))
		}
	}
	if int64(len(ids)) != file.Rows || len(ids) > 0 && (*file.FirstID != ids[0] || *file.LastID != ids[len(ids)-1]) {
		y.Errorf("%s: got %d rows, the manifest says %d from %v", path, len(ids), file.Rows, file.FirstID)
	}
	return ids
}

// testExports exports random days, some of which clocks change on. Rows are committed late, at any time, and the
// process is killed between transactions and files, or after a COMMIT of which it does not learn. In the end each row
// is in the files of one day.
func testExports(t *testing.T, s *store.Store) {
	y := newExportYard(t, s, time.Date(2026, 3, 5, 14, 0, 0, 0, time.UTC)) // clocks change on 8 March
	y.export()
	for range testkit.Scaled(2000, 160) {
		y.now = y.now.Add(time.Duration(y.random.Int64N(int64(4 * time.Hour))))
		y.act()
		if y.random.IntN(8) == 0 {
			y.create(delivery.TestAccount(partnerID), y.recorded())
		}
		if y.random.IntN(3) == 0 {
			y.start(1 + y.random.IntN(40))
			y.now = y.now.Add(11 * time.Minute)
		}
		if y.random.IntN(2) == 0 {
			y.export()
		}
	}
	y.now = y.now.Add(72 * time.Hour)
	for behind := 1; behind > 0; {
		y.start(1 + y.random.IntN(400))
		y.now = y.now.Add(16 * time.Minute)
		y.export()
		status, err := y.service.Status(t.Context())
		must(t, err)
		behind = status.Behind
	}
	y.start(1 << 30)
	y.check()
	y.checkSealed()
}

// checkSealed checks that all rows are known to be in files, and that movements are not read again.
func (y *exportYard) checkSealed() {
	y.Helper()
	must(y.T, y.db.Exports().Read(y.Context(), func(tx exports.Reader) error {
		for _, source := range exports.Sources {
			floor, err := tx.Floor(y.Context(), source, partnerID)
			must(y.T, err)
			left, err := tx.Unsealed(y.Context(),
				exports.Period{Source: source, PartnerID: partnerID, From: y.first, To: y.now, Floor: floor}, 10)
			must(y.T, err)
			if len(left) > 0 {
				y.Errorf("%s: got %q as in the files of no day, want none", source, left)
			}
			moved := y.rows[exports.KindMovements]
			if last := moved[len(moved)-1]; source == exports.SourceMovements && !strings.HasSuffix(floor, last) {
				y.Errorf("got movements read up to %q, want all, of which the last is %s", floor, last)
			}
		}
		return nil
	}))
}

// testExportShortDay exports the day of 23 hours in Toronto.
func testExportShortDay(t *testing.T, s *store.Store) {
	exportClockChange(t, s, time.Date(2026, 3, 8, 5, 0, 0, 0, time.UTC), 23*time.Hour)
}

// testExportLongDay exports the day of 25 hours.
func testExportLongDay(t *testing.T, s *store.Store) {
	exportClockChange(t, s, time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC), 25*time.Hour)
}

// exportClockChange exports a day on which clocks change, and the one before. A row is in the files of the day on
// which it was recorded: also one of the first and the last millisecond, and of the hour that is left out or comes
// twice.
func exportClockChange(t *testing.T, s *store.Store, begin time.Time, length time.Duration) {
	t.Helper()
	y, next := newExportYard(t, s, begin.Add(-6*time.Hour)), begin.Add(length)
	y.export() // notes the first day
	day := date.Of(begin, y.zone)
	kinds := []exports.Kind{exports.KindOrders, exports.KindEvents, exports.KindMovements, exports.KindJournal}
	want := map[string][]string{}
	for _, at := range []struct {
		time.Time
		day date.Day
	}{
		{begin.Add(-time.Millisecond), day - 1}, {begin, day}, {begin.Add(90 * time.Minute), day},
		{begin.Add(150 * time.Minute), day}, {next.Add(-time.Millisecond), day}, {next, day + 1},
	} {
		y.now = at.Time
		y.create(partnerID, at.Time)
		y.event(at.Time)
		y.move(at.Time)
		y.post(at.Time)
		for _, kind := range kinds {
			of := fmt.Sprint(kind, " of ", at.day)
			want[of] = append(want[of], y.rows[kind][len(y.rows[kind])-1])
		}
	}
	y.now = next.Add(6 * time.Hour)
	y.export()
	for _, exported := range []date.Day{day - 1, day} {
		folder := filepath.Join(y.folder, "day="+exported.String())
		m, got := y.manifest(filepath.Join(folder, exports.ManifestName)), map[string][]string{}
		for _, file := range m.Files {
			if ids := y.read(filepath.Join(folder, file.Name), file); file.Format == exports.FormatJSONL {
				of := fmt.Sprint(file.Kind, " of ", exported)
				got[of] = append(got[of], ids...)
			}
		}
		for _, kind := range kinds {
			of := fmt.Sprint(kind, " of ", exported)
			slices.Sort(got[of])
			slices.Sort(want[of])
			if !slices.Equal(got[of], want[of]) {
				t.Errorf("%s: got %q, want %q", of, got[of], want[of])
			}
		}
		if exported == day && (!m.From.Equal(begin) || !m.To.Equal(next)) {
			t.Errorf("got a day from %v to %v, want one from %v to %v", m.From, m.To, begin, next)
		}
	}
}

// testExportRaces has two nodes export the same days at the same time. Each day is exported once.
func testExportRaces(t *testing.T, s *store.Store) {
	y := newExportYard(t, s, testkit.Epoch)
	y.export()
	for range 10 {
		y.act()
		y.now = y.now.Add(12 * time.Hour)
	}
	y.now = y.now.Add(48 * time.Hour)
	var nodes sync.WaitGroup
	days, failed := make([]int, 3), make([]error, 3)
	for i := range days {
		node := exports.NewService(y.config(&life{left: 1 << 30}, repeatable.Reader(t, fmt.Sprint("node ", i))))
		nodes.Go(func() { days[i], failed[i] = node.Work(t.Context()) })
	}
	nodes.Wait()
	must(t, errors.Join(failed...))
	again, err := y.service.Work(t.Context())
	must(t, err)
	listed, err := y.service.Days(t.Context(), 0, 100)
	must(t, err)
	if sum := days[0] + days[1] + days[2] + again; sum != len(listed) || sum < 5 {
		t.Errorf("got %v and %d days, want %d together", days, again, len(listed))
	}
	y.check()
}

// slowPlace is a place of which a file is opened slowly.
type slowPlace struct {
	exports.Folder
	opening func(name string)
}

func (p slowPlace) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	p.opening(name)
	return p.Folder.Open(ctx, name)
}

// testExportCheck exports a day whose manifest was written before a crash, but not noted. The node reads its files
// again, which takes longer than it holds the work at a time. No other node takes the work meanwhile.
func testExportCheck(t *testing.T, s *store.Store) {
	y := newExportYard(t, s, testkit.Epoch)
	y.export()
	y.act()
	y.now = y.now.Add(24 * time.Hour)
	y.export()
	must(t, s.Exports().Write(t.Context(), func(tx exports.Writer) error {
		days, err := tx.Days(t.Context(), 0, 2)
		if err != nil || len(days) != 1 {
			return errors.Join(err, fmt.Errorf("got %d days, want one", len(days)))
		}
		return tx.SaveDay(t.Context(), &exports.Day{Day: days[0].Day, SealedAt: days[0].SealedAt})
	}))
	clock, waits := testkit.NewClock(y.now), make(chan struct{}, 100)
	node := func(name string) exports.Config {
		config := y.config(&life{left: 1 << 30}, repeatable.Reader(t, name))
		config.Now = clock.Now
		config.At = func(until time.Time) <-chan time.Time {
			defer func() { waits <- struct{}{} }()
			return clock.At(until)
		}
		return config
	}
	other, slow, read := exports.NewService(node("other")), node("slow"), 0
	slow.Place = slowPlace{exports.Folder(y.folder), func(name string) {
		if strings.HasSuffix(name, exports.ManifestName) {
			return
		}
		select {
		case <-waits: // the node holds the work while it reads
		case <-time.After(repeatable.Hang):
			t.Error("got no wait for the time to hold the work again")
		}
		clock.Advance(4 * time.Minute)
		read++
		if days, err := other.Work(t.Context()); days != 0 || err != nil {
			t.Errorf("got %d days and %v by another node after %d files, want none", days, err, read)
		}
		_, err := other.Until(t.Context(), date.Of(clock.Now(), y.zone)-1)
		if !errors.Is(err, exports.ErrBusy) {
			t.Errorf("got %v by another node, want exports.ErrBusy", err)
		}
	}}
	days, err := exports.NewService(slow).Work(t.Context())
	if days != 1 || err != nil || read != 10 {
		t.Errorf("got %d days, %v after %d files, want 1 after 10", days, err, read)
	}
	y.check()
}

// testExportAsk asks for an export while one is running. The next day is still exported at the time of day.
func testExportAsk(t *testing.T, s *store.Store) {
	y := newExportYard(t, s, testkit.Epoch)
	y.export()
	config, asked := y.config(y.life, y.names), 0
	var service *exports.Service
	config.Place = slowPlace{exports.Folder(y.folder), func(string) {
		asked++
		must(t, service.Ask(t.Context()))
	}}
	service = exports.NewService(config)
	for _, c := range []struct {
		after time.Duration // the beginning of the first day
		days  int
	}{{27 * time.Hour, 1}, {48*time.Hour + time.Minute, 0}, {51 * time.Hour, 1}} {
		y.now = y.first.Add(c.after)
		if days, err := service.Work(t.Context()); days != c.days || err != nil {
			t.Errorf("after %v: got %d days, %v, want %d", c.after, days, err, c.days)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times while days were exported, want 2", asked)
	}
}
