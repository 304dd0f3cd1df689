package webhook

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// maxInFlight is how many requests one endpoint gets at once.
	maxInFlight = 10
	// minAhead is how many events a lane reads at first, and maxAhead how many
	// once it has read often. It stays with the former if there are many lanes:
	// all together have read about maxRead, so that memory grows neither with what
	// waits nor with the number of endpoints.
	maxAhead = 400
	minAhead = 2 * maxInFlight
	maxRead  = 20_000
	// maxUnsettled is for how many times as many events a lane does not wait
	// until what came of them is written. A database elsewhere takes its time.
	maxUnsettled = 3
	// linger is how long a lane waits for another event before it ends: an event
	// that comes in this time is spared both a lease and a parking, which are two
	// commits.
	linger = 250 * time.Millisecond
)

// lane sends what is due at one endpoint. One goroutine runs it; requests and
// the settler report to it through signal.
type lane struct {
	sender    *Sender
	partnerID string
	holder    string // the name of its lease

	busy    map[EventKey]bool // read and not settled
	reading bool              // the next are being read
	ahead   int               // how many the next read may bring
	last    *Event            // what the next read goes on behind; nil for all that is due
	parking bool              // the settler has been asked to park the endpoint; until it has answered, nothing is read
	parked  bool

	woken chan struct{}

	mu       sync.Mutex // guards what follows
	endpoint *Endpoint  // as last read; nil once it is gone
	ready    []*Event   // due, in the order of sending
	low      int        // how many ready events are few enough to read more
	inFlight int
	failures int       // of which the settler does not know yet
	look     bool      // something may be due that has not been read
	later    bool      // look, but not before the next beat
	refused  int       // how often in a row the database did not take what had come of requests
	rest     time.Time // nothing is sent until then
	changes  int       // of the endpoint that the lane was told of
	known    int       // of these; nothing is sent until all are
	version  int       // counts how often the settler has told the endpoint
	settled  []*item   // what the settler is done with
	read     *read     // what has been read; nil while nothing has
}

// read is what one look for due events has found.
type read struct {
	endpoint *Endpoint // as it was then
	changes  int       // that it shows
	version  int       // of the endpoint that the lane knew before
	due      []*Event
	full     bool // there may be more
}

func newLane(s *Sender, endpoint *Endpoint) *lane {
	return &lane{
		sender: s, partnerID: endpoint.PartnerID, holder: endpoint.Holder, endpoint: endpoint, look: true,
		ahead: minAhead, busy: map[EventKey]bool{}, woken: make(chan struct{}, 1),
	}
}

// signal changes what the lane is told from outside, and wakes it.
func (l *lane) signal(change func()) {
	l.mu.Lock()
	change()
	l.mu.Unlock()
	select {
	case l.woken <- struct{}{}:
	default: // it is awake
	}
}

// run sends until nothing is due any more, the endpoint is disabled or broken,
// or the sender closes. Then it parks the endpoint and ends.
func (l *lane) run(ctx context.Context) {
	defer l.sender.forget(l)
	beat := l.sender.soon()
	var leave <-chan time.Time
	for {
		l.collect()
		if l.parked {
			return
		}
		l.send(ctx)
		switch {
		case l.parking || !l.idle():
			leave = nil
		case !l.lingers():
			l.park()
		case leave == nil:
			leave = time.After(linger)
		}
		select {
		case <-l.woken:
		case <-leave:
			l.park()
		case <-beat:
			beat = l.sender.soon()
			l.beat()
		}
	}
}

// park asks the settler to free the endpoint, which it does unless something is
// due by then.
func (l *lane) park() {
	l.parking = true
	l.sender.settler.add(&item{lane: l, park: true})
}

// beat sees what other nodes have added, and renews the lease in time.
func (l *lane) beat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look, l.later = l.look || l.later || l.sender.Shared, false
	if l.endpoint != nil && l.endpoint.LeaseUntil.Sub(l.sender.now()) < leaseFor*2/3 {
		l.sender.settler.add(&item{lane: l})
	}
}

