package webhook

import "time"

const (
	// maxInFlight is how many requests one endpoint gets at once if it is quick.
	maxInFlight = 10
	// A lane fetches minAhead events at first, and up to maxAhead after full
	// fetches. If there are many lanes each fetches fewer: all together about
	// maxRead, so that memory grows neither with the backlog nor with the number
	// of endpoints. The lane of an endpoint that is not quick fetches only twice as
	// many as it may send at once.
	minAhead = 2 * maxInFlight
	maxAhead = 400
	maxRead  = 20_000
	// maxUnsettled is how many times as many events as it fetches at once a lane
	// may hold. A database on another machine takes a while to write outcomes.
	maxUnsettled = 3
	// linger is how long a lane without events waits before it parks. An event that
	// comes within this time costs neither a lease nor a parking, which are two
	// commits.
	linger = 250 * time.Millisecond
	// maxRest is the longest rest of a lane whose outcomes the database refuses. It
	// sends the same events again after each.
	maxRest = time.Minute
	// maxSilent is at how many beats in a row requests may be under way without an
	// answer. After that no more are sent until one is answered.
	maxSilent = 1
)

// lane sends what is due at one endpoint. It is a state machine: step takes a
// message and returns commands, and neither waits nor reads a clock. One
// goroutine owns each lane (runner).
type lane struct {
	holder string // the name of its lease
	shared bool   // other nodes write to the same database

	state    state
	closing  bool      // the sender closes
	endpoint *Endpoint // as last read or written; nil once it has been removed
	events   queue

	fetching bool       // a fetch is under way
	outdated bool       // the endpoint has changed since the last fetch was started
	late     []*request // settled or refused while the fetch was under way
	ahead    readAhead  // when to fetch again while sending
	after    *Event     // the next fetch begins behind it; nil for all that is due
	limit    int        // of the next fetch, unless there are many lanes

	pace   int64 // of the endpoint, after all requests that have been answered
	speed  Speed // that follows from pace; the lane's permits are counted under it
	served bool  // a request has been answered
	silent int   // beats since the last answer at which requests were under way

	rest     time.Time // the end of the last rest
	refusals int       // of the database, in a row

	commands []command // of the current step
}

// readAhead is when a sending lane fetches again.
type readAhead int

const (
	noFetch     readAhead = iota // all that is due has been fetched
	fetchAtBeat                  // a fetch has failed
	fetchSoon                    // more may be due; fetch as soon as there is room
)

// surroundings is what a lane depends on besides messages.
type surroundings struct {
	now     time.Time
	permits *permits // of this node
	held    bool     // no request may be started
}

// newLane returns the lane of an endpoint that has been leased for it, and for
// which a permit has been taken. The first message to it is onWoken.
func newLane(endpoint *Endpoint, shared bool) *lane {
	return &lane{
		holder: endpoint.Holder, shared: shared, state: looking, endpoint: endpoint,
		events: newQueue(), limit: minAhead, pace: endpoint.Pace, speed: endpoint.Speed(),
	}
}

// step takes in a message and returns what has to be done. The commands are
// valid until the next step.
func (l *lane) step(m message, s surroundings) []command {
	l.commands = l.commands[:0]
	l.record(m, s)
	l.move(m.on(), s)
	l.act(s)
	if l.emptied() {
		l.move(onEmptied, s)
	}
	return l.commands
}

func (l *lane) command(c command) { l.commands = append(l.commands, c) }

// record notes what a message says.
func (l *lane) record(m message, s surroundings) {
	switch m := m.(type) {
	case answered:
		l.events.answer(m.request)
		l.measure(m.request, s)
		l.command(report(m))
	case fetched:
		l.recordFetched(m)
		l.endFetch()
	case settled:
		l.endpoint, l.outdated, l.refusals = m.endpoint, true, 0
		l.ahead = fetchSoon // the next events of the same orders may have become due
		l.settle(m.requests)
	case refused:
		l.rest = s.now.Add(min(lookEvery<<min(l.refusals, 10), maxRest))
		l.refusals++
		l.settle(m.requests)
	case trigger:
		l.recordTrigger(m, s)
	}
}

// recordTrigger notes what a message without contents says.
func (l *lane) recordTrigger(t trigger, s surroundings) {
	switch t {
	case onWoken:
		l.ahead = fetchSoon
	case onChanged:
		l.outdated, l.silent = true, 0
	case onFetchFailed:
		l.ahead = max(l.ahead, fetchAtBeat)
		l.endFetch()
	case onBeat:
		if l.shared || l.ahead == fetchAtBeat {
			l.ahead = fetchSoon
		}
		l.silent++
		if l.events.underWay == 0 {
			l.silent = 0
		}
		if left := l.leaseLeft(s.now); left > 0 && left < renewBelow {
			l.command(renew{})
		}
	case onStopped:
		l.closing = true
	default: // it changes nothing but the state
	}
}

// measure notes how long a request has lasted, and returns its permit unless it was
// the last one under way. The permits of an endpoint that has become slow are counted
// under slow ones, even if those have no room.
func (l *lane) measure(r *request, s surroundings) {
	if l.served, l.silent = true, 0; l.events.underWay > 0 {
		s.permits.add(l.speed, -1)
	}
	if r.posted() {
		l.pace = paceAfter(l.pace, r.lasted)
	}
	if speed := speedAt(l.pace); speed != l.speed {
		held := max(1, l.events.underWay)
		s.permits.add(l.speed, -held)
		s.permits.add(speed, held)
		l.speed = speed
	}
}

