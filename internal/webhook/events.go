package webhook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
)

var errNoEvent = refusal.NotFound("event")

// batchRows is how many events one transaction changes at most, so that others
// do not wait long for it.
const batchRows = 500

// MaxRedelivered is the most events that one call of RedeliverSince sends again.
const MaxRedelivered = 10_000

// Page is a part of a list.
type Page struct {
	Events []*Event
	Next   string // the cursor of the next page; empty if this is the last
}

// List returns a page of a partner's events, as they are at the first endpoint: all, or those in
// the queue of the endpoint that the filter names. The error is errNoEndpoint if that does not exist.
func (s *Service) List(ctx context.Context, filter Filter) (page Page, err error) {
	limit := filter.Limit
	filter.Limit++ // if one more is found, there is a next page
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if filter.EndpointID != "" {
			if there, err := tx.Endpoint(ctx, filter.Endpoint()); err != nil || there == nil {
				return cmp.Or[error](err, errNoEndpoint)
			}
		}
		if page.Events, err = tx.Events(ctx, filter); err != nil {
			return err
		}
		if filter.EndpointID != "" {
			if page.Events, err = tx.At(ctx, "", page.Events); err != nil {
				return err
			}
		}
		return tx.AddFurther(ctx, page.Events)
	})
	page.Events, page.Next = paging.Cut(page.Events, limit, func(e *Event) string { return e.EventID })
	return page, err
}

// Event returns one event of a partner.
func (s *Service) Event(ctx context.Context, partnerID, eventID string) (found *Event, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if found, err = tx.Event(ctx, partnerID, eventID); err != nil || found == nil {
			return err
		}
		return tx.AddFurther(ctx, []*Event{found})
	})
	if err == nil && found == nil {
		err = errNoEvent
	}
	return found, err
}

// feedOverlap is how far a feed goes back behind the event it was asked for. Event ids
// ascend in the order of commits (outbox.Follow). But during an upgrade nodes of an earlier
// release still commit events later than others with greater ids.
const feedOverlap = 30 * time.Second

// mostAhead is how far the time in an id may be ahead of the clock for the feed to go back.
// After a clock was ahead for a while, all ids have the same time until that has passed. To
// go back would then repeat more and more events.
const mostAhead = 10 * time.Minute

// maxOverlap is how many events a feed repeats at most. If there are more within
// feedOverlap, it repeats the oldest ones.
const maxOverlap = 5000

// Feed returns events, oldest first, from a little before filter.After on: the
// caller has to skip those that it has seen. Without filter.After the feed begins
// now. Feed returns when there is an event behind filter.After or the wait is
// over. last is the filter.After of the next call.
func (s *Service) Feed(
	ctx context.Context, filter Filter, wait time.Duration,
) (events []*Event, last string, err error) {
	last = filter.After
	at, known := identifier.UUIDTime(last)
	if !known {
		if last, err = s.newest(ctx, filter.PartnerID); err != nil {
			return nil, "", err
		}
	}
	over := s.config.At(s.now().Add(wait))
	for waits := true; ; {
		filter.After = last
		fresh, err := s.List(ctx, filter)
		if err != nil {
			return nil, "", err
		}
		if n := len(fresh.Events); n > 0 || !waits {
			if known && at.Before(s.now().Add(mostAhead)) {
				events, err = s.again(ctx, filter.PartnerID, identifier.FirstUUID(at.Add(-feedOverlap)), last)
			}
			if n > 0 {
				last = fresh.Events[n-1].EventID
			}
			return append(events, fresh.Events...), last, err
		}
		select {
		case <-s.config.At(s.now().Add(lookEvery)):
			continue
		case <-over:
		case <-s.ending:
		case <-ctx.Done():
		}
		waits = false
	}
}

