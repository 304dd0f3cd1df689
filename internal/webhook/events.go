package webhook

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
)

var errNoEvent = refusal.NotFound("event")

// batchRows is how many events one transaction changes, so that nobody waits
// long for it.
const batchRows = 500

// MaxRedelivered is how many events one request may send again.
const MaxRedelivered = 10_000

// Page is a part of a list. Next is the cursor for what follows, empty at the
// end.
type Page struct {
	Events []*Event
	Next   string
}

// List lists a partner's events, newest first.
func (s *Service) List(ctx context.Context, filter Filter) (page Page, err error) {
	limit := filter.Limit
	filter.Limit++ // one more tells whether a next page exists
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		page.Events, err = tx.Events(ctx, filter)
		return err
	})
	page.Events, page.Next = paging.Cut(page.Events, limit, func(e *Event) string { return e.EventID })
	return page, err
}

// Event reads one event of a partner.
func (s *Service) Event(ctx context.Context, partnerID, eventID string) (found *Event, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Event(ctx, partnerID, eventID)
		return err
	})
	if err == nil && found == nil {
		err = errNoEvent
	}
	return found, err
}

// feedOverlap is how much of a feed is told again: an event may be committed a
// little later than one with a higher id.
const feedOverlap = 30 * time.Second

// maxOverlap bounds what a feed tells again: of more events in feedOverlap only
// the first are looked through for late ones.
const maxOverlap = 5000

// Feed lists events in order, from a little before filter.After on: the caller
// knows which it has seen. Without one it begins now. It waits until there is
// something newer, or the wait is over, and tells where to go on.
func (s *Service) Feed(ctx context.Context, filter Filter, wait time.Duration) (events []*Event, last string, err error) {
	last = filter.After
	at, known := identifier.UUIDTime(last)
	if !known {
		last = identifier.FirstUUID(s.now())
	}
	over := s.config.At(s.now().Add(wait))
	for waits := true; ; {
		filter.After = last
		fresh, err := s.List(ctx, filter)
		if err != nil {
			return nil, "", err
		}
		if n := len(fresh.Events); n > 0 || !waits {
			if known {
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

// again lists events behind one id and up to another: among them may be one that
// was committed late.
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

// Redeliver sends an event again, whatever became of it before.
func (s *Service) Redeliver(ctx context.Context, partnerID, eventID string) (again *Event, err error) {
	err = s.requeue(ctx, partnerID, func(tx Writer) ([]*Event, error) {
		found, err := tx.Event(ctx, partnerID, eventID)
		if err == nil && found == nil {
			err = errNoEvent
		}
		return []*Event{found}, err
	})
	if err != nil {
		return nil, err
	}
	return s.Event(ctx, partnerID, eventID)
}

// RedeliverSince sends events again, oldest first: those behind filter.After, at
// most MaxRedelivered of them. It tells how many they were and the cursor for
// what follows, empty at the end.
func (s *Service) RedeliverSince(ctx context.Context, filter Filter) (count int, next string, err error) {
	for count < MaxRedelivered {
		filter.Limit = batchRows
		var page []*Event
		err = s.requeue(ctx, filter.PartnerID, func(tx Writer) ([]*Event, error) {
			page, err = tx.Events(ctx, filter)
			return page, err
		})
		if err != nil {
			return count, filter.After, err
		}
		count += len(page)
		if len(page) < batchRows {
			return count, "", nil
		}
		filter.After = page[len(page)-1].EventID
	}
	return count, filter.After, nil
}

// requeue makes events due now, and wakes their endpoint.
func (s *Service) requeue(ctx context.Context, partnerID string, pick func(Writer) ([]*Event, error)) error {
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		endpoints, err := tx.LockEndpoints(ctx, []string{partnerID})
		if err != nil {
			return err
		}
		endpoint := endpoints[partnerID]
		if endpoint == nil {
			return ErrNotConfigured
		}
		picked, err := pick(tx)
		if err != nil {
			return err
		}
		now := s.now()
		due := moved(picked, func(e *Event) {
			switch {
			case e.State != outbox.Pending:
				e.State, e.DueAt, e.Tries = outbox.Pending, now, 0
			case !e.DueAt.IsZero(): // those behind another of their order wait for it
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
		if at, sooner := endpoint.Sooner(now); sooner {
			endpoint.WakeAt = at
		}
		return tx.SaveEndpoints(ctx, []*Endpoint{endpoint})
	})
	if err == nil {
		s.config.Wake(partnerID)
	}
	return err
}

// inSequence lets events wait that have an earlier one of their order before
// them, among these or stored.
func inSequence(ctx context.Context, tx Reader, due []Progress) error {
	known := make(map[outbox.EventKey]*Event, len(due))
	for _, p := range due {
		known[p.Key()] = p.Event
	}
	for _, p := range due {
		before := p.Key().Previous()
		if before.Sequence > 0 && known[before] == nil {
			stored, err := tx.Events(ctx, Filter{PartnerID: p.PartnerID, OrderID: p.OrderID, Limit: batchRows})
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

// Tested is what came of a test.
type Tested struct {
	EventID string
	Answer
}

// Test sends a test event at once, whether the endpoint is enabled or not, and
// tells what came back. It is tried once and kept nowhere.
func (s *Service) Test(ctx context.Context, partnerID string) (Tested, error) {
	settings, err := s.Get(ctx, partnerID)
	if refusal.HasCode(err, refusal.CodeNotFound) {
		err = ErrNotConfigured
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
	tested := Tested{eventID, post(ctx, s.config.Client, s.config.Sealer, settings.Endpoint, event, now)}
	if tested.Delivered() && settings.broken() {
		err = s.change(ctx, partnerID, func(e *Endpoint) (*Endpoint, error) {
			if e == nil {
				return nil, errNoEndpoint
			}
			e.probeNow(s.now())
			return e, nil
		})
	}
	return tested, err
}

// probeNow brings the next probe of a broken endpoint forward: there is reason
// to hope.
func (e *Endpoint) probeNow(now time.Time) {
	if e.OpenUntil.After(now) {
		e.OpenUntil = now
		if e.WakeAt.After(now) {
			e.WakeAt = now
		}
	}
}
