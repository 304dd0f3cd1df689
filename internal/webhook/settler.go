package webhook

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
)

const (
	// maxNotes bounds a transaction.
	maxNotes = 512
	// tryTimeout bounds one attempt at a transaction.
	tryTimeout = 10 * time.Second
	// retryAfter is the pause before the next attempt when the database cannot be
	// reached.
	retryAfter = 200 * time.Millisecond
	// lastTries is how long a closing sender tries to reach the database before it
	// gives up what it has not written.
	lastTries = 10 * time.Second
	// After a transaction of manyNotes or more the settler waits for gatherFor, so
	// that more of those that follow share the next one. Where there are few, no
	// outcome waits.
	manyNotes = 24
	gatherFor = 10 * time.Millisecond
)

// note is what a lane asks the settler to write: the outcome of a request, or
// that the lane parks, or else only that its lease goes on.
type note struct {
	lane    *runner
	request *request // nil if the note is about none
	parks   bool
	yields  bool // it parks although something may be due
}

// settler writes the notes of all lanes of a node. It takes all that wait into one
// transaction, as the committer of orders does.
type settler struct {
	sender  *Sender
	notes   *inbox[note]
	closing chan struct{}
	giveUp  context.CancelFunc // ends waiting for the database
	done    sync.WaitGroup
}

func newSettler(s *Sender) *settler {
	ctx, giveUp := context.WithCancel(context.Background())
	t := &settler{sender: s, notes: newInbox[note](), closing: make(chan struct{}), giveUp: giveUp}
	t.done.Go(func() { t.run(ctx) })
	return t
}

// close returns when all notes are written. All lanes must have ended.
func (t *settler) close() {
	close(t.closing)
	t.done.Wait()
	t.giveUp()
}

func (t *settler) run(ctx context.Context) {
	for closing := false; !closing; {
		select {
		case <-t.notes.ready:
		case <-t.closing:
			closing = true
		}
		for notes := t.notes.take(maxNotes); len(notes) > 0; notes = t.notes.take(maxNotes) {
			t.settle(ctx, notes)
			if len(notes) >= manyNotes && len(notes) < maxNotes {
				time.Sleep(gatherFor)
			}
		}
	}
}

// settle writes notes and replies to their lanes. Notes that the database
// refuses together are written one by one, so that one does not fail the others.
func (t *settler) settle(ctx context.Context, notes []note) {
	written, err := t.persist(ctx, notes)
	switch {
	case err == nil:
		t.sender.config.Observer.GaveUp(written.givenUp)
		for lane, own := range byLane(notes) {
			written.reply(lane, own)
		}
	case len(notes) > 1 && !errors.Is(err, refusal.ErrUnreachable):
		for _, n := range notes {
			t.settle(ctx, []note{n})
		}
	default:
		t.sender.config.Log.Error("webhook attempts not written; they will be repeated", "count", len(notes), "error", err)
		for lane, own := range byLane(notes) {
			t.refuse(lane, own)
		}
	}
}

// byLane groups notes by their lanes.
func byLane(notes []note) map[*runner][]note {
	lanes := map[*runner][]note{}
	for _, n := range notes {
		lanes[n.lane] = append(lanes[n.lane], n)
	}
	return lanes
}

// requests returns the requests of notes, and whether their lane parks.
func requests(notes []note) (all []*request, parks bool) {
	for _, n := range notes {
		if n.request != nil {
			all = append(all, n.request)
		}
		parks = parks || n.parks
	}
	return all, parks
}

// written is the result of a transaction of the settler.
type written struct {
	endpoints map[outbox.EndpointKey]*Endpoint // as they are now
	freed     map[*runner]bool                 // the lanes that no longer have their endpoint
	givenUp   int                              // events that have failed
}

// reply sends a lane the outcome of its notes.
func (w written) reply(lane *runner, notes []note) {
	all, parks := requests(notes)
	lane.inbox.put(settled{endpoint: w.endpoints[lane.key], requests: all})
	switch {
	case parks && w.freed[lane]:
		lane.inbox.put(onParked)
	case parks:
		lane.inbox.put(onKept)
	}
}

// refuse replies that notes could not be written. A renewal gets no reply; the lane
// asks for the next one at its next beat. A lane that parks while the sender closes
// ends: its lease expires, or is dropped at the next start.
func (t *settler) refuse(lane *runner, notes []note) {
	all, parks := requests(notes)
	switch {
	case parks && t.sender.isClosing():
		lane.inbox.put(onParked)
	case parks || len(all) > 0:
		lane.inbox.put(refused{all})
	}
}

// persist writes notes. While the database cannot be reached, it tries again until
// ctx ends, because the outcomes are known nowhere else.
func (t *settler) persist(ctx context.Context, notes []note) (written, error) {
	for {
		w, err := t.write(ctx, notes)
		if !errors.Is(err, refusal.ErrUnreachable) || ctx.Err() != nil {
			return w, err
		}
		time.Sleep(retryAfter)
	}
}

// write writes notes in one transaction.
func (t *settler) write(ctx context.Context, notes []note) (w written, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	err = t.sender.config.Store.Write(ctx, func(tx Writer) error {
		b := newBatch(t.sender, notes)
		err := b.write(ctx, tx)
		w = b.written
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = errors.Join(refusal.ErrUnreachable, err)
	}
	return w, err
}
