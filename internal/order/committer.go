package order

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/outbox"
)

// committer settles every command that waits in one transaction. There is no
// timer: while one commit is on its way to disk, the next group gathers. This is
// the one performance idea of the service. Within a group, and from one group to
// the next, partners take turns.
type committer struct {
	store    Store
	warmer   Warmer // nil if the store is none
	announce func(keys ...outbox.EndpointKey)
	created  func(partnerIDs ...string)
	// committed is Config.Committed.
	committed func(shown []*board.Row, ended []OrderKey)
	written   func(keys []OrderKey) // is Config.Written
	observer  Observer
	tracer    *tracing.Tracer // nil records nothing
	random    io.Reader       // for the ids of events of products
	// byPartner means that each transaction concerns one partner.
	byPartner bool
	zones     zones
	done      sync.WaitGroup

	mu    sync.Mutex
	queue fair.Queue[*waiting] // what waits, by partner; guarded by mu
	// busy has the partners whose groups are settled beside the others'; guarded by mu.
	// Their commands wait for the next group: of deal, or of alone.
	busy map[string]bool
	// blocked has the partners that were set aside and found blocked, and since when;
	// guarded by mu.
	blocked map[string]time.Time
	began   time.Time // when run began to settle the current group, or zero; guarded by mu
	closed  bool      // guarded by mu
	// tries has a place for each transaction of a partner that is set aside.
	tries chan struct{}
	// more is signalled when a group may be formed: its lock is mu.
	more sync.Cond
}

// waiting is a command and the place where its caller waits for the outcome.
type waiting struct {
	left      <-chan struct{} // closed when the caller's context ends
	since     time.Time       // when it was submitted
	partnerID string
	command   command
	outcome   chan outcome // buffered, so that a caller who has left does not block the committer
	spans     spans
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
	// maxOfBatches bounds the orders of batches in a group. It is what they make the
	// other commands of the group wait for: some 3 ms.
	maxOfBatches = 32
	// maxRaces is how often a group is decided again because other nodes
	// changed the same rows.
	maxRaces = 10
)

// startCommitter starts a committer that runs until close. It forms one group at a time,
// or one of each partner if transactions concern one partner only. A second group at a
// time was measured to be worse on every engine: two smaller groups wait for each other's
// stock, and cost more than one (decision 34).
func startCommitter(config Config) *committer {
	c := newCommitter(config)
	if config.ByPartner {
		c.done.Go(c.deal)
	} else {
		c.done.Go(c.run)
	}
	return c
}

// newCommitter returns a committer that does not run yet.
func newCommitter(config Config) *committer {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	c := &committer{
		store: config.Store, announce: config.Announce, created: config.Created, committed: config.Committed,
		written: config.Written, observer: config.Observer, tracer: config.Tracer, random: config.Random,
		byPartner: config.ByPartner, zones: config.zones(),
		busy: map[string]bool{}, blocked: map[string]time.Time{}, tries: make(chan struct{}, asideAtOnce),
	}
	c.warmer, _ = config.Store.(Warmer)
	c.more.L = &c.mu
	return c
}

// close settles what waits and stops. Commands submitted later are refused.
func (c *committer) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.more.Broadcast()
	c.done.Wait()
}

var errBusy = refusal.New(refusal.CodeUnavailable,
	"the service could not settle the request in time; retry it with the same Idempotency-Key")

// submit waits until the command is settled, durably if it was admitted. If ctx
// ends first, the command may still be carried out; a retry with the same key
// returns its outcome.
func (c *committer) submit(ctx context.Context, cmd command) outcome {
	if by := actor.Of(ctx); by != nil {
		cmd = &actedCommand{cmd, by}
	}
	if c.warmer != nil && c.warmer.Cold() {
		c.warmer.Warm(ctx, needsOf([]command{cmd}))
	}
	w := &waiting{left: ctx.Done(), since: time.Now(), partnerID: cmd.partner(), command: cmd, outcome: make(chan outcome,
		1)}
	w.spans = c.submitted(ctx)
	if w.abandoned() || !c.add(w) {
		return refused(errBusy)
	}
	select {
	case settled := <-w.outcome:
		return settled
	case <-w.left:
		c.withdraw(w)
		return refused(errBusy)
	}
}

