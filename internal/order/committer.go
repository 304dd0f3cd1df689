package order

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// committer settles every command that waits in one transaction. There is no
// timer: while one commit is on its way to disk, the next group gathers. This is
// the one performance idea of the service.
type committer struct {
	store    Store
	announce func(partnerIDs ...string)
	created  func(partnerIDs ...string)
	observer Observer
	queue    chan *waiting
	closing  chan struct{} // closed to stop
	stopped  chan struct{} // closed when the queue is no longer read
	done     sync.WaitGroup
}

// waiting is a command and the place where its caller waits for the outcome.
type waiting struct {
	left    <-chan struct{} // closed when the caller's context ends
	since   time.Time       // when it was submitted
	command command
	outcome chan outcome // buffered, so that a caller who has left does not block the committer
}

// abandoned reports whether the caller no longer waits.
func (w *waiting) abandoned() bool {
	select {
	case <-w.left:
		return true
	default:
		return false
	}
}

const (
	// maxGroup bounds a transaction: large enough to share one fsync among all
	// that can wait at the same time, small enough that no command waits long for
	// the others.
	maxGroup = 256
	// maxRaces is how often a group is decided again because other nodes
	// changed the same rows.
	maxRaces = 10
)

// newCommitter starts the given number of writers. An engine with one writer
// connection gets one.
func newCommitter(config Config) *committer {
	c := makeCommitter(config)
	for range config.Writers {
		c.done.Go(c.run)
	}
	return c
}

// newCommitterByPartner starts a committer each of whose transactions concerns one
// partner.
func newCommitterByPartner(config Config) *committer {
	c := makeCommitter(config)
	c.done.Go(c.deal)
	return c
}

func makeCommitter(config Config) *committer {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	return &committer{
		store: config.Store, announce: config.Announce, created: config.Created, observer: config.Observer, queue: make(chan *waiting, 4*maxGroup),
		closing: make(chan struct{}), stopped: make(chan struct{}),
	}
}

// close settles what waits and stops. Commands submitted later are refused.
func (c *committer) close() {
	close(c.closing)
	c.done.Wait()
	close(c.stopped)
}

var errBusy = refusal.New(refusal.CodeUnavailable, "the service could not settle the request in time; retry it with the same Idempotency-Key")

// submit waits until the command is settled, durably if it was admitted. If ctx
// ends first, the command may still be carried out; a retry with the same key
// returns its outcome.
func (c *committer) submit(ctx context.Context, cmd command) outcome {
	w := &waiting{left: ctx.Done(), since: time.Now(), command: cmd, outcome: make(chan outcome, 1)}
	select {
	case c.queue <- w:
	case <-ctx.Done():
		return refused(errBusy)
	case <-c.closing:
		return refused(errBusy)
	}
	select {
	case settled := <-w.outcome:
		return settled
	case <-ctx.Done():
		return refused(errBusy)
	case <-c.stopped:
	}
	// It was settled by the last group, or came too late for it.
	select {
	case settled := <-w.outcome:
		return settled
	default:
		return refused(errBusy)
	}
}

func (c *committer) run() {
	for {
		select {
		case first := <-c.queue:
			c.settle(c.gather(first))
		case <-c.closing:
			select {
			case first := <-c.queue: // still waiting
				c.settle(c.gather(first))
			default:
				return
			}
		}
	}
}

// gather takes whatever else waits right now. Batches count for their orders,
// so that a group exceeds maxGroup by one batch at most.
func (c *committer) gather(first *waiting) []*waiting {
	group := []*waiting{first}
	for weight := weightOf(first.command); weight < maxGroup; {
		select {
		case next := <-c.queue:
			group = append(group, next)
			weight += weightOf(next.command)
		default:
			return group
		}
	}
	return group
}

func weightOf(cmd command) int {
	if batch, ok := cmd.(*batchCommand); ok {
		return len(batch.parts)
	}
	return 1
}

// settle settles a group that has just been formed.
func (c *committer) settle(group []*waiting) {
	now := time.Now()
	for _, w := range group {
		c.observer.Waited(now.Sub(w.since))
	}
	c.settleTogether(group)
}

var errAbandoned = errors.New("the caller had gone before the command was tried")

