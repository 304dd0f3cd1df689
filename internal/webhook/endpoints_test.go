package webhook_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/webhook"
)

// addEndpoint adds an endpoint that takes some types of events; all if none is named.
func (y *yard) addEndpoint(t *testing.T, url string, types ...delivery.EventType) *webhook.Endpoint {
	t.Helper()
	added, err := y.Add(t.Context(), partnerID, webhook.Signed{},
		webhook.Target{URL: url, Enabled: true, Events: outbox.FilterOf(types)})
	if err != nil {
		t.Fatal(err)
	}
	return added.Endpoint
}

// sentTo returns the events that were sent to an address, in the order in which they came.
func (r *receiver) sentTo(url string) (ids []string) {
	for _, got := range r.all() {
		if got.url == url {
			ids = append(ids, got.headers["Webhook-Id"])
		}
	}
	return ids
}

// at returns how far an event has come at an endpoint.
func at(e *webhook.Event, endpoint *webhook.Endpoint) *webhook.Event {
	if endpoint.EndpointID == "" {
		return e
	}
	for _, further := range e.Further {
		if further.EndpointID == endpoint.EndpointID {
			return further
		}
	}
	return &webhook.Event{}
}

// TestDeadEndpointDelaysNoOther sends the events of some orders to three endpoints, of which each is dead in turn.
// The others get every event once and in order, and each has its own log.
func TestDeadEndpointDelaysNoOther(t *testing.T) {
	t.Parallel()
	const orders, each = 6, 4
	for dead := range 3 {
		t.Run(fmt.Sprint(dead), func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			var endpoints []*webhook.Endpoint
			for i := range 3 {
				endpoints = append(endpoints, y.addEndpoint(t, fmt.Sprintf("https://shop.example/%d", i)))
			}
			y.respond(func(got received) webhook.Answer {
				if got.url == endpoints[dead].URL {
					return webhook.Answer{Problem: "could not connect"}
				}
				return webhook.Answer{Status: 200}
			})
			var events []*delivery.Event
			for sequence := range int64(each) {
				for o := range orders {
					events = append(events, y.event(t, fmt.Sprintf("ord_%d", o), sequence+1))
				}
			}
			y.add(t, events...)
			for i, endpoint := range endpoints {
				for _, event := range events {
					first := i == dead && event.Sequence == 1
					y.until(t, event.EventID, "its state at "+endpoint.ID(), func(e *webhook.Event) bool {
						e = at(e, endpoint)
						if i == dead {
							return e.State == outbox.Pending && (len(e.Log) > 0) == first
						}
						return e.State == outbox.Delivered && len(e.Log) == 1
					})
				}
			}
			y.stop()
			for i, endpoint := range endpoints {
				got := y.sentTo(endpoint.URL)
				if i == dead {
					continue
				}
				if len(got) != len(events) {
					t.Errorf("%s got %d events, want %d, each once", endpoint.ID(), len(got), len(events))
				}
				for o := range orders {
					var want, came []string
					for _, event := range events {
						if event.OrderID == fmt.Sprintf("ord_%d", o) {
							want = append(want, event.EventID)
						}
					}
					for _, id := range got {
						if slices.Contains(want, id) {
							came = append(came, id)
						}
					}
					if !slices.Equal(came, want) {
						t.Errorf("%s got the events %v of an order, want %v", endpoint.ID(), came, want)
					}
				}
			}
		})
	}
}

// TestFilterKeepsSequence: an event that an endpoint does not take is not sent, and the one behind it waits for the one
// in front of it all the same.
func TestFilterKeepsSequence(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	all := y.addEndpoint(t, "https://shop.example/all")
	some := y.addEndpoint(t, "https://shop.example/some", delivery.EventOrderPickedUp)
	var down atomic.Bool
	down.Store(true)
	y.respond(func(got received) webhook.Answer {
		if got.url == some.URL && down.Load() {
			return webhook.Answer{Status: 500}
		}
		return webhook.Answer{Status: 200}
	})
	first, second, third := y.event(t, "ord_1", 1), y.event(t, "ord_1", 2), y.event(t, "ord_1", 3)
	second.Type = delivery.EventOrderInTransit
	y.add(t, first, second, third)
	y.awaitDelivered(t, third.EventID)
	y.until(t, first.EventID, "one attempt at the second endpoint", func(e *webhook.Event) bool {
		return len(at(e, some).Log) == 1
	})
	if got := y.sentTo(some.URL); !slices.Equal(got, []string{first.EventID}) {
		t.Fatalf("got %v sent, want only the first event, which fails", got)
	}
	down.Store(false)
	if _, err := y.Redeliver(t.Context(), some.Key(), first.EventID); err != nil {
		t.Fatal(err)
	}
	y.until(t, third.EventID, "delivered to the second endpoint", func(e *webhook.Event) bool {
		return at(e, some).State == outbox.Delivered
	})
	got, err := y.Event(t.Context(), partnerID, second.EventID)
	if err != nil {
		t.Fatal(err)
	}
	if e := at(got, some); e.State != outbox.Skipped || len(e.Log) != 0 {
		t.Errorf("got %s after %d attempts, want it skipped without any", e.State, len(e.Log))
	}
	if got := y.sentTo(some.URL); !slices.Equal(got, []string{first.EventID, first.EventID, third.EventID}) {
		t.Errorf("got %v sent, want the first event twice and then the third", got)
	}
	if got := y.sentTo(all.URL); !slices.Equal(got, []string{first.EventID, second.EventID, third.EventID}) {
		t.Errorf("got %v sent to the endpoint that takes all, want all", got)
	}
	if _, err := y.Redeliver(t.Context(), some.Key(), second.EventID); !refusal.HasCode(err,
		delivery.CodeWebhookNotConfigured) {
		t.Errorf("got %v for an event that the endpoint does not take, want a refusal", err)
	}
}

