package order

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/outbox"
)

// scripted is a store of receipts only, whose transactions fail as its fields say.
type scripted struct {
	Store                    // nil: nothing reads
	gate     chan struct{}   // when set, a transaction begins once it is closed
	faults   []error         // of the first transactions: nothing is committed
	always   error           // of those that follow
	poison   idempotency.Key // cannot be saved
	people   *actor.Standing // what is found of actors
	lost     int             // so many commits succeed, but ErrUnreachable is returned
	mu       sync.Mutex
	receipts map[idempotency.Key]*idempotency.Receipt // guarded by mu
	groups   []int                                    // sizes of the groups tried; guarded by mu
	actors   []int                                    // how many people they asked for; guarded by mu
}

func (s *scripted) Write(_ context.Context, fn func(Writer) error) error {
	if s.gate != nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := fn(s); err != nil {
		return err
	}
	if s.lost > 0 {
		s.lost--
		return fmt.Errorf("commit: %w", refusal.ErrUnreachable)
	}
	return nil
}

func (s *scripted) Load(_ context.Context, needs *Needs) (*State, error) {
	s.groups = append(s.groups, len(needs.Receipts))
	state := &State{Receipts: map[idempotency.Key]*idempotency.Receipt{}, Actors: s.people}
	s.actors = append(s.actors, len(needs.Actors))
	for _, key := range needs.Receipts {
		if found := s.receipts[key]; found != nil {
			state.Receipts[key] = found
		}
	}
	return state, nil
}

func (*scripted) LockQueues(context.Context, []string, []outbox.EventKey) (Queues, error) {
	return Queues{}, nil
}

func (s *scripted) Save(_ context.Context, changes *Changes) error {
	fault := s.always
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	if fault != nil {
		return fmt.Errorf("save: %w", fault)
	}
	for _, receipt := range changes.Receipts {
		if receipt.Key == s.poison {
			return errors.New("value out of range")
		}
	}
	if s.receipts == nil {
		s.receipts = map[idempotency.Key]*idempotency.Receipt{}
	}
	for _, receipt := range changes.Receipts {
		if s.receipts[receipt.Key] != nil {
			return errors.New("a receipt is kept twice")
		}
		s.receipts[receipt.Key] = receipt
	}
	return nil
}

func keyOf(number int) (key idempotency.Key) {
	key.PartnerID, key.Scope = "par_a", "POST /v1/orders"
	binary.BigEndian.PutUint64(key.UUID[:], uint64(number)+1)
	return key
}

// note is a command that keeps a receipt. Decided a second time on the same
// state, it would be a replay.
type note struct {
	number int
	panics bool
}

func (note) partner() string { return keyOf(0).PartnerID }

func (n note) needs(needs *Needs) { needs.Receipts = append(needs.Receipts, keyOf(n.number)) }

func (n note) decide(s *State, c *Changes) outcome {
	if again, ok := replay(s, idempotency.Request{Key: keyOf(n.number)}); ok {
		return again
	}
	if n.panics {
		panic("index out of range")
	}
	answer := fmt.Append(nil, "answer ", n.number)
	keep(s, c, &idempotency.Receipt{Request: idempotency.Request{Key: keyOf(n.number)}, Answer: answer})
	return outcome{answer: answer}
}

// together settles commands as one group, in a bubble: all wait before the
// writer starts.
func together(store Store, commands ...command) []outcome {
	c := newCommitter(Config{Store: store})
	outcomes, all := submitAll(context.Background(), c, commands...)
	c.done.Go(c.run)
	all.Wait()
	c.close()
	return outcomes
}

// submitAll submits commands one after the other and returns once all wait.
// The outcomes are there when the group has been waited for.
func submitAll(ctx context.Context, c *committer, commands ...command) ([]outcome, *sync.WaitGroup) {
	outcomes, all := make([]outcome, len(commands)), new(sync.WaitGroup)
	for i, cmd := range commands {
		all.Go(func() { outcomes[i] = c.submit(ctx, cmd) })
		synctest.Wait()
	}
	return outcomes, all
}

func notes(count int) []command {
	commands := make([]command, count)
	for i := range commands {
		commands[i] = note{number: i}
	}
	return commands
}

