package webhook

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/testkit"
)

// rig is a lane without a runner: a test sends it messages and reads its commands.
type rig struct {
	*lane
	surroundings
	requests map[string]*request // all that were started, by event id
	asked    fetch               // the last fetch that the lane has asked for
}

const rigPermits = 64

func newRig() *rig {
	r := &rig{
		surroundings: surroundings{now: testkit.Epoch, permits: newPermits(rigPermits)}, requests: map[string]*request{},
	}
	r.permits.begin(Quick)
	r.lane = newLane(r.leased(nil), false)
	return r
}

// leased returns the endpoint of the lane, with an optional change.
func (r *rig) leased(change func(*Endpoint)) *Endpoint {
	e := &Endpoint{PartnerID: "par_1", Holder: "node/1", LeaseUntil: r.now.Add(leaseFor), Enabled: true, Pace: 1}
	if change != nil {
		change(e)
	}
	return e
}

// send steps the lane and returns its commands as text.
func (r *rig) send(m message) string {
	var lines []string
	for _, c := range r.step(m, r.surroundings) {
		switch c := c.(type) {
		case start:
			r.requests[c.request.event.EventID] = c.request
			lines = append(lines, "start "+c.request.event.EventID)
		case report:
			lines = append(lines, "report "+c.request.event.EventID)
		case fetch:
			r.asked = c
			line := fmt.Sprintf("fetch %d", c.limit)
			if c.after != nil {
				line += " behind " + c.after.EventID
			}
			lines = append(lines, line)
		case park:
			line := "park"
			if c.yields {
				line += ", yielding"
			}
			lines = append(lines, line)
		default:
			lines = append(lines, strings.TrimPrefix(fmt.Sprintf("%T", c), "webhook."))
		}
	}
	return strings.Join(lines, ", ")
}

// input makes a message. It is called when the lane has taken the messages before,
// as the message may be about a request that the lane has started.
type input func(*rig) message

func just(t trigger) input { return func(*rig) message { return t } }

// event returns an event that is the first of its order.
func event(id string) *Event {
	return &Event{Event: delivery.Event{EventID: id, PartnerID: "par_1", OrderID: id, Sequence: 1}, State: outbox.Pending}
}

// finds makes the reply to the fetch under way, which has found events.
func finds(ids ...string) input { return findsFrom(nil, ids...) }

// findsFrom does the same with a changed endpoint.
func findsFrom(change func(*Endpoint), ids ...string) input {
	return func(r *rig) message {
		m := fetched{fetch: r.asked, endpoint: r.leased(change)}
		for _, id := range ids {
			m.due = append(m.due, event(id))
		}
		return m
	}
}

// answers makes the end of the request for an event.
func answers(id string, status int) input {
	return func(r *rig) message {
		request := r.requests[id]
		request.answer = Answer{Status: status}
		return answered{request}
	}
}

func (r *rig) started(ids []string) (all []*request) {
	for _, id := range ids {
		all = append(all, r.requests[id])
	}
	return all
}

// settles makes the settler's reply to reports about events, with an optional
// change of the endpoint.
func settles(change func(*Endpoint), ids ...string) input {
	return func(r *rig) message { return settled{endpoint: r.leased(change), requests: r.started(ids)} }
}

// refuses makes the settler's reply if the database has refused the outcomes.
func refuses(ids ...string) input {
	return func(r *rig) message { return refused{r.started(ids)} }
}

// after lets time pass before a message.
func after(d time.Duration, m input) input {
	return func(r *rig) message {
		r.now = r.now.Add(d)
		return m(r)
	}
}

// crowding uses more than half of the permits before a message.
func crowding(m input) input {
	return func(r *rig) message {
		r.permits.add(Quick, rigPermits/2)
		return m(r)
	}
}

// withOtherNodes makes the database a shared one before a message.
func withOtherNodes(m input) input {
	return func(r *rig) message {
		r.shared = true
		return m(r)
	}
}

func disabled(e *Endpoint)   { e.Enabled = false }
func brokenOpen(e *Endpoint) { e.Failures, e.OpenUntil = breakerFailures, e.LeaseUntil }
func leasedAway(e *Endpoint) { e.Holder = "node/2" }