// newest returns the id of a partner's newest event, after which those of all later commits
// come; the smallest id if there is none.
func (s *Service) newest(ctx context.Context, partnerID string) (string, error) {
	page, err := s.List(ctx, Filter{PartnerID: partnerID, Limit: 1})
	if err != nil || len(page.Events) == 0 {
		return identifier.FirstUUID(time.Time{}), err
	}
	return page.Events[0].EventID, nil
}

// again returns the events behind one id and up to another. Among them may be
// some that have been committed since they were read last.
func (s *Service) again(ctx context.Context, partnerID, after, until string) (events []*Event, err error) {
	filter := Filter{PartnerID: partnerID, After: after, Limit: batchRows}
	for len(events) < maxOverlap {
		page, err := s.List(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			if e.EventID > until {
				return events, nil
			}
			events = append(events, e)
		}
		if filter.After = page.Next; page.Next == "" {
			break
		}
	}
	return events, nil
}

// errNotTaken means that an event would be skipped again.
var errNotTaken = refusal.New(delivery.CodeWebhookNotConfigured,
	"the endpoint does not take events of this type; add it to its events first")

// Redeliver sends an event to an endpoint again, whatever its state is, also if it was never sent there. It returns
// the event, which is due now unless it waits for another of its order. The error is
// errNoEvent if there is no such event; without an endpoint it is ErrNotConfigured for the first, and
// otherwise errNoEndpoint. It is the same with RedeliverSince and Test.
func (s *Service) Redeliver(ctx context.Context, key outbox.EndpointKey, eventID string) (again *Event, err error) {
	err = s.requeue(ctx, key, func(tx Writer, e *Endpoint) ([]*Event, error) {
		found, err := tx.Event(ctx, key.PartnerID, eventID)
		switch {
		case err != nil:
			return nil, err
		case found == nil:
			return nil, errNoEvent
		case !e.Events.Takes(found.Type):
			return nil, errNotTaken
		}
		return tx.At(ctx, key.EndpointID, []*Event{found})
	})
	if err != nil {
		return nil, err
	}
	return s.Event(ctx, key.PartnerID, eventID)
}

// RedeliverSince sends the events behind filter.After to an endpoint again, oldest first, at most
// MaxRedelivered of them, and without those that the endpoint does not take. It returns how many
// they were, and the filter.After of
// the next call, which is empty if there are no more. After an error, count and
// next say how far it has come.
func (s *Service) RedeliverSince(ctx context.Context, filter Filter) (count int, next string, err error) {
	for looked := 0; looked < MaxRedelivered; {
		// Also those that are not in the queue of the endpoint, as it is younger, may be sent to it.
		all := filter
		all.EndpointID, all.Limit = "", batchRows
		if filter.EndpointID != "" {
			all.State = ""
		}
		var page, picked []*Event
		err = s.requeue(ctx, filter.Endpoint(), func(tx Writer, e *Endpoint) ([]*Event, error) {
			if page, err = tx.Events(ctx, all); err != nil {
				return nil, err
			}
			picked, err = tx.At(ctx, filter.EndpointID, page)
			picked = slices.DeleteFunc(picked, func(event *Event) bool {
				return !e.Events.Takes(event.Type) || filter.State != "" && event.State != filter.State
			})
			return picked, err
		})
		if err != nil {
			return count, filter.After, err
		}
		count, looked = count+len(picked), looked+len(page)
		if len(page) < batchRows {
			return count, "", nil
		}
		filter.After = page[len(page)-1].EventID
	}
	return count, filter.After, nil
}