// collect takes in what has been read, and what the settler is done with. While
// a read is under way the latter waits: the read may still see those events as
// due, and only busy keeps them from being sent again.
func (l *lane) collect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read != nil {
		if l.known = l.read.changes; l.read.version == l.version {
			l.endpoint = l.read.endpoint
		}
		l.take(l.read)
		l.reading, l.read = false, nil
	}
	if l.reading {
		return
	}
	for _, item := range l.settled {
		switch {
		case item.sent != nil && item.sent.answer.Delivered():
			delete(l.busy, item.sent.event.Key())
		case item.sent != nil:
			l.release(item.sent.event)
			l.failures--
		case item.park:
			l.parking, l.parked = false, item.parked
		}
	}
	l.settled = nil
}

// open tells whether the lane may send at all, or has to end. The caller holds
// mu.
func (l *lane) open() bool {
	e, now := l.endpoint, l.sender.now()
	return e != nil && e.Enabled && e.Holder == l.holder && e.LeaseUntil.After(now) && !e.OpenUntil.After(now) && !l.sender.isClosing()
}

// free is how many more requests may be under way now: one at all if the
// endpoint has to be probed, and never so many that they could fail more often
// in a row than the breaker allows. The caller holds mu.
func (l *lane) free() (requests int, probe bool) {
	if l.endpoint.broken() {
		return 1 - l.failures - l.inFlight, true
	}
	return min(maxInFlight, breakerFailures-int(l.endpoint.Failures)-l.failures) - l.inFlight, false
}

// send begins as many requests as may be under way, and reads ahead.
func (l *lane) send(ctx context.Context) {
	ahead := min(l.sender.ahead(), l.ahead) // the former's lock comes before this one
	l.mu.Lock()
	defer l.mu.Unlock()
	l.low = ahead / 2
	if !l.open() {
		// Whatever it was told, it sends nothing; parking looks at all that is due
		// and at the endpoint once more.
		l.look, l.later, l.known = false, false, l.changes
		for _, event := range l.ready {
			l.release(event)
		}
		l.ready = nil
		return
	}
	for event := l.next(); event != nil; event = l.next() {
		go l.work(ctx, event)
	}
	free, probe := l.free()
	mayRead := len(l.busy) < maxUnsettled*ahead && len(l.ready) <= l.low && (free > 0 || !probe)
	// After a read that has failed, a change waits for the next beat.
	if changed := l.known != l.changes && !l.later; !l.reading && !l.parking && (changed || l.look && mayRead) {
		l.look = false
		l.fetch(ahead)
	}
}

// next takes up the event that may be sent now; nil if none may. The caller
// holds mu.
func (l *lane) next() *sent {
	if len(l.ready) == 0 || l.known != l.changes || !l.open() || l.sender.now().Before(l.rest) {
		return nil
	}
	free, probe := l.free()
	if free <= 0 {
		return nil
	}
	event := l.ready[0]
	l.ready = l.ready[1:]
	l.inFlight++
	return &sent{event: event, endpoint: l.endpoint, probe: probe}
}

// work sends one event, and then what is next: whoever has just ended one
// request begins another sooner than the lane would.
func (l *lane) work(ctx context.Context, event *sent) {
	for event != nil {
		l.sender.post(ctx, event)
		// The settler first: once nothing is under way, the lane may look whether
		// all is settled.
		l.sender.settler.add(&item{lane: l, sent: event})
		l.mu.Lock()
		l.inFlight--
		switch behind := event.event.Behind; {
		case !event.answer.Delivered():
			l.failures++
		case len(behind) > 0:
			l.ready = slices.Insert(l.ready, 0, behind[0])
		}
		event = l.next()
		call := event == nil || len(l.ready) == l.low
		l.mu.Unlock()
		if call {
			l.signal(func() {})
		}
	}
}