// laneSteps has a row for each transition, and for each pair of a state and a
// trigger, also where the trigger changes nothing.
var laneSteps = []struct {
	given    string
	message  input
	state    state
	commands string
}{
	{"looking", just(onWoken), looking, ""},
	{"looking", just(onChanged), looking, ""},
	{"looking", finds("a", "b"), sending, "start a, start b"},
	{"looking", finds(), lingering, ""},
	{"looking", crowding(finds()), parking, "park"},
	{"looking", findsFrom(disabled, "a"), parking, "park"},
	{"looking", findsFrom(leasedAway, "a"), parking, "park"},
	{"looking", findsFrom(brokenOpen, "a"), parking, "park"},
	{"looking, changed since", finds("a"), looking, "fetch 20"},
	{"looking, fetch of before the rest", finds("a"), looking, "fetch 20"},
	{"looking", just(onFetchFailed), resting, ""},
	{"looking", just(onBeat), looking, ""},
	{"looking", after(3*time.Second, just(onBeat)), looking, "renew"},
	{"looking", just(onLingered), looking, ""},
	{"looking", just(onStopped), draining, ""},
	{"looking", just(onKept), looking, ""},
	{"looking", just(onParked), looking, ""},
	{"looking, a under way", answers("a", 200), looking, "report a"},
	{"looking, a reported", settles(nil, "a"), looking, ""},
	{"looking, a reported", refuses("a"), resting, ""},

	{"sending a, b", just(onWoken), sending, "fetch 22"},
	{"sending a, b", just(onChanged), looking, "fetch 22"},
	{"sending a, b", answers("a", 200), sending, "report a"},
	{"sending a, b", answers("a", 500), sending, "report a"},
	{"sending a, b", just(onBeat), sending, ""},
	{"sending a, b", withOtherNodes(just(onBeat)), sending, "fetch 22"},
	{"sending a, b", after(3*time.Second, just(onBeat)), sending, "renew"},
	{"sending a, b", after(leaseFor, just(onBeat)), draining, ""},
	{"sending a, b", just(onLingered), sending, ""},
	{"sending a, b", just(onStopped), draining, ""},
	{"sending a, b", just(onKept), sending, ""},
	{"sending a, b", just(onParked), sending, ""},
	{"sending a, a reported", settles(nil, "a"), sending, "fetch 20"},
	{"sending a, a reported", settles(disabled, "a"), parking, "park"},
	{"sending a, a reported", refuses("a"), resting, ""},
	{"sending, fetching", finds("b"), sending, "start b"},
	{"sending, fetching", finds(), lingering, ""},
	{"sending, fetching", crowding(finds()), parking, "park"},
	{"sending, fetching", findsFrom(disabled), parking, "park"},
	{"sending, fetching", just(onFetchFailed), sending, ""},
	{"sending, fetching", just(onChanged), looking, ""},

	{"lingering", just(onWoken), looking, "fetch 20"},
	{"lingering", just(onChanged), looking, "fetch 20"},
	{"lingering", settles(nil), lingering, ""},
	{"lingering", settles(disabled), lingering, ""},
	{"lingering", just(onBeat), lingering, ""},
	{"lingering", withOtherNodes(just(onBeat)), looking, "fetch 20"},
	{"lingering", just(onLingered), parking, "park"},
	{"lingering", just(onStopped), parking, "park"},
	{"lingering", just(onKept), lingering, ""},
	{"lingering", just(onParked), lingering, ""},

	{"resting", just(onWoken), resting, ""},
	{"resting", just(onChanged), resting, ""},
	{"resting", just(onBeat), looking, "fetch 20"},
	{"resting", just(onLingered), resting, ""},
	{"resting", just(onStopped), parking, "park"},
	{"resting", just(onKept), resting, ""},
	{"resting", just(onParked), resting, ""},
	{"resting, b under way", just(onStopped), draining, ""},
	{"resting, b under way", just(onBeat), resting, ""},
	{"resting, b under way", after(lookEvery, just(onBeat)), looking, "fetch 21"},
	{"resting, b under way", answers("b", 200), resting, "report b"},
	{"resting, b reported", settles(nil, "b"), resting, ""},
	{"resting, b reported", refuses("b"), resting, ""},
	{"resting, fetching", finds("a"), resting, ""},
	{"resting, fetching", just(onFetchFailed), resting, ""},

	{"draining a", just(onWoken), draining, ""},
	{"draining a", just(onChanged), draining, ""},
	{"draining a", answers("a", 200), draining, "report a"},
	{"draining a", settles(disabled), draining, ""},
	{"draining a", settles(nil), looking, "fetch 21"},
	{"draining a", just(onBeat), draining, ""},
	{"draining a", after(3*time.Second, just(onBeat)), draining, "renew"},
	{"draining a", just(onLingered), draining, ""},
	{"draining a", just(onStopped), draining, ""},
	{"draining a", just(onKept), draining, ""},
	{"draining a", just(onParked), draining, ""},
	{"draining, a reported", settles(disabled, "a"), parking, "park"},
	{"draining, a reported", refuses("a"), resting, ""},
	{"draining, fetching", finds("b"), parking, "park"},
	{"draining, fetching", just(onFetchFailed), parking, "park"},
	{"closing, a reported", settles(nil, "a"), parking, "park"},
	{"closing, a reported", refuses("a"), parking, "park"},

	{"parking", just(onWoken), parking, ""},
	{"parking", just(onChanged), parking, ""},
	{"parking", settles(nil), parking, ""},
	{"parking", refuses(), resting, ""},
	{"parking", just(onKept), looking, "fetch 20"},
	{"parking", just(onParked), ended, ""},
	{"parking", just(onBeat), parking, ""},
	{"parking", just(onLingered), parking, ""},
	{"parking", just(onStopped), parking, ""},
	{"closing, parking", just(onKept), parking, "park"},
	{"closing, parking", refuses(), parking, "park"},
}

