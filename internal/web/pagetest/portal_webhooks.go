package pagetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
)

// The people who look at webhooks that are in trouble.
const (
	failing  = "failing"  // of a partner whose receiver refuses some events
	disabled = "disabled" // of a partner whose receiver wants no more events
)

// webhookScenes returns the scenes of webhooks and of events.
func (h *house) webhookScenes() (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes, Scene{
			Name: name, URL: h.url + "/portal/webhooks" + path, Policy: page.Policy,
			Cookie: sessionCookie + "=" + h.cookies[who],
		})
	}
	add("portal-webhooks", owner, "")
	add("portal-webhooks-continue", owner, "?state=failed&type=order.failed&after="+h.events["delivered"])
	add("portal-webhooks-none", newcomer, "")
	add("portal-webhooks-failing", failing, "")
	add("portal-webhooks-disabled", disabled, "")
	add("portal-webhooks-rotation", owner, "?mode=test")
	add("portal-webhooks-hostile", hostiles, "")
	add("portal-webhook-new", owner, "/endpoints")
	add("portal-event", owner, "/"+h.events["delivered"])
	add("portal-event-failed", failing, "/"+h.events["failed"])
	add("portal-event-waiting", failing, "/"+h.events["waiting"])
	add("portal-event-hostile", hostiles, "/"+h.events["hostile"])
	return scenes
}

// receivers are those of the house's partners, which have a path each.
type receivers struct {
	*httptest.Server
	metro chan struct{} // gets a value for each event of Metro
}

