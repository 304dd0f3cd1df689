package webhook

// state is what a lane is doing.
type state string

const (
	// looking: the lane reads the endpoint and what is due, and sends nothing
	// until it has.
	looking state = "looking"
	// sending: the lane sends what is ready, and reads more ahead.
	sending state = "sending"
	// lingering: nothing is left to send; the lane waits a moment for another event.
	lingering state = "lingering"
	// resting: the database could not be read, or refused outcomes; the lane waits
	// before it tries again.
	resting state = "resting"
	// draining: the endpoint may not be sent to; the lane waits until requests
	// under way are answered and their outcomes are settled.
	draining state = "draining"
	// parking: the lane has asked the settler to free the endpoint, and waits for
	// the reply.
	parking state = "parking"
	// ended: the endpoint belongs to no lane, or to another one.
	ended state = "ended"
)

// trigger is what happens to a lane.
type trigger string

const (
	onWoken       trigger = "woken"       // something may have become due
	onChanged     trigger = "changed"     // the partner has changed the endpoint
	onAnswered    trigger = "answered"    // a request has ended
	onFetched     trigger = "fetched"     // a fetch has ended
	onFetchFailed trigger = "fetchFailed" // a fetch has ended with an error
	onSettled     trigger = "settled"     // outcomes, or a renewal of the lease, are written
	onRefused     trigger = "refused"     // the database did not accept outcomes, or the parking
	onKept        trigger = "kept"        // reply to parking: something is due
	onParked      trigger = "parked"      // reply to parking: the endpoint is free, or leased to another lane
	onBeat        trigger = "beat"        // comes every lookEvery
	onLingered    trigger = "lingered"    // the time to linger is over
	onStopped     trigger = "stopped"     // the sender closes
	// onEmptied follows any other trigger, in the same step, after which a lane that
	// sends or drains has nothing left: no event, no fetch under way, none to start.
	onEmptied trigger = "emptied"
)

// condition is what must hold for a transition.
type condition string

const (
	always     condition = ""
	maySend    condition = "may send" // as the method of lane reports
	mayNotSend condition = "may not send"
	outdated   condition = "outdated" // the endpoint has changed since the fetch was started
	rested     condition = "rested"   // the time to rest is over
	shared     condition = "shared"   // other nodes write to the same database
	crowded    condition = "crowded"  // there are too many lanes for one to linger
	notCrowded condition = "not crowded"
	closing    condition = "closing" // the sender closes
	notClosing condition = "not closing"
)

// transition leads from one state to another.
type transition struct {
	from state
	on   trigger
	when condition
	to   state
}

// transitions are all there are. The first one that fits counts; if none fits,
// the lane stays in its state. docs/architecture.md has the picture.
var transitions = [...]transition{
	{looking, onFetched, outdated, looking},
	{looking, onFetched, maySend, sending},
	{looking, onFetched, mayNotSend, draining},
	{looking, onFetchFailed, always, resting},
	{looking, onRefused, always, resting},
	{looking, onStopped, always, draining},

	{sending, onChanged, always, looking},
	{sending, onEmptied, crowded, parking},
	{sending, onEmptied, notCrowded, lingering},
	{sending, onRefused, always, resting},
	{sending, onFetched, mayNotSend, draining},
	{sending, onSettled, mayNotSend, draining},
	{sending, onBeat, mayNotSend, draining},
	{sending, onStopped, always, draining},

	{lingering, onWoken, always, looking},
	{lingering, onChanged, always, looking},
	{lingering, onBeat, shared, looking},
	{lingering, onLingered, always, parking},
	{lingering, onStopped, always, parking},

	{resting, onBeat, rested, looking},
	{resting, onStopped, always, draining},

	{draining, onSettled, maySend, looking},
	{draining, onRefused, notClosing, resting},
	{draining, onEmptied, always, parking},

	{parking, onParked, always, ended},
	{parking, onKept, notClosing, looking},
	{parking, onKept, closing, draining},
	{parking, onRefused, notClosing, resting},
	{parking, onRefused, closing, draining},
}

// next returns the state that follows a trigger. holds reports whether a condition's
// condition is true.
func next(from state, on trigger, holds func(condition) bool) state {
	for _, t := range transitions {
		if t.from == from && t.on == on && (t.when == always || holds(t.when)) {
			return t.to
		}
	}
	return from
}
