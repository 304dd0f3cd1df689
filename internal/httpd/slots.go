package httpd

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/processors"
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
	// SlotBody is verifying the signature of a large body.
	SlotBody Slot = "body"
)

// SlotKinds lists them.
var SlotKinds = []Slot{SlotHeavy, SlotBatch, SlotBody}

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
	heavy := processors.Half()
	return map[Slot]*turns.Slots{
		SlotHeavy: turns.NewSlots(heavy, min(2, max(1, heavy/2))),
		SlotBatch: turns.NewSlots(maxBatches, maxBatchesOfOne),
		SlotBody:  turns.NewSlots(heavy, 1),
	}
}

var errCrowded = &refusal.Error{
	Code:       refusal.CodeUnavailable,
	Message:    "too much such work is waiting, try again",
	RetryAfter: slotRetry,
}

// InSlot does work in a slot. Callers take turns by partner or operator; it refuses
// after slotPatience. The work for SlotHeavy should yield to other goroutines.
func (c *Call) InSlot(slot Slot, work func() error) error {
	ctx, cancel := context.WithTimeout(c.Context(), slotPatience)
	defer cancel()
	if !c.server.takeSlot(ctx, c.Payer, slot) {
		return errCrowded
	}
	defer c.server.slots[slot].Free(c.Payer)
	return work()
}

// takeSlot waits for a slot, which the caller then frees. It reports false if ctx ends
// first.
func (s *Server) takeSlot(ctx context.Context, payer string, slot Slot) bool {
	begun := time.Now() // the real clock, because it measures work
	taken := s.slots[slot].Take(ctx, payer)
	s.config.Observer.Slot(slot, time.Since(begun), taken)
	return taken
}

// InTurns does work that writes a long response. It is in a slot except while the client
// takes what was written, so that a slow client keeps no slot. It waits for its turns as
// long as the request may run.
func (c *Call) InTurns(slot Slot, w io.Writer, work func(io.Writer) error) error {
	turn := &turnWriter{
		Writer: w,
		take:   func() bool { return c.server.takeSlot(c.Context(), c.Payer, slot) },
		free:   func() { c.server.slots[slot].Free(c.Payer) },
	}
	if !turn.begin() {
		return errCrowded
	}
	defer turn.end()
	return work(turn)
}

// turnWriter frees a slot during each Write. One goroutine uses it.
type turnWriter struct {
	io.Writer
	take func() bool
	free func()
	held bool
}

func (t *turnWriter) begin() bool {
	t.held = t.take()
	return t.held
}

func (t *turnWriter) end() {
	if t.held {
		t.free()
	}
	t.held = false
}

func (t *turnWriter) Write(p []byte) (int, error) {
	t.end()
	n, err := t.Writer.Write(p)
	if err == nil && !t.begin() {
		err = errCrowded
	}
	return n, err
}

// Heavy returns a handler that runs in a slot for heavy work.
func Heavy(handle Handler) Handler {
	return func(c *Call) (answer Reply, err error) {
		err = c.InSlot(SlotHeavy, func() error {
			answer, err = handle(c)
			return err
		})
		return answer, err
	}
}
