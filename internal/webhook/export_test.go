package webhook

import (
	"context"
	"time"
)

// Outcome is what came of an attempt with an event as it was when it was read.
type Outcome struct {
	Event  *Event
	Answer Answer
}

// ReadsWhileParking tells whether a lane that has asked to be parked, and is told
// that there is more, reads it before it knows whether it has to end.
func ReadsWhileParking(ctx context.Context, config SenderConfig) bool {
	s := &Sender{SenderConfig: config, closing: make(chan struct{}), reading: ctx}
	l := newLane(s, &Endpoint{Enabled: true, LeaseUntil: config.Now().Add(leaseFor)})
	l.parking, l.look = true, true
	l.send(ctx)
	return l.reading
}

// Settle writes in one transaction what came of attempts.
func Settle(ctx context.Context, config SenderConfig, partnerID string, outcomes ...Outcome) error {
	s := &Sender{SenderConfig: config, closing: make(chan struct{})}
	l := &lane{sender: s, partnerID: partnerID}
	var items []*item
	for _, o := range outcomes {
		items = append(items, &item{lane: l, sent: &sent{event: o.Event, answer: o.Answer, at: time.UnixMicro(1)}})
	}
	_, err := (&settler{sender: s, last: ctx}).write(items)
	return err
}
