package webhook

import (
	"context"
	"time"
)

// Outcome is the answer to a request, and the event as it was when it was read.
type Outcome struct {
	Event  *Event
	Answer Answer
}

// Settle writes the outcomes of requests of a lane that has lost its endpoint in one
// transaction.
func Settle(ctx context.Context, config SenderConfig, partnerID string, outcomes ...Outcome) error {
	s := &Sender{config: config, closing: make(chan struct{})}
	lane := &runner{sender: s, key: KeyOf(partnerID, ""), holder: "a node before/1"}
	var notes []note
	for _, o := range outcomes {
		notes = append(notes, note{lane: lane, request: &request{event: o.Event, answer: o.Answer, at: time.UnixMicro(1)}})
	}
	_, err := (&settler{sender: s}).write(ctx, notes)
	return err
}
