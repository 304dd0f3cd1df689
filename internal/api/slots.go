package api

import (
	"context"
	"runtime"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/turns"
)

// Slot names a kind of work of which only a little runs at a time.
type Slot string

// The kinds of slots.
const (
	// SlotHeavy is what keeps a processor busy for long: labels, CSV files, previews
	// of rate cards, the reading of batches.
	SlotHeavy Slot = "heavy"
	// SlotBatch is a whole batch of orders, most of whose time is waiting.
	SlotBatch Slot = "batch"
)

// SlotKinds lists them.
var SlotKinds = []Slot{SlotHeavy, SlotBatch}

const (
	// slotPatience is how long a request waits for a slot.
	slotPatience = 5 * time.Second
	// slotRetry is when a client that got no slot should try again.
	slotRetry = 2 * time.Second
	// maxBatches bounds the batches that are settled at a time, and so their memory.
	// Two of one partner keep the committer as busy as more would.
	maxBatches, maxBatchesOfOne = 8, 2
)

// newSlots returns the slots of a server. Heavy work gets half of the processors,
// so that the others are there for what is quick.
func newSlots() map[Slot]*turns.Slots {
	heavy := max(1, runtime.GOMAXPROCS(0)/2)
	return map[Slot]*turns.Slots{
		SlotHeavy: turns.NewSlots(heavy, min(2, max(1, heavy/2))),
		SlotBatch: turns.NewSlots(maxBatches, maxBatchesOfOne),
	}
}

var errCrowded = &refusal.Error{
	Code:       refusal.CodeUnavailable,
	Message:    "too much such work is waiting, try again",
	RetryAfter: slotRetry,
}

// inSlot does work in a slot. Callers take turns by partner or operator; it refuses
// after slotPatience. The work for SlotHeavy should yield to other goroutines.
func (s *Server) inSlot(c *call, slot Slot, work func() error) error {
	key := c.partnerID
	if c.operator != nil {
		key = c.operator.OperatorID
	}
	ctx, cancel := context.WithTimeout(c.Context(), slotPatience)
	defer cancel()
	begun := time.Now() // the real clock, because it measures work
	taken := s.slots[slot].Take(ctx, key)
	s.config.Observer.Slot(slot, time.Since(begun), taken)
	if !taken {
		return errCrowded
	}
	defer s.slots[slot].Free(key)
	return work()
}

// heavy returns a handler that runs in a slot for heavy work.
func heavy(handle func(*Server, *call) (reply, error)) func(*Server, *call) (reply, error) {
	return func(s *Server, c *call) (answer reply, err error) {
		err = s.inSlot(c, SlotHeavy, func() error {
			answer, err = handle(s, c)
			return err
		})
		return answer, err
	}
}