// recordFetched notes the endpoint, unless a newer one is known, and takes the
// events, unless they will be fetched again before any is sent. The next fetch
// begins behind a full one; after the last of these it begins in front again,
// for what has become due there.
func (l *lane) recordFetched(m fetched) {
	if !l.outdated {
		l.endpoint = m.endpoint
	}
	if l.state != sending && (l.state != looking || l.outdated) {
		return
	}
	l.events.take(m.due)
	l.after = nil
	if m.full() {
		l.after, l.limit = m.due[len(m.due)-1], min(2*l.limit, maxAhead)
	}
	if m.full() || m.after != nil {
		l.ahead = fetchSoon
	}
}

// settle lets go of requests. It waits for a fetch that is under way, which may
// return their events as they were before: they must not be taken again.
func (l *lane) settle(requests []*request) {
	if l.fetching {
		l.late = append(l.late, requests...)
		return
	}
	for _, r := range requests {
		l.events.settle(r)
	}
}

func (l *lane) endFetch() {
	l.fetching = false
	l.settle(l.late)
	l.late = nil
}

// leaseLeft returns how long the lane may still send; 0 or less if its lease is
// over.
func (l *lane) leaseLeft(now time.Time) time.Duration {
	if l.endpoint == nil || l.endpoint.Holder != l.holder {
		return 0
	}
	return l.endpoint.LeaseUntil.Sub(now)
}

// move changes the state.
func (l *lane) move(on trigger, s surroundings) {
	from := l.state
	l.state = next(from, on, func(g condition) bool { return l.holds(g, s) })
	if l.state == from {
		return
	}
	switch l.state {
	case looking:
		// Everything is fetched again. A fetch that is under way does not count.
		l.after, l.outdated = nil, true
	case parking:
		l.command(park{yields: l.yields(s)})
	default: // act does the rest
	}
}

// holds reports whether a condition is true.
func (l *lane) holds(g condition, s surroundings) bool {
	switch g {
	case maySend:
		return l.maySend(s)
	case mayNotSend:
		return !l.maySend(s)
	case outdated:
		return l.outdated
	case rested:
		return !s.now.Before(l.rest)
	case shared:
		return l.shared
	case crowded:
		return s.permits.crowded()
	case notCrowded:
		return !s.permits.crowded()
	case closing:
		return l.closing
	case notClosing:
		return !l.closing
	default: // always
		return true
	}
}

// maySend reports whether this lane may send to the endpoint now.
func (l *lane) maySend(s surroundings) bool {
	return !l.closing && l.leaseLeft(s.now) > 0 && l.endpoint.Enabled && !l.endpoint.OpenUntil.After(s.now) && !l.yields(s)
}

// yields reports whether the lane gives up its endpoint although something is due: all
// requests are held, or the lane has had its turn, and another endpoint wants its permit. Then
// the endpoint goes behind all others that are due.
func (l *lane) yields(s surroundings) bool { return s.held || l.served && s.permits.wanted(l.speed) }

// act does what the state requires.
func (l *lane) act(s surroundings) {
	switch l.state {
	case looking:
		if !l.fetching {
			l.fetch(s)
		}
	case sending:
		l.send(s)
	case draining, resting:
		l.events.drop()
	default: // nothing
	}
}

// send starts as many requests as may be under way, and fetches more when half
// of the last fetch, or less, is left. Without a lease it does nothing: the next
// beat moves the lane to draining. Only for quick endpoints it reads ahead while no
// request may be started.
func (l *lane) send(s surroundings) {
	if !l.maySend(s) {
		return
	}
	free, probe := l.free(s)
	for ; free > 0 && len(l.events.ready) > 0; free-- {
		if l.events.underWay > 0 && !s.permits.take(l.speed) {
			break
		}
		l.command(start{&request{event: l.events.next(), endpoint: l.endpoint, probe: probe}})
	}
	atOnce := l.atOnce(s)
	room := len(l.events.ready) <= atOnce/2 && len(l.events.held) < maxUnsettled*atOnce
	if l.ahead == fetchSoon && !l.fetching && room && (free > 0 || !probe && l.speed == Quick) {
		l.fetch(s)
	}
}

// free returns how many more requests may be started: never so many that more
// could fail in a row than the breaker allows; or a single one, which probes an
// endpoint whose breaker was open. None is started while the endpoint is silent.
func (l *lane) free(s surroundings) (requests int, probe bool) {
	unsettled := l.events.underWay + l.events.failures
	switch {
	case l.endpoint.broken():
		return 1 - unsettled, true
	case l.silent > maxSilent:
		return 0, false
	}
	return min(l.atMost(s)-l.events.underWay, breakerFailures-int(l.endpoint.Failures)-unsettled), false
}

// atMost returns how many requests the endpoint may have at once: as many as take
// ten seconds one after the other, but at most maxInFlight, and at least one. An
// untried endpoint gets one, and so does every endpoint when the permits are crowded.
func (l *lane) atMost(s surroundings) int {
	if l.pace == 0 || s.permits.crowded() {
		return 1
	}
	return max(1, maxInFlight/int(l.pace))
}

func (l *lane) fetch(s surroundings) {
	limit := l.atOnce(s)
	if l.after == nil {
		limit += len(l.events.held) // which are still due, and come first
	}
	l.fetching, l.outdated, l.ahead = true, false, noFetch
	l.command(fetch{l.after, limit})
}

// atOnce returns how many new events the lane may fetch at once.
func (l *lane) atOnce(s surroundings) int {
	if l.speed != Quick {
		return 2 * l.atMost(s)
	}
	return min(l.limit, max(minAhead, maxRead/max(1, s.permits.running())))
}

// emptied reports whether a lane that sends or drains has nothing left to do or
// to wait for.
func (l *lane) emptied() bool {
	if l.fetching || len(l.events.held) > 0 {
		return false
	}
	return l.state == draining || l.state == sending && l.ahead == noFetch
}