// settleTogether commits a group and answers all its callers. If the database
// refuses the group as a whole, its commands are tried one by one, so that one that
// cannot be stored does not fail its neighbours.
func (c *committer) settleTogether(group []*waiting) {
	// A caller that has left got an answer that promises nothing, so its command
	// need not be carried out.
	group = slices.DeleteFunc(group, func(w *waiting) bool {
		gone := w.abandoned()
		if gone {
			report(c.observer, w.command, refused(errAbandoned))
		}
		return gone
	})
	if len(group) == 0 {
		return
	}
	outcomes, err := c.commit(group)
	switch {
	case err == nil:
		for i, w := range group {
			c.answer(w, outcomes[i])
		}
	case len(group) == 1 || errors.Is(err, refusal.ErrUnreachable):
		for _, w := range group {
			c.answer(w, refused(err))
		}
	default:
		for _, w := range group {
			c.settleTogether([]*waiting{w})
		}
	}
}

// answer hands a command's outcome to its caller.
func (c *committer) answer(w *waiting, settled outcome) {
	report(c.observer, w.command, settled)
	w.outcome <- settled
}

const (
	// tryTimeout bounds one try at a transaction. The group outlives every
	// single request in it, so that no request's limit can be its own.
	tryTimeout = 10 * time.Second
	// patience is how long a group waits for a database that cannot be reached.
	patience = 20 * time.Second
	// pause is how long it waits at first; each further time is twice as long,
	// up to maxPause, so that no caller waits long once the database is back.
	pause    = 20 * time.Millisecond
	maxPause = 500 * time.Millisecond
)

// commit settles a group in one transaction. If other nodes changed the same rows,
// or the connection was lost, it reads and decides again: what an earlier try has
// committed is then found under its idempotency keys and event ids.
func (c *committer) commit(group []*waiting) (outcomes []outcome, err error) {
	start := time.Now()
	var tried Group
	defer func() {
		tried.Took = time.Since(start)
		c.observer.Committed(tried)
	}()
	commands := make([]command, len(group))
	for i, w := range group {
		commands[i] = w.command
		tried.Commands += weightOf(w.command)
	}
	needs := needsOf(commands)
	wait := pause
	for deadline := start.Add(patience); ; {
		outcomes, err = c.try(commands, needs)
		switch {
		case errors.Is(err, ErrRaced) && tried.Races < maxRaces:
			tried.Races++
			continue
		case errors.Is(err, refusal.ErrUnreachable) && time.Now().Before(deadline):
			tried.Retries++
			time.Sleep(wait)
			wait = min(2*wait, maxPause)
			continue
		case err != nil:
			return nil, fmt.Errorf("commit a group of %d: %w", len(group), err)
		}
		return outcomes, nil
	}
}

func (c *committer) try(commands []command, needs *Needs) (outcomes []outcome, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), tryTimeout)
	defer cancel()
	// No handler's recover reaches this goroutine. A command that panics is then
	// found by trying one by one, and fails alone.
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	var changes *Changes
	err = c.store.Write(ctx, func(tx Writer) error {
		state, err := tx.Load(ctx, needs)
		if err != nil {
			return err
		}
		outcomes, changes = decideGroup(state, commands)
		if changes.empty() {
			return nil
		}
		return Apply(ctx, tx, changes)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: %w", refusal.ErrUnreachable, err)
	}
	if err == nil {
		c.wake(changes)
	}
	return outcomes, err
}

// wake wakes the sender and the acceptor for what has been committed.
func (c *committer) wake(changes *Changes) {
	if c.announce != nil {
		c.announce(changes.Announced()...)
	}
	if c.created != nil && len(changes.Created) > 0 {
		c.created(changes.creators()...)
	}
}

// creators returns the partners whose orders were created, once each.
func (c *Changes) creators() (partnerIDs []string) {
	for _, created := range c.Created {
		if id := created.Order.PartnerID; !slices.Contains(partnerIDs, id) {
			partnerIDs = append(partnerIDs, id)
		}
	}
	return partnerIDs
}

func (c *Changes) empty() bool {
	return len(c.Created) == 0 && len(c.Changed) == 0 && len(c.Receipts) == 0
}