// TestBackfill sends events from before an endpoint was added.
func TestBackfill(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.addEndpoint(t, "https://shop.example/first")
	events := []*delivery.Event{y.event(t, "ord_1", 1), y.event(t, "ord_1", 2), y.event(t, "ord_2", 1)}
	events[1].Type = delivery.EventOrderInTransit
	y.add(t, events...)
	y.awaitDelivered(t, events[1].EventID)
	y.awaitDelivered(t, events[2].EventID)
	late := y.addEndpoint(t, "https://shop.example/late", delivery.EventOrderPickedUp)
	count, next, err := y.RedeliverSince(t.Context(),
		webhook.Filter{PartnerID: partnerID, EndpointID: late.EndpointID, After: "0"})
	if count != 2 || next != "" || err != nil {
		t.Fatalf("got %d, %q, %v, want the two events that the endpoint takes", count, next, err)
	}
	for _, event := range []*delivery.Event{events[0], events[2]} {
		y.until(t, event.EventID, "delivered to the new endpoint", func(e *webhook.Event) bool {
			return at(e, late).State == outbox.Delivered
		})
	}
	if got := len(y.sentTo("https://shop.example/first")); got != 3 {
		t.Errorf("the first endpoint got %d events, want each once", got)
	}
}

// TestEleventhEndpoint adds endpoints at the same time, on two services with one database: ten are added, one
// of them as the first.
func TestEleventhEndpoint(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	var added, refused atomic.Int32
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			_, err := y.Add(context.WithoutCancel(t.Context()), partnerID, webhook.Signed{},
				webhook.Target{URL: fmt.Sprintf("https://shop.example/%d", i), Enabled: true})
			switch {
			case err == nil:
				added.Add(1)
			case refusal.HasCode(err, refusal.CodeConflict) && strings.Contains(err.Error(), "10 webhook endpoints"):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	there, err := y.Endpoints(t.Context(), partnerID)
	if added.Load() != 10 || refused.Load() != 6 || len(there) != 10 || there[0].EndpointID != "" || err != nil {
		t.Fatalf("got %d added, %d refused, %d there, %v, want ten", added.Load(), refused.Load(), len(there), err)
	}
	if err := y.Remove(t.Context(), first, webhook.Signed{}); err != nil {
		t.Fatal(err)
	}
	if again := y.addEndpoint(t, "https://shop.example/again"); again.ID() != webhook.FirstID {
		t.Errorf("got %s, want the place of the first endpoint", again.ID())
	}
}

// TestCloudEvents: the format adds headers and changes nothing else.
func TestCloudEvents(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	plain, cloud := y.addEndpoint(t, "https://shop.example/plain"), y.addEndpoint(t, "https://shop.example/cloud")
	format := webhook.FormatCloudEvents
	if _, err := y.Edit(t.Context(), cloud.Key(), webhook.Signed{}, webhook.Edit{Format: &format}); err != nil {
		t.Fatal(err)
	}
	event := y.event(t, "ord_1", 1)
	y.add(t, event)
	byURL := map[string]received{}
	for _, got := range y.wait(t, 2) {
		byURL[got.url] = got
	}
	got := byURL[cloud.URL]
	for name, want := range map[string]string{
		"Ce-Specversion": "1.0", "Ce-Id": event.EventID, "Ce-Type": "com.dropyard.order.picked_up", "Ce-Source": "/",
		"Ce-Subject": "ord_1", "Ce-Time": "2026-03-02T14:05:09.000Z", "Content-Type": "application/json",
		"Webhook-Id": event.EventID,
	} {
		if name == "Ce-Time" {
			want = event.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		if got.headers[name] != want {
			t.Errorf("%s: got %q, want %q", name, got.headers[name], want)
		}
	}
	if got.body != byURL[plain.URL].body {
		t.Errorf("got the body %s, want that of the other format", got.body)
	}
	for name := range byURL[plain.URL].headers {
		if strings.HasPrefix(name, "Ce-") {
			t.Errorf("the header %s was sent in the other format", name)
		}
	}
}