// add lets a command wait for a group. It reports false if the committer is closed.
func (c *committer) add(w *waiting) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.queue.Add(w.partnerID, w)
	c.more.Signal()
	return true
}

// withdraw removes a command whose caller has left, unless its group has been
// formed. So the queue holds the commands of callers only, and stays small while
// the database cannot be reached.
func (c *committer) withdraw(w *waiting) {
	c.mu.Lock()
	waited := c.queue.Withdraw(w.partnerID, w)
	c.mu.Unlock()
	if waited {
		w.spans.stage.End()
		report(c.observer, w.command, refused(errAbandoned))
	}
}

func (c *committer) run() {
	for group := c.next(); group != nil; group = c.next() {
		c.setBegan(time.Now())
		c.settle(group, common)
		c.setBegan(time.Time{})
	}
}

func (c *committer) setBegan(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.began = at
}

// next waits for commands and returns a group of them. It returns nil once the
// committer is closed and nothing waits.
func (c *committer) next() []*waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if group := c.gather(); group != nil {
			return group
		}
		if c.closed && c.queue.Empty() {
			return nil
		}
		c.more.Wait()
	}
}

// gather takes what waits right now, one command of each partner after the other,
// up to the bounds of a group. A batch waits for the next group if its orders do
// not fit. The caller holds mu.
func (c *committer) gather() []*waiting {
	return c.gatherOf(func(partnerID string, group []*waiting) bool {
		return !c.busy[partnerID] && (!c.byPartner || len(group) == 0 || group[0].partnerID == partnerID)
	})
}

// gatherOf does so with the partners that admitted reports for the group so far.
func (c *committer) gatherOf(admitted func(partnerID string, group []*waiting) bool) (group []*waiting) {
	total, ofBatches := 0, 0
	admits := func(partnerID string, w *waiting) bool {
		weight := weightOf(w.command)
		return admitted(partnerID, group) && (weight == 1 || ofBatches+weight <= maxOfBatches)
	}
	for total < maxGroup {
		w, ok := c.queue.Next(admits)
		if !ok {
			break
		}
		group = append(group, w)
		weight := weightOf(w.command)
		total += weight
		if weight > 1 {
			ofBatches += weight
		}
	}
	return group
}

func weightOf(cmd command) int {
	if batch, ok := bare(cmd).(*batchCommand); ok {
		return len(batch.parts)
	}
	return 1
}

// settle settles a group that has just been formed.
func (c *committer) settle(group []*waiting, by way) {
	now := time.Now()
	for _, w := range group {
		c.observer.Waited(now.Sub(w.since))
		w.spans.stage.End()
	}
	c.settleTogether(group, by)
}

// way says how a group is committed.
type way int

const (
	common way = iota // with other partners' commands: it waits for no lock for long
	aside             // only one partner's: it waits as long as callers do
)

var errAbandoned = errors.New("the caller had gone before the command was tried")

// settleTogether commits a group and answers all its callers. If the database
// refuses the group as a whole, its commands are tried one by one, so that one that
// cannot be stored does not fail its neighbours.
func (c *committer) settleTogether(group []*waiting, by way) {
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
	outcomes, err := c.commit(group, by)
	isBlocked := errors.Is(err, refusal.ErrBlocked)
	switch {
	case err == nil:
		for i, w := range group {
			c.answer(w, outcomes[i])
		}
	case isBlocked && by == common && !c.byPartner:
		c.setAside(group)
	case len(group) == 1 || isBlocked || errors.Is(err, refusal.ErrUnreachable):
		for _, w := range group {
			c.answer(w, refused(err))
		}
	default:
		for _, w := range group {
			c.settleTogether([]*waiting{w}, by)
		}
	}
}

// answer hands a command's outcome to its caller.
func (c *committer) answer(w *waiting, settled outcome) {
	report(c.observer, w.command, settled)
	w.spans.stage.End() // before its caller ends the span of the request
	w.outcome <- settled
}

