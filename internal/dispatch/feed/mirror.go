package feed

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// mirror is the board in memory, with what has changed in it. One goroutine, the
// follower, writes it; calls read it.
type mirror struct {
	id     string
	built  chan struct{} // closed when the mirror is built or cannot be
	broken error         // why it could not be built; set before built is closed
	hints  hints

	mu sync.Mutex
	// entries has the rows by order id. The follower alone changes it, with mu held,
	// and may read it without.
	entries map[string]*entry
	// gone has the orders that have left the board, each with the publication that
	// says so; guarded by mu.
	gone map[string]int64
	// log has the remembered publications, in order, never none; guarded by mu.
	log  []publication
	asOf time.Time // see position; guarded by mu
	// compared is when the last comparison began; guarded by mu. The follower alone
	// writes it, and may read it without.
	compared time.Time
	// certain is the time from which on the mirror has had every order that other nodes
	// may have sent; positions of theirs before that are too old. Guarded by mu.
	certain time.Time
	born    time.Time     // when the first comparison began; guarded by mu
	failed  error         // of the last comparison; guarded by mu
	next    chan struct{} // closed by the next publication; guarded by mu

	counts  dispatch.Counts   // guarded by mu
	counted time.Time         // when counts was counted; guarded by mu
	all     *Answer           // the snapshot, nil if it is out of date; guarded by mu
	recent  map[int64]*Answer // what has changed since a publication, likewise; guarded by mu
}

// entry is a row of the mirror. All but round is written before the entry is
// published.
type entry struct {
	row           *board.Row
	encoded       []byte
	courierActive bool
	number        int64 // of the publication that the entry is part of
	round         int64 // the last comparison that found the row; the follower's
}

// publication is a set of changes that desks get together.
type publication struct {
	number int64
	at     time.Time // by the database's clock; what it publishes was committed before
}

func newMirror(id string) *mirror {
	return &mirror{
		id: id, built: make(chan struct{}), hints: newHints(),
		entries: map[string]*entry{}, gone: map[string]int64{}, next: make(chan struct{}), recent: map[int64]*Answer{},
	}
}

// changes is what the follower found out about the board.
type changes struct {
	entries []*entry
	gone    []string
	// compared is the beginning of the comparison that found it, and asOf what positions
	// may say from now on. Both are zero if only the orders of hints were looked up.
	compared, asOf time.Time
}

// publish applies changes, at a time by the database's clock.
func (m *mirror) publish(c changes, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !c.compared.IsZero() {
		if c.compared.Sub(m.compared) > settling {
			m.certain = c.compared
		}
		m.compared, m.asOf, m.failed = c.compared, c.asOf, nil
	}
	if len(m.log) == 0 {
		m.born = c.compared
	} else if len(c.entries) == 0 && len(c.gone) == 0 {
		return
	}
	number := m.number() + 1
	for _, e := range c.entries {
		e.number = number
		m.entries[e.row.OrderID] = e
		delete(m.gone, e.row.OrderID)
	}
	for _, id := range c.gone {
		delete(m.entries, id)
		m.gone[id] = number
	}
	m.log = append(m.log, publication{number, at})
	m.forget(at.Add(-memory))
	m.outdate()
	close(m.next)
	m.next = make(chan struct{})
}

// number returns the number of the last publication. The caller holds mu.
func (m *mirror) number() int64 {
	if len(m.log) == 0 {
		return 0
	}
	return m.log[len(m.log)-1].number
}

// forget drops what was published before a time, but for the last publication of
// then: positions that name it are still good. The caller holds mu.
func (m *mirror) forget(before time.Time) {
	old := 0
	for old+1 < len(m.log) && m.log[old+1].at.Before(before) {
		old++
	}
	if old == 0 {
		return
	}
	m.log = slices.Delete(m.log, 0, old)
	maps.DeleteFunc(m.gone, func(_ string, number int64) bool { return number <= m.log[0].number })
}

// outdate drops the answers that are shared. The caller holds mu.
func (m *mirror) outdate() {
	m.all, m.counted = nil, time.Time{}
	clear(m.recent)
}

// fail notes that a comparison has failed; the next one that succeeds clears it.
func (m *mirror) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed = err
}

// failure returns why the last comparison has failed; nil if it has not.
func (m *mirror) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// latest returns the number of the last publication, and a channel that the next
// one closes.
func (m *mirror) latest() (number int64, next <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.number(), m.next
}

// lastCounts returns the counts that were counted last, if any were.
func (m *mirror) lastCounts() (dispatch.Counts, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts, !m.counted.IsZero()
}

func (m *mirror) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.entries)
}

// find returns the publications that a position stands for: known is the last one
// of which the desk has everything, unless clocks differ, and from the last one even
// if they do. The error may be ErrTooOld.
func (m *mirror) find(p position) (from, known int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first, last := m.log[0], m.number()
	if p.mirror == m.id {
		if p.number < first.number || p.number > last {
			return 0, 0, ErrTooOld
		}
		return p.number, p.number, nil
	}
	if !p.asOf.After(first.at) || !p.asOf.After(m.certain) {
		return 0, 0, ErrTooOld
	}
	return m.before(p.asOf.Add(-overlap)), m.before(p.asOf), nil
}

// before returns the number of the last publication before a time, or of the first
// remembered one. The caller holds mu.
func (m *mirror) before(moment time.Time) int64 {
	from := sort.Search(len(m.log), func(i int) bool { return !m.log[i].at.Before(moment) })
	return m.log[max(from-1, 0)].number
}

// snapshot returns all rows, sorted by order id.
func (m *mirror) snapshot(now time.Time) *Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(now)
	if m.all == nil {
		m.all = m.answer(slices.Collect(maps.Values(m.entries)))
	}
	return m.all
}

// since returns what has changed behind a publication.
func (m *mirror) since(number int64, now time.Time) *Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(now)
	if answer := m.recent[number]; answer != nil {
		return answer
	}
	var changed []*entry
	gone := []string{}
	if number < m.number() {
		for _, e := range m.entries {
			if e.number > number {
				changed = append(changed, e)
			}
		}
		for id, left := range m.gone {
			if left > number {
				gone = append(gone, id)
			}
		}
	}
	answer := m.answer(changed)
	slices.Sort(gone)
	answer.Gone = gone
	m.recent[number] = answer
	return answer
}

// answer returns an answer with these rows, those that are due first at the beginning:
// desks show them before they have read the others. The caller holds mu.
func (m *mirror) answer(entries []*entry) *Answer {
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(a.row.Due().Compare(b.row.Due()), cmp.Compare(a.row.OrderID, b.row.OrderID))
	})
	rows := make([][]byte, len(entries))
	for i, e := range entries {
		rows[i] = e.encoded
	}
	after := position{m.id, m.number(), m.asOf}
	if first := m.born.Add(settling); m.asOf.Before(first) {
		after.asOf = time.UnixMicro(0) // no other node can continue from here: see settling
	}
	return &Answer{Rows: rows, Counts: m.counts, After: after.String()}
}

// count counts again if the counts are out of date. Answers with the old counts are
// dropped. The caller holds mu.
func (m *mirror) count(now time.Time) {
	if age := now.Sub(m.counted); age < recount && age >= 0 {
		return
	}
	m.outdate()
	m.counts, m.counted = count(m.entries, now), now
}