// checkSettled expects that every command but those named was carried out,
// once, and answered.
func checkSettled(t *testing.T, store *scripted, outcomes []outcome, but ...int) {
	t.Helper()
	for i, o := range outcomes {
		kept := store.receipts[keyOf(i)]
		if slices.Contains(but, i) {
			if o.err == nil || o.answer != nil || kept != nil {
				t.Errorf("command %d: got %+v and kept %+v, want an error and nothing", i, o, kept)
			}
			continue
		}
		if o.err != nil || o.replayed || string(o.answer) != fmt.Sprint("answer ", i) || kept == nil {
			t.Errorf("command %d: got %+v and kept %+v, want its own answer", i, o, kept)
		}
	}
}

func repeated(err error, times int) []error { return slices.Repeat([]error{err}, times) }

func TestRacedGroupIsDecidedAgain(t *testing.T) {
	t.Parallel()
	for _, races := range []int{0, 1, maxRaces} {
		t.Run(fmt.Sprint(races), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &scripted{faults: repeated(ErrRaced, races)}
				checkSettled(t, store, together(store, notes(3)...))
				if want := slices.Repeat([]int{3}, races+1); !slices.Equal(store.groups, want) {
					t.Errorf("got groups of %v, want %v", store.groups, want)
				}
			})
		})
	}
}

func TestTooManyRaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{always: ErrRaced}
		outcomes := together(store, notes(3)...)
		checkSettled(t, store, outcomes, 0, 1, 2)
		for _, o := range outcomes {
			if !errors.Is(o.err, ErrRaced) {
				t.Errorf("got %v, want the race", o.err)
			}
		}
		if want := (maxRaces + 1) * (1 + 3); len(store.groups) != want {
			t.Errorf("got %d tries, want %d: together, then one by one", len(store.groups), want)
		}
	})
}

func TestCommandThatCannotBeStoredFailsAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		store  *scripted
		panics bool
	}{
		"cannot be decided": {store: new(scripted), panics: true},
		"cannot be saved":   {store: &scripted{poison: keyOf(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				outcomes := together(c.store, note{number: 0}, note{number: 1, panics: c.panics}, note{number: 2})
				checkSettled(t, c.store, outcomes, 1)
				if refused := new(refusal.Error); errors.As(outcomes[1].err, &refused) {
					t.Errorf("got the refusal %v, want a fault of the service", refused)
				}
			})
		})
	}
}

// TestCommandOfARemovedPersonFailsAlone settles a group of signed requests, and of two
// people of whom one was removed meanwhile. Each person is looked up once.
func TestCommandOfARemovedPersonFailsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		by := func(id string) context.Context {
			person := actor.Person{Kind: actor.Operator, PersonID: id, Role: "dispatcher"}
			return actor.With(context.Background(),
				&actor.Actor{Person: person, Credential: actor.Credential{Token: "of " + id}})
		}
		store := &scripted{people: actor.NewStanding()}
		store.people.People["opr_stays"] = actor.Of(by("opr_stays")).Person
		store.people.Tokens["of opr_stays"], store.people.Tokens["of opr_gone"] = "opr_stays", "opr_gone"
		c := newCommitter(Config{Store: store})
		var all sync.WaitGroup
		outcomes := make([]outcome, 5)
		for i, ctx := range []context.Context{
			context.Background(), by("opr_stays"), by("opr_gone"), by("opr_stays"), context.Background(),
		} {
			all.Go(func() { outcomes[i] = c.submit(ctx, note{number: i}) })
			synctest.Wait()
		}
		c.done.Go(c.run)
		all.Wait()
		c.close()
		checkSettled(t, store, outcomes, 2)
		if err := outcomes[2].err; !errors.Is(err, actor.ErrEnded) {
			t.Errorf("got %v, want %v", err, actor.ErrEnded)
		}
		if len(store.groups) != 1 || store.actors[0] != 2 {
			t.Errorf("got groups of %v with %v people, want one with 2", store.groups, store.actors)
		}
	})
}

// TestSignedRequestsHaveNoActor settles a group without people, for which none are looked up.
func TestSignedRequestsHaveNoActor(t *testing.T) {
	t.Parallel()
	if got := needsOf(notes(3)).Actors; got != nil {
		t.Errorf("got the actors %v, want none", got)
	}
}

func TestCommitWaitsForDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{faults: repeated(refusal.ErrUnreachable, 3)}
		begin := time.Now()
		checkSettled(t, store, together(store, notes(3)...))
		if took := time.Since(begin); took != pause+2*pause+4*pause {
			t.Errorf("got an answer after %v, want it within the patience", took)
		}
	})
}

func TestCommitGivesUpOnDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{always: refusal.ErrUnreachable}
		begin := time.Now()
		outcomes := together(store, notes(3)...)
		checkSettled(t, store, outcomes, 0, 1, 2)
		for _, o := range outcomes {
			if !errors.Is(o.err, refusal.ErrUnreachable) {
				t.Errorf("got %v", o.err)
			}
		}
		if took := time.Since(begin); took < patience || took > 2*patience {
			t.Errorf("waited %v, want about %v and not for each", took, patience)
		}
	})
}

// TestCommitGivesUpAtOnce settles commands while the store knows that the database is
// down.
func TestCommitGivesUpAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{faults: repeated(refusal.ErrUnreachable, 2), always: refusal.ErrDown}
		begin := time.Now()
		outcomes := together(store, notes(3)...)
		checkSettled(t, store, outcomes, 0, 1, 2)
		for _, o := range outcomes {
			if !errors.Is(o.err, refusal.ErrDown) {
				t.Errorf("got %v, want ErrDown", o.err)
			}
		}
		if took := time.Since(begin); took != pause+2*pause || len(store.groups) != 3 {
			t.Errorf("got an answer after %v and %d tries, want no wait after the third", took, len(store.groups))
		}
	})
}

// TestCommitOnFullDisk settles commands while the disk is full. Neither they nor those behind
// them wait for room.
func TestCommitOnFullDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{always: refusal.ErrFull}
		begin := time.Now()
		outcomes := together(store, notes(3)...)
		checkSettled(t, store, outcomes, 0, 1, 2)
		for _, o := range outcomes {
			if !errors.Is(o.err, refusal.ErrFull) {
				t.Errorf("got %v, want ErrFull", o.err)
			}
		}
		if took := time.Since(begin); took != 0 || len(store.groups) != 1 {
			t.Errorf("got an answer after %v and %d tries, want it without a wait after one", took, len(store.groups))
		}
	})
}

// TestCommitAfterLostAnswer commits, but the committer does not learn of it.
func TestCommitAfterLostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{lost: 1}
		for i, o := range together(store, notes(2)...) {
			if o.err != nil || string(o.answer) != fmt.Sprint("answer ", i) {
				t.Errorf("command %d: got %+v", i, o)
			}
		}
		if len(store.receipts) != 2 || len(store.groups) != 2 {
			t.Errorf("got %d receipts after %d tries, want one each", len(store.receipts), len(store.groups))
		}
	})
}

func TestCommandOfAbsentCallerIsSkipped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{gate: make(chan struct{})}
		c := startCommitter(Config{Store: store})
		stayed, staying := submitAll(t.Context(), c, note{number: 0}, note{number: 1})
		ctx, leave := context.WithCancel(t.Context())
		left, leaving := submitAll(ctx, c, note{number: 2})
		leave()
		leaving.Wait()
		if !refusal.HasCode(left[0].err, refusal.CodeUnavailable) {
			t.Errorf("got %+v for a caller that left, want errBusy", left[0])
		}
		close(store.gate)
		staying.Wait()
		c.close()
		checkSettled(t, store, slices.Concat(stayed, left), 2)
		if !slices.Equal(store.groups, []int{1, 1}) {
			t.Errorf("got groups of %v, want two of one", store.groups)
		}
	})
}

func TestCloseSettlesWaitingCommands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{gate: make(chan struct{})}
		c := startCommitter(Config{Store: store})
		outcomes, all := submitAll(t.Context(), c, notes(maxGroup+2)...)
		closed := make(chan struct{})
		go func() { c.close(); close(closed) }()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("got a closed committer, want one that waits for its commands")
		default:
		}
		close(store.gate)
		<-closed
		all.Wait()
		checkSettled(t, store, outcomes)
	})
}

func TestSubmitAfterClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := new(scripted)
		c := startCommitter(Config{Store: store})
		c.close()
		if o := c.submit(context.Background(), note{}); !refusal.HasCode(o.err, refusal.CodeUnavailable) {
			t.Errorf("got %+v, want errBusy", o)
		}
		if len(store.groups) != 0 {
			t.Errorf("got %d transactions after Close, want none", len(store.groups))
		}
	})
}

func TestGroupSize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := new(scripted)
		checkSettled(t, store, together(store, notes(2*maxGroup+1)...))
		if want := []int{maxGroup, maxGroup, 1}; !slices.Equal(store.groups, want) {
			t.Errorf("got groups of %v, want %v", store.groups, want)
		}
	})
}

// inProgress is a service whose database stands still until the gate is open,
// and one request, the first under key 0, that waits for it.
func inProgress(t *testing.T) (s *Service, store *scripted, first <-chan Answer) {
	t.Helper()
	store = &scripted{gate: make(chan struct{})}
	s = NewService(Config{Store: store})
	t.Cleanup(s.Close)
	answers := make(chan Answer, 1)
	go func() {
		answer, err := s.settleOnce(context.Background(), keyOf(0), note{number: 0})
		if err != nil {
			t.Error(err)
		}
		answers <- answer
	}()
	synctest.Wait()
	return s, store, answers
}

func TestSecondRequestTimesOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own  time.Duration // the limit of the second request itself
		took time.Duration
		code refusal.Code
	}{
		"behind the first": {30 * time.Second, 10 * time.Second, refusal.CodeIdempotencyInProgress},
		"gone before":      {5 * time.Second, 5 * time.Second, refusal.CodeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, store, first := inProgress(t)
				ctx, cancel := context.WithTimeout(t.Context(), c.own)
				defer cancel()
				begin := time.Now()
				_, err := s.settleOnce(ctx, keyOf(0), note{number: 0})
				var refused *refusal.Error
				if !errors.As(err, &refused) || refused.Code != c.code || time.Since(begin) != c.took {
					t.Errorf("got %v after %v, want %s after %v", err, time.Since(begin), c.code, c.took)
				}
				if hint := refused.RetryAfter > 0; hint != (c.code == refusal.CodeIdempotencyInProgress) {
					t.Errorf("got RetryAfter %v, want a positive time", refused.RetryAfter)
				}
				close(store.gate)
				if answer := <-first; answer.Replayed || string(answer.Record) != "answer 0" {
					t.Errorf("got %+v for the first request, want its answer", answer)
				}
				synctest.Wait()
				if len(s.progress.waiting) != 0 {
					t.Errorf("got %v requests still counted, want none", s.progress.waiting)
				}
			})
		})
	}
}

func TestSecondRequestGetsFirstAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store, first := inProgress(t)
		time.AfterFunc(9*time.Second, func() { close(store.gate) })
		second, err := s.settleOnce(t.Context(), keyOf(0), note{number: 0})
		if err != nil || !second.Replayed || string(second.Record) != string((<-first).Record) {
			t.Errorf("got %+v, %v for the second request, want the answer of the first", second, err)
		}
	})
}

func TestOtherKeysDoNotTimeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store, _ := inProgress(t)
		time.AfterFunc(time.Minute, func() { close(store.gate) })
		if answer, err := s.settleOnce(t.Context(), keyOf(1), note{number: 1}); err != nil || answer.Replayed {
			t.Errorf("got %+v, %v", answer, err)
		}
	})
}

// cooling is a store that is cold for its first commands.
type cooling struct {
	*scripted
	left   int // how many commands are still warmed
	warmed []idempotency.Key
}

func (c *cooling) Cold() bool { return c.left > 0 }

func (c *cooling) Warm(_ context.Context, needs *Needs) {
	c.left--
	c.warmed = append(c.warmed, needs.Receipts...)
	if len(c.groups) > 0 {
		panic("the command was settled before it was warmed")
	}
}

func TestColdCommandsAreWarmed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &cooling{scripted: &scripted{}, left: 2}
		checkSettled(t, store.scripted, together(store, notes(4)...))
		if want := []idempotency.Key{keyOf(0), keyOf(1)}; !slices.Equal(store.warmed, want) {
			t.Errorf("got %v warmed, want %v: the first two", store.warmed, want)
		}
	})
}