// fetch reads what is due next, while requests go on, and with it the endpoint,
// which may be another by now.
func (l *lane) fetch(ahead int) {
	l.reading = true
	found := &read{changes: l.changes, version: l.version}
	before := read{endpoint: l.endpoint, changes: l.known, version: l.version}
	last, limit := l.last, ahead
	if last == nil {
		limit += len(l.busy) // which come first
	}
	go func() {
		ctx, cancel := context.WithTimeout(l.sender.reading, tryTimeout)
		defer cancel()
		err := l.sender.Store.Read(ctx, func(tx Reader) (err error) {
			if found.endpoint, err = tx.Endpoint(ctx, l.partnerID); err != nil {
				return err
			}
			found.due, err = tx.DueEvents(ctx, l.partnerID, last, l.sender.now(), limit)
			return err
		})
		if err != nil {
			*found = before
		}
		if err != nil && !l.sender.isClosing() {
			l.sender.Log.Error("events not read, trying again soon", "partner_id", l.partnerID, "error", err)
		}
		found.full = len(found.due) == limit
		l.signal(func() {
			l.read = found
			l.later = l.later || err != nil
			l.look = l.look || found.full || last != nil
		})
	}()
}

// take makes what was read ready to be sent. While there is more, the next read
// goes on behind it; after that it begins again, for what has become due in
// front.
func (l *lane) take(found *read) {
	l.last = nil
	if found.full {
		l.last = found.due[len(found.due)-1]
		// An endpoint that is dead is not worth reading far ahead.
		l.ahead = min(2*l.ahead, maxAhead)
	}
	for _, event := range found.due {
		if !l.busy[event.Key()] {
			l.ready = append(l.ready, event)
			l.occupy(event)
		}
	}
}

// occupy keeps an event from being taken once more, and those behind it, of
// which each is given the rest of them: they are sent as soon as it is
// delivered, and need not become due before.
func (l *lane) occupy(event *Event) {
	l.busy[event.Key()] = true
	known := slices.IndexFunc(event.Behind, func(next *Event) bool { return l.busy[next.Key()] })
	if known >= 0 { // since an earlier time
		event.Behind = event.Behind[:known]
	}
	for i, next := range event.Behind {
		l.busy[next.Key()] = true
		next.Behind = event.Behind[i+1:]
	}
}

// release lets an event be taken again, and those behind it.
func (l *lane) release(event *Event) {
	delete(l.busy, event.Key())
	for _, next := range event.Behind {
		delete(l.busy, next.Key())
	}
}

// idle tells whether the lane has nothing to do or to wait for.
func (l *lane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.look && !l.later && l.known == l.changes && !l.reading && l.inFlight == 0 && len(l.busy) == 0
}

// lingers tells whether an idle lane stays for a while, in case it gets something
// to do.
func (l *lane) lingers() bool {
	crowded := l.sender.Lanes() > maxLanes/2 // whose lock comes before this one
	l.mu.Lock()
	defer l.mu.Unlock()
	return !crowded && l.open()
}

// done tells the lane what the settler has written, and how the endpoint is now.
func (l *lane) done(endpoint *Endpoint, items []*item) {
	l.signal(func() {
		l.endpoint = endpoint
		l.version++
		l.refused = 0
		l.settled = append(l.settled, items...)
		l.look = true // the next of an order may have become due
	})
}

// maxRest is how long a lane rests at most when what came of its requests cannot
// be written: it would have to send them again and again.
const maxRest = time.Minute

// failed tells the lane what could not be written. It sends these events again,
// but not at once.
func (l *lane) failed(items []*item) {
	l.signal(func() {
		l.rest = l.sender.now().Add(min(lookEvery<<min(l.refused, 10), maxRest))
		l.refused++
		l.settled = append(l.settled, items...)
		l.later = true
	})
}