// givens are the histories that bring a new lane to where a row begins.
var givens = map[string][]input{
	"looking":                {just(onWoken)},
	"looking, changed since": {just(onWoken), just(onChanged)},
	"looking, a under way":   {just(onWoken), finds("a"), just(onChanged)},
	"looking, a reported":    {just(onWoken), finds("a"), just(onChanged), answers("a", 200)},
	"looking, fetch of before the rest": {
		just(onWoken), finds("a"), answers("a", 200), just(onWoken), refuses("a"), after(lookEvery, just(onBeat)),
	},
	"sending a, b":          {just(onWoken), finds("a", "b")},
	"sending a, a reported": {just(onWoken), finds("a"), answers("a", 200)},
	"sending, fetching":     {just(onWoken), finds("a"), answers("a", 200), settles(nil, "a")},
	"lingering":             {just(onWoken), finds()},
	"resting":               {just(onWoken), just(onFetchFailed)},
	"resting, b under way":  {just(onWoken), finds("a", "b"), answers("a", 200), refuses("a")},
	"resting, b reported":   {just(onWoken), finds("a", "b"), answers("a", 200), refuses("a"), answers("b", 200)},
	"resting, fetching":     {just(onWoken), finds("a"), answers("a", 200), just(onWoken), refuses("a")},
	"draining a":            {just(onWoken), finds("a"), settles(disabled)},
	"draining, a reported":  {just(onWoken), finds("a"), settles(disabled), answers("a", 200)},
	"draining, fetching":    {just(onWoken), just(onStopped)},
	"closing, a reported":   {just(onWoken), finds("a"), just(onStopped), answers("a", 200)},
	"parking":               {just(onWoken), finds(), just(onLingered)},
	"closing, parking":      {just(onWoken), finds(), just(onStopped)},
}

func TestLaneSteps(t *testing.T) {
	t.Parallel()
	for _, c := range laneSteps {
		r := newRig()
		for _, m := range givens[c.given] {
			r.send(m(r))
		}
		m := c.message(r)
		commands := r.send(m)
		if r.state != c.state || commands != c.commands {
			t.Errorf("%s, %s: got %s and commands %q, want %s and %q", c.given, m.on(), r.state, commands, c.state, c.commands)
		}
	}
}

// states and triggers are all there are.
var (
	states   = []state{looking, sending, lingering, resting, draining, parking, ended}
	triggers = []trigger{
		onWoken, onChanged, onAnswered, onFetched, onFetchFailed, onSettled, onRefused, onKept, onParked,
		onBeat, onLingered, onStopped, onEmptied,
	}
)

// neverSent reports whether no message with the trigger reaches a lane in the
// state: one without events has no requests, and one that lingers or parks no
// fetch either.
func neverSent(in state, on trigger) bool {
	waiting := in == lingering || in == parking
	switch on {
	case onAnswered, onFetched, onFetchFailed:
		return waiting || in == ended
	case onRefused:
		return in == lingering || in == ended
	case onEmptied:
		return true // never sent, but part of a step
	default:
		return in == ended
	}
}