// requeue makes the events that pick returns due, and wakes their endpoint.
func (s *Service) requeue(
	ctx context.Context, key outbox.EndpointKey, pick func(Writer, *Endpoint) ([]*Event, error),
) error {
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		endpoints, err := tx.LockEndpoints(ctx, []outbox.EndpointKey{key})
		if err != nil {
			return err
		}
		endpoint := endpoints[key]
		if endpoint == nil {
			return absent(key)
		}
		picked, err := pick(tx, endpoint)
		if err != nil {
			return err
		}
		if err := tx.AddToQueue(ctx, picked); err != nil {
			return err
		}
		now := s.now()
		due := moved(picked, func(e *Event) {
			switch {
			case e.State != outbox.Pending:
				e.State, e.DueAt, e.Tries = outbox.Pending, now, 0
			case !e.DueAt.IsZero(): // one that waits behind another goes on waiting
				e.DueAt = now
			}
		})
		if err := inSequence(ctx, tx, due); err != nil {
			return err
		}
		if _, err := tx.SaveProgress(ctx, due); err != nil {
			return err
		}
		endpoint.probeNow(now)
		endpoint.wakeFor(now)
		return tx.SaveEndpoints(ctx, []*Endpoint{endpoint})
	})
	if err == nil {
		s.config.Wake(key)
	}
	return err
}

// inSequence makes those of the events wait whose previous one, among them or
// stored, holds them back.
func inSequence(ctx context.Context, tx Reader, due []Progress) error {
	known := make(map[outbox.EventKey]*Event, len(due))
	for _, p := range due {
		known[p.Key()] = p.Event
	}
	for _, p := range due {
		before := p.Key().Previous()
		if before.Sequence > 0 && known[before] == nil {
			stored, err := tx.Events(ctx, Filter{
				PartnerID: p.PartnerID, EndpointID: p.EndpointID, OrderID: p.OrderID, Limit: batchRows,
			})
			if err != nil {
				return err
			}
			for _, e := range stored {
				if known[e.Key()] == nil {
					known[e.Key()] = e
				}
			}
		}
		if e := known[before]; e != nil && outbox.Blocks(e.State, e.Tries) {
			p.DueAt = time.Time{}
		}
	}
	return nil
}

// Tested is the outcome of a test.
type Tested struct {
	EventID string
	Answer
}

// maxTests is how many tests may wait for an answer, and maxTestsOfOne how many of one
// partner.
const maxTests, maxTestsOfOne = 32, 2

// errTests means that too many tests wait for an answer.
var errTests = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "too many tests wait for an answer, try again", RetryAfter: 5 * time.Second,
}

// Test posts a test event to an endpoint once, whether it is enabled or not, and
// returns the answer. The event is not stored. If it is delivered, an endpoint
// whose breaker is open is probed immediately. Test refuses with unavailable while
// too many tests wait for an answer.
func (s *Service) Test(ctx context.Context, key outbox.EndpointKey) (Tested, error) {
	partnerID := key.PartnerID
	if !s.tests.Take(partnerID, 1) {
		return Tested{}, errTests
	}
	defer s.tests.Return(partnerID, 1)
	var endpoint *Endpoint
	// The transaction writes nothing. Like every change, it refuses a person who may no
	// longer act.
	err := s.config.Store.Write(ctx, func(tx Writer) (err error) {
		endpoint, err = tx.Endpoint(ctx, key)
		return err
	})
	if err == nil && endpoint == nil {
		err = absent(key)
	}
	if err != nil {
		return Tested{}, err
	}
	now := s.now()
	eventID, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return Tested{}, err
	}
	event := &delivery.Event{EventID: eventID, PartnerID: partnerID, Type: EventTest, CreatedAt: now}
	with := posting{s.config.Client, s.config.Sealer, s.config.Source}
	tested := Tested{eventID, with.post(ctx, endpoint, event, now, s.config.MachineNow())}
	if tested.Delivered() && endpoint.broken() {
		err = s.change(ctx, key, func(e *Endpoint) (*Endpoint, error) {
			if e == nil {
				return nil, errNoEndpoint
			}
			e.probeNow(s.now())
			return e, nil
		})
	}
	return tested, err
}

// probeNow lets an endpoint whose breaker is open be probed immediately.
func (e *Endpoint) probeNow(now time.Time) {
	if e.OpenUntil.After(now) {
		e.OpenUntil = now
		if e.WakeAt.After(now) {
			e.WakeAt = now
		}
	}
}