func startReceivers() *receivers {
	r := &receivers{metro: make(chan struct{}, 1000)}
	mux := http.NewServeMux()
	mux.HandleFunc("/metro", func(http.ResponseWriter, *http.Request) { r.metro <- struct{}{} })
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	mux.HandleFunc("/atelier", refuseAccepted)
	mux.HandleFunc("/hostile", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	r.Server = httptest.NewServer(mux)
	return r
}

// wait waits until Metro's receiver gets another event, so that every event is sent at
// the time at which it happened.
func (r *receivers) wait() error {
	select {
	case <-r.metro:
		return nil
	case <-time.After(patience):
		return errors.New("an event of Metro has not arrived")
	}
}

// patience is how long the house waits for an event, as tests do (repeatable.Hang). It is
// reached only if one is lost.
const patience = 2 * time.Minute

// refuseAccepted refuses events of accepted orders. It asks for the longest pause, so
// that the time of the next attempt does not depend on chance.
func refuseAccepted(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || strings.Contains(string(body), `"type":"order.accepted"`) {
		w.Header().Set("Retry-After", "172800")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// until waits until a condition holds, which is that for a value at a path of the
// interface, as a person reads it.
func until[T any](ctx context.Context, h *house, who, path string, holds func(T) bool) error {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		var found T
		if err := h.read(ctx, who, path, &found); err != nil || holds(found) {
			return err
		}
		select {
		case <-bounded.Done():
			return fmt.Errorf("wait for %s of %s: %w", path, who, bounded.Err())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// read reads a value of the interface in a person's session. Unlike signed requests, those
// of sessions are not in the log that pages show.
func (h *house) read(ctx context.Context, who, path string, value any) error {
	body, err := h.as(ctx, who, http.MethodGet, path, "")
	if err != nil {
		return err
	}
	return json.Unmarshal(body, value)
}

// receive sends the events of a partner to a receiver of the house.
func (h *house) receive(ctx context.Context, who, path string) error {
	_, err := h.as(ctx, who, http.MethodPut, "/v1/webhooks/endpoint", fmt.Sprintf(`{"url":%q}`, h.receivers.URL+path))
	return err
}

// tried waits until an event has been sent so many times.
func (h *house) tried(ctx context.Context, who, eventID string, times int) error {
	return until(ctx, h, who, "/v1/webhooks/events/"+eventID,
		func(e client.EventRecord) bool { return e.Attempts >= times })
}

// change moves an order to some statuses, and returns the ids of its events in their
// sequence.
func (h *house) change(
	ctx context.Context, who, orderID string, statuses ...client.OrderStatus,
) (eventIDs []string, err error) {
	for _, status := range statuses {
		h.clock.Advance(time.Second) // so that the log lists the events in their sequence
		if _, err := h.desk.ChangeOrderStatus(ctx, orderID,
			client.StatusMoveRequest{StatusMove: client.StatusMove{Status: status, CourierID: h.courierID}}); err != nil {
			return nil, err
		}
	}
	var found client.EventList
	if err := h.read(ctx, who, "/v1/webhooks/events?order_id="+orderID, &found); err != nil {
		return nil, err
	}
	for _, event := range slices.Backward(found.Events) {
		eventIDs = append(eventIDs, event.EventID)
	}
	return eventIDs, nil
}

// place creates an order and moves it to some statuses.
func (h *house) place(
	ctx context.Context, who string, c *client.Client, reference string, statuses ...client.OrderStatus,
) (eventIDs []string, err error) {
	created, err := c.CreateOrder(ctx, orderTo(reference, len(reference), h.clock.Now().Add(3*time.Hour)))
	if err != nil {
		return nil, err
	}
	return h.change(ctx, who, created.OrderID, statuses...)
}

// troubled is how long before Now the receivers get into trouble.
const troubled = 12 * time.Minute

// addTrouble adds partners whose receivers fail, in the last minutes before Now. No other
// data may follow, because the clock must not move on while events wait.
func (h *house) addTrouble(ctx context.Context) error {
	left := Now.Add(-troubled).Sub(h.clock.Now())
	if left < 0 {
		return fmt.Errorf("the data before reach %v too far", -left)
	}
	h.clock.Advance(left)
	for _, add := range []func(context.Context) error{h.addDisabled, h.addFailing, h.addRotation, h.addHostileEvent} {
		if err := add(ctx); err != nil {
			return err
		}
	}
	return until(ctx, h, owner, "/v1/webhooks/events?limit=500", func(found client.EventList) bool {
		h.events["delivered"] = found.Events[0].EventID
		return !slices.ContainsFunc(found.Events, func(e client.EventRecord) bool { return e.State == client.EventPending })
	})
}

func (h *house) addDisabled(ctx context.Context) error {
	fleurs, _, err := h.register(ctx, disabled, "Fleurs du Coin", "ines@fleurs.example")
	if err != nil {
		return err
	}
	if err := h.receive(ctx, disabled, "/gone"); err != nil {
		return err
	}
	if _, err := h.place(ctx, disabled, fleurs, "F-1", "accepted"); err != nil {
		return err
	}
	return until(ctx, h, disabled, "/v1/webhooks/endpoint", func(e client.WebhookEndpoint) bool { return !e.Enabled })
}

// addFailing adds a partner with events in all states: one that was not sent, one that
// was given up, one that was delivered after it, one that will be tried again, and one
// that waits for it. When it returns it is a second before Now.
func (h *house) addFailing(ctx context.Context) error {
	atelier, _, err := h.register(ctx, failing, "Atelier Bois", "marc@atelier.example")
	if err != nil {
		return err
	}
	if _, err := h.place(ctx, failing, atelier, "B-1", "accepted"); err != nil { // before there is an endpoint
		return err
	}
	if err := h.receive(ctx, failing, "/atelier"); err != nil {
		return err
	}
	given, err := h.place(ctx, failing, atelier, "B-2", "accepted", "courier_assigned")
	if err != nil {
		return err
	}
	if err := h.giveUp(ctx, given[0], given[1]); err != nil {
		return err
	}
	waiting, err := h.place(ctx, failing, atelier, "B-3", "accepted", "courier_assigned")
	if err != nil {
		return err
	}
	if err := h.tried(ctx, failing, waiting[0], 1); err != nil {
		return err
	}
	h.clock.Advance(Now.Add(-time.Second).Sub(h.clock.Now()))
	h.events["failed"], h.events["waiting"] = given[0], waiting[1]
	return h.tried(ctx, failing, waiting[0], 2)
}

// lastTry is the try after which an event is given up, and freeing the one after which
// the next event of its order no longer waits for it.
const (
	lastTry = 10
	freeing = 4
)

// giveUp sends an event again and again until it is given up.
func (h *house) giveUp(ctx context.Context, eventID, next string) error {
	for try := 1; ; try++ {
		if err := h.tried(ctx, failing, eventID, try); err != nil || try == lastTry {
			return err
		}
		if try == freeing {
			if err := h.tried(ctx, failing, next, 1); err != nil {
				return err
			}
		}
		h.clock.Advance(time.Minute)
		if try == 1 {
			continue // the second try comes after a few seconds by itself
		}
		if _, err := h.as(ctx, failing, http.MethodPost, "/v1/webhooks/events/"+eventID+"/redeliver", ""); err != nil {
			return err
		}
	}
}

// addHostileEvent sends an event of the hostile partner to an address that is as long as
// it may be. The clock then shows Now.
func (h *house) addHostileEvent(ctx context.Context) error {
	path := "/hostile?q='-alert(1)-'&amp;lt;script&amp;gt;=javascript:alert(1)&x="
	if err := h.receive(ctx, hostiles, path+strings.Repeat("x", 1900)); err != nil {
		return err
	}
	events, err := h.change(ctx, hostiles, h.orders[hostileText], "accepted")
	if err != nil {
		return err
	}
	h.events["hostile"] = events[0]
	return h.tried(ctx, hostiles, events[0], 1)
}

// addRotation adds Metro's endpoint of test mode, whose secret is being rotated.
func (h *house) addRotation(ctx context.Context) error {
	if _, err := h.as(ctx, owner, http.MethodPut, "/v1/webhooks/endpoint?mode=test",
		fmt.Sprintf(`{"url":%q}`, h.receivers.URL+"/metro")); err != nil {
		return err
	}
	_, err := h.as(ctx, owner, http.MethodPost, "/v1/webhooks/endpoint/rotate-secret?mode=test", "")
	return err
}