func TestLaneStepsCoverAllTransitions(t *testing.T) {
	t.Parallel()
	type pair struct {
		state
		trigger
	}
	sent, taken := map[pair]bool{}, map[transition]bool{}
	for _, c := range laneSteps {
		r := newRig()
		for _, m := range givens[c.given] {
			r.send(m(r))
		}
		m := c.message(r)
		sent[pair{r.state, m.on()}] = true
		for _, transition := range r.trace(m) {
			taken[transition] = true
		}
	}
	for _, in := range states {
		for _, on := range triggers {
			if !sent[pair{in, on}] && !neverSent(in, on) {
				t.Errorf("laneSteps has no row for %s in state %s", on, in)
			}
		}
	}
	for _, transition := range transitions {
		if !taken[transition] {
			t.Errorf("laneSteps has no row for %+v", transition)
		}
	}
}

// trace does what step does, and returns the transitions on the way.
func (r *rig) trace(m message) (taken []transition) {
	fitting := func(on trigger) {
		for _, transition := range transitions {
			if transition.from == r.state && transition.on == on && r.holds(transition.when, r.surroundings) {
				taken = append(taken, transition)
				return
			}
		}
	}
	r.record(m, r.surroundings)
	fitting(m.on())
	r.move(m.on(), r.surroundings)
	r.act(r.surroundings)
	if r.emptied() {
		fitting(onEmptied)
	}
	return taken
}

// TestLaneReadsAhead: the next fetch begins behind a full one, is larger, and is
// started when half of what was fetched is left. After the last one it begins in
// front again, and so it does for a changed endpoint.
func TestLaneReadsAhead(t *testing.T) {
	t.Parallel()
	full := make([]string, minAhead)
	for i := range full {
		full[i] = fmt.Sprintf("e%02d", i)
	}
	for name, last := range map[string][]struct {
		message input
		fetch   string // the last command
	}{
		"to the end": {
			{finds(full...), "fetch 40 behind e19"},
			{finds("f"), "fetch 61"},
			{finds(), ""},
		},
		"changed": {
			{finds(full...), "fetch 40 behind e19"},
			{just(onChanged), ""},
			{finds("f"), "fetch 60"},
		},
	} {
		r := newRig()
		r.send(onWoken)
		for i, c := range last {
			if commands := r.send(c.message(r)); !strings.HasSuffix(commands, c.fetch) || c.fetch == "" && commands != "" {
				t.Errorf("%s: got commands %q after message %d, want the last to be %q", name, commands, i, c.fetch)
			}
		}
	}
}

// TestLaneRequestsAtOnce: the slower an endpoint is, the fewer requests it gets, and
// never more than may fail before the breaker opens.
func TestLaneRequestsAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pace, failures      int64 // of the endpoint
		underWay, unwritten int   // requests, and failed requests
		silent, others      int   // beats, and permits in use by other lanes
		want                int
		probe               bool
	}{
		{pace: 1, want: 10},
		{pace: 1, underWay: 10, want: 0},
		{pace: 1, underWay: 4, unwritten: 3, want: 3},
		{pace: 1, failures: 7, want: 3},
		{pace: 1, failures: 7, underWay: 2, unwritten: 1, want: 0},
		{pace: 1, failures: 9, want: 1},
		{pace: 1, failures: 10, want: 1, probe: true},
		{pace: 1, failures: 12, underWay: 1, want: 0, probe: true},
		{pace: 1, failures: 12, unwritten: 1, want: 0, probe: true},
		{pace: 0, want: 1},
		{pace: 0, underWay: 1, want: 0},
		{pace: 2, want: 5},
		{pace: 2, underWay: 4, want: 1},
		{pace: 3, want: 3},
		{pace: 6, want: 1},
		{pace: 15, want: 1},
		{pace: 1, underWay: 4, silent: 1, want: 6},
		{pace: 1, underWay: 4, silent: 2, want: 0},
		{pace: 1, others: rigPermits / 2, want: 1},
		{pace: 1, others: rigPermits / 2, underWay: 1, want: 0},
	} {
		r := newRig()
		r.permits.add(Quick, c.others)
		r.endpoint.Failures, r.events.underWay, r.events.failures, r.pace, r.silent = c.failures, c.underWay, c.unwritten,
			c.pace, c.silent
		if got, probe := r.free(r.surroundings); max(0, got) != c.want || probe != c.probe {
			t.Errorf("%+v: got %d, probe %v", c, got, probe)
		}
	}
}