const (
	// firstTry bounds the first try at a transaction, whose connection may be cut off
	// without a sign. Each further one gets twice as long, up to tryTimeout, because a
	// database may be slow. The group outlives every single request in it, so that no
	// request's limit can be its own.
	firstTry   = 2 * time.Second
	tryTimeout = 10 * time.Second
	// patience is how long a group waits for a part of the database that cannot be
	// reached, or one that is set aside for locks. If all of the database is down, the
	// store ends the wait earlier.
	patience = 20 * time.Second
	// pause is how long it waits at first; each further time is twice as long,
	// up to maxPause, so that no caller waits long once the database is back.
	pause    = 20 * time.Millisecond
	maxPause = 500 * time.Millisecond
)

// commit settles a group in one transaction. If other nodes changed the same rows,
// or the connection was lost, it reads and decides again: what an earlier try has
// committed is then found under its idempotency keys and event ids.
func (c *committer) commit(group []*waiting, by way) (outcomes []outcome, err error) {
	start := time.Now()
	var tried Group
	ctx, span := c.grouped(group)
	defer func() {
		endGroup(span, tried, err)
		tried.Took = time.Since(start)
		c.observer.Committed(tried)
	}()
	commands := make([]command, len(group))
	for i, w := range group {
		commands[i] = w.command
		tried.Commands += weightOf(w.command)
	}
	needs := needsOf(commands)
	wait, limit := pause, firstTry
	if by == aside {
		needs.LockWait = asideLockWait
	}
	for deadline := start.Add(patience); ; {
		outcomes, err = c.tryBy(ctx, by, commands, needs, limit)
		isBlocked := errors.Is(err, refusal.ErrBlocked)
		if by == aside {
			c.setBlocked(group[0].partnerID, isBlocked)
		}
		switch {
		case errors.Is(err, ErrRaced) && tried.Races < maxRaces:
			tried.Races++
			continue
		case isBlocked:
			tried.Blocked++
			if by == common && !c.byPartner || time.Now().After(deadline) || abandonedAll(group) {
				return nil, err
			}
			time.Sleep(wait)
			wait = min(2*wait, maxPause)
			continue
		case worthWaiting(err) && time.Now().Before(deadline):
			tried.Retries++
			if errors.Is(err, context.DeadlineExceeded) {
				limit = min(2*limit, tryTimeout)
			}
			time.Sleep(wait)
			wait = min(2*wait, maxPause)
			continue
		case err != nil:
			return nil, fmt.Errorf("commit a group of %d: %w", len(group), err)
		}
		return outcomes, nil
	}
}

// worthWaiting reports whether the database cannot be reached now, but may be soon. A full
// disk is not: callers would wait in vain, and every order behind them.
func worthWaiting(err error) bool {
	return errors.Is(err, refusal.ErrUnreachable) && !errors.Is(err, refusal.ErrDown) && !errors.Is(err, refusal.ErrFull)
}

func (c *committer) try(
	ctx context.Context, commands []command, needs *Needs, limit time.Duration,
) (outcomes []outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
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
		outcomes, changes = decideGroup(c.zones, state, commands)
		if changes.empty() {
			return nil
		}
		if err := outbox.Identify(c.random, changes.Events); err != nil {
			return err
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

// wake passes on what has been committed: to the sender, the acceptor, and the desks
// that follow the board.
func (c *committer) wake(changes *Changes) {
	if c.committed != nil {
		c.committed(changes.Shown, changes.Ended)
	}
	if c.written != nil {
		c.written(changes.written())
	}
	if c.announce != nil {
		c.announce(changes.Announced()...)
	}
	if c.created != nil && len(changes.Created) > 0 {
		c.created(changes.creators()...)
	}
}

// written returns the orders whose content was written.
func (c *Changes) written() (keys []OrderKey) {
	for _, created := range c.Created {
		keys = append(keys, OrderKey{created.Order.PartnerID, created.Order.OrderID})
	}
	for key, change := range c.Changed {
		if change.Document != nil {
			keys = append(keys, key)
		}
	}
	return keys
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
