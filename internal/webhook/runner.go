package webhook

import (
	"context"
	"math"
	"time"

	"github.com/dropyard/dropyard/internal/outbox"
)

// runner runs a lane: it hands the lane the messages of its inbox, and does what
// the lane commands.
type runner struct {
	// These fields do not change; every goroutine may use them.
	sender   *Sender
	key      outbox.EndpointKey
	holder   string // the name of the lane's lease
	inbox    *inbox[message]
	requests chan *request // to the workers

	numbers laneNumbers // of the lane, after its last step

	// These belong to the goroutine that calls run. No other uses them.
	lane     *lane
	workers  int         // how many have been started
	lingered *time.Timer // sends onLingered; nil before the lane has lingered
}

func newRunner(s *Sender, endpoint *Endpoint) *runner {
	return &runner{
		sender: s, key: endpoint.Key(), holder: endpoint.Holder,
		inbox: newInbox[message](), requests: make(chan *request, maxInFlight),
		lane: newLane(endpoint, s.config.Shared),
	}
}

// run returns when the lane has ended. The end of ctx breaks off fetches, but no
// requests.
func (r *runner) run(ctx context.Context) {
	defer close(r.requests)
	defer func() { r.sender.permits.end(r.lane.speed) }()
	stop := make(chan struct{})
	defer close(stop)
	go r.watch(stop)
	for r.inbox.put(onWoken); r.lane.state != ended; {
		<-r.inbox.ready
		r.step(ctx, r.inbox.take(math.MaxInt))
	}
}

// watch turns beats and the closing of the sender into messages.
func (r *runner) watch(stop <-chan struct{}) {
	for closing := r.sender.closing; ; {
		select {
		case <-r.sender.beat():
			r.inbox.putOnce(onBeat)
		case <-closing:
			closing = nil
			r.inbox.put(onStopped)
		case <-stop:
			return
		}
	}
}

// step hands the lane messages, and does what it commands after each.
func (r *runner) step(ctx context.Context, messages []message) {
	from := r.lane.state
	s := surroundings{now: r.sender.now(), permits: r.sender.permits, held: r.sender.config.Held()}
	for _, m := range messages {
		for _, c := range r.lane.step(m, s) {
			c.do(ctx, r)
		}
	}
	if r.lane.state != from {
		r.linger()
	}
	r.numbers.publish(r.lane)
}

// linger starts the timer that sends onLingered if the lane has begun to linger, and
// stops it if the lane no longer does.
func (r *runner) linger() {
	if r.lingered != nil {
		r.lingered.Stop()
	}
	if r.lane.state == lingering {
		r.lingered = time.AfterFunc(linger, func() { r.inbox.put(onLingered) })
	}
}

// do hands the request to a worker. One is free, or can be started: there are
// never more requests under way than the lane allows.
func (c start) do(ctx context.Context, r *runner) {
	if r.workers < r.lane.events.underWay {
		r.workers++
		go r.work(context.WithoutCancel(ctx))
	}
	r.requests <- c.request
}

// work posts one request after the other until the lane has ended.
func (r *runner) work(ctx context.Context) {
	for request := range r.requests {
		r.sender.post(ctx, request)
		r.inbox.put(answered{request})
	}
}

func (c report) do(_ context.Context, r *runner) {
	r.sender.settler.notes.put(note{lane: r, request: c.request})
}

func (renew) do(_ context.Context, r *runner) {
	r.sender.settler.notes.put(note{lane: r})
}

func (c park) do(_ context.Context, r *runner) {
	r.sender.settler.notes.put(note{lane: r, parks: true, yields: c.yields})
}

// do reads in a goroutine of its own.
func (c fetch) do(ctx context.Context, r *runner) {
	go func() {
		m, err := c.read(ctx, r)
		if err == nil {
			r.inbox.put(m)
			return
		}
		if !r.sender.isClosing() {
			r.sender.config.Log.Error("events not read, trying again soon", "partner_id", r.key.PartnerID,
				"endpoint_id", r.key.EndpointID, "error", err)
		}
		r.inbox.put(onFetchFailed)
	}()
}

func (c fetch) read(ctx context.Context, r *runner) (fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	m := fetched{fetch: c}
	err := r.sender.config.Store.Read(ctx, func(tx Reader) (err error) {
		if m.endpoint, err = tx.Endpoint(ctx, r.key); err != nil {
			return err
		}
		m.due, err = tx.DueEvents(ctx, r.key, c.after, r.sender.now(), c.limit)
		return err
	})
	return m, err
}