// newRigAt returns a rig whose endpoint has the pace.
func newRigAt(pace int64) *rig {
	r := newRig()
	r.permits = newPermits(rigPermits)
	r.lane = newLane(r.leased(func(e *Endpoint) { e.Pace = pace }), false)
	r.permits.begin(r.speed)
	return r
}

// slowly makes the request of an answer last 14 s.
func slowly(m input) input {
	return func(r *rig) message {
		answer := m(r).(answered)
		answer.request.lasted = 14 * time.Second
		return answer
	}
}

// permitSteps are histories of lanes that share permits, from the first message on.
var permitSteps = map[string]struct {
	pace  int64
	steps []permitStep
}{
	"an untried endpoint gets one request, and more once it has answered": {0, []permitStep{
		{finds("a", "b", "c"), "start a", Untried, 1},
		{answers("a", 200), "report a, start b, start c", Quick, 2},
		{answers("b", 200), "report b", Quick, 1},
	}},
	"an untried endpoint that answers slowly is slow": {0, []permitStep{
		{finds("a", "b"), "start a", Untried, 1},
		{slowly(answers("a", 200)), "report a, start b", Slow, 1},
	}},
	"a slow endpoint yields when another waits": {14, []permitStep{
		{finds("a", "b"), "start a", Slow, 1},
		{awaited(Slow, answers("a", 200)), "report a", Slow, 1},
		{settles(nil, "a"), "park, yielding", Slow, 1},
	}},
	"a slow endpoint has its turn before it yields": {14, []permitStep{
		{awaited(Slow, finds("a", "b")), "start a", Slow, 1},
	}},
	"a slow endpoint goes on when none waits": {14, []permitStep{
		{finds("a", "b"), "start a", Slow, 1},
		{slowly(answers("a", 200)), "report a, start b", Slow, 1},
	}},
	"an endpoint that has become slow yields if slow ones have too many slots": {1, []permitStep{
		{crowdOf(Slow, rigPermits/share, finds("a", "b")), "start a, start b", Quick, 2},
		{slowly(answers("a", 200)), "report a", Slow, 1 + rigPermits/share},
	}},
	"no further slots while others wait": {1, []permitStep{
		{awaited(Quick, finds("a", "b")), "start a", Quick, 1},
	}},
	"no slot left": {1, []permitStep{
		{crowdOf(Slow, rigPermits-3, finds("a", "b", "c")), "start a", Quick, 1}, // crowded
	}},
	"nothing more for an endpoint that is silent": {1, []permitStep{
		{finds("a"), "start a", Quick, 1},
		{just(onBeat), "", Quick, 1},
		{just(onBeat), "", Quick, 1},
		{just(onWoken), "fetch 21", Quick, 1},
		{finds("b"), "", Quick, 1},
		{answers("a", 200), "report a, start b", Quick, 1},
	}},
	"what is damaged says nothing about the endpoint": {0, []permitStep{
		{findsDamaged("a"), "start a", Untried, 1},
		{slowly(answers("a", 0)), "report a", Untried, 1},
	}},
}

type permitStep struct {
	message  input
	commands string
	speed    Speed // of the lane afterwards
	used     int   // permits of the speed
}

func TestLaneSharesPermits(t *testing.T) {
	t.Parallel()
	for name, c := range permitSteps {
		r := newRigAt(c.pace)
		r.send(onWoken)
		for i, step := range c.steps {
			commands := r.send(step.message(r))
			if used := r.permits.counts()[step.speed]; commands != step.commands || r.speed != step.speed || used != step.used {
				t.Errorf("%s: message %d: got commands %q, speed %s and %d slots, want %q, %s and %d",
					name, i, commands, r.speed, used, step.commands, step.speed, step.used)
			}
		}
	}
}

// awaited lets endpoints of a speed wait for a lane before a message.
func awaited(speed Speed, m input) input {
	return func(r *rig) message {
		r.permits.await(speed, true)
		return m(r)
	}
}

// crowdOf lets other lanes use permits before a message.
func crowdOf(speed Speed, permits int, m input) input {
	return func(r *rig) message {
		r.permits.add(speed, permits)
		return m(r)
	}
}

func findsDamaged(id string) input {
	return func(r *rig) message {
		m := finds(id)(r).(fetched)
		m.due[0].Damaged = true
		return m
	}
}
