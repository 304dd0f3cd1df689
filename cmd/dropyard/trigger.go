package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
)

type triggerCommand struct {
	Event string `arg:"" help:"One of ${events}; or ${test}, which the service sends directly to the endpoint."`
	partnerFlags
}

// testEvent is the type of the event that is caused by no order, but by the test of
// an endpoint.
const testEvent = "webhook.test"

// triggerable returns the names of all events of orders and of stock.
func triggerable() string { return eventNames(slices.Concat(delivery.OrderEvents, stockEvents)) }

// act is something besides a move that causes an event.
type act struct {
	name  string
	event delivery.EventType
}

func (a act) print() { printCaused(a.name, a.event) }

func printCaused(what string, event delivery.EventType) { tell("%-16s  causes %s", what, event) }

// otherEvent says how an event is caused that no move causes.
type otherEvent struct {
	steps []delivery.Status // the moves of a new order that come first
	acts  []act             // the last causes the event
	// cause makes the calls. Operator is nil in test mode, where the service's simulation answers.
	cause    func(ctx context.Context, partner *client.Client, operator *client.Operator, orderID string) error
	happened func(*client.Order) bool
}

var (
	givenUp = []delivery.Status{
		delivery.StatusAccepted, delivery.StatusCourierAssigned, delivery.StatusPickedUp, delivery.StatusFailed,
		delivery.StatusCancelled,
	}
	dueAct = act{string(delivery.ReturnDue), delivery.EventReturnDue}

	// otherEvents has the events of orders that no move causes.
	otherEvents = map[delivery.EventType]otherEvent{
		delivery.EventOrderUpdated: {
			acts: []act{{"edited", delivery.EventOrderUpdated}}, cause: edit,
			happened: func(order *client.Order) bool { return len(order.Changes) > 0 },
		},
		delivery.EventCancellationDeclined: {
			steps: givenUp[:2], acts: []act{{string(delivery.RequestDeclined), delivery.EventCancellationDeclined}},
			cause: decline,
			happened: func(order *client.Order) bool {
				return order.CancellationRequest != nil && order.CancellationRequest.State == client.RequestDeclined
			},
		},
		delivery.EventCourierChanged: {
			steps: givenUp[:3], acts: []act{{"handed_over", delivery.EventCourierChanged}}, cause: handOver,
			happened: func(order *client.Order) bool { return order.Version > int64(len(order.StatusHistory)) },
		},
		delivery.EventReturnDue: {
			steps: givenUp, acts: []act{dueAct}, cause: nothing,
			happened: func(order *client.Order) bool { return order.Return != nil },
		},
		delivery.EventReturnReceived: {
			steps: givenUp, cause: receiveReturn,
			acts: []act{dueAct, {string(delivery.ReturnReceived), delivery.EventReturnReceived}},
			happened: func(order *client.Order) bool {
				return order.Return != nil && order.Return.State == client.ReturnStateReceived
			},
		},
	}
)

// Run causes the event and prints each step on the way.
func (c *triggerCommand) Run(ctx context.Context) error {
	event := delivery.EventType(c.Event)
	steps, ok := stepsTo(event)
	ofStock := slices.Contains(stockEvents, event)
	if !ok && !ofStock && c.Event != testEvent {
		return usageError{fmt.Errorf("<event>: %q is not one of %s, %s", c.Event, triggerable(), testEvent)}
	}
	partner, err := c.client()
	switch {
	case err != nil:
		return err
	case c.Event == testEvent:
		return sendTest(ctx, partner)
	case ofStock:
		return c.triggerStock(ctx, partner, event)
	case inTest(partner):
		return triggerSimulated(ctx, partner, event)
	}
	// What may be refused comes first, so that a failure leaves no order behind.
	operator, err := c.dispatcher(ctx)
	if err != nil {
		return err
	}
	courierID := ""
	if slices.Contains(steps, delivery.StatusCourierAssigned) {
		if courierID, err = anyCourier(ctx, operator); err != nil {
			return err
		}
	}
	order, err := createOrder(ctx, partner)
	if err != nil {
		return err
	}
	tell("order %s created", order.OrderID)
	for _, to := range steps {
		if err := move(ctx, operator, order.OrderID, to, courierID); err != nil {
			return fmt.Errorf("move the order to %s: %w", to, err)
		}
		event, _ := delivery.EventFor(to)
		printCaused(string(to), event)
	}
	if other, ok := otherEvents[event]; ok {
		if err := other.cause(ctx, partner, operator, order.OrderID); err != nil {
			return err
		}
		for _, act := range other.acts {
			act.print()
		}
	}
	tell("track it at %s", order.TrackingURL)
	return nil
}

// edit changes the reference of an order.
func edit(ctx context.Context, partner *client.Client, _ *client.Operator, orderID string) error {
	if _, err := partner.EditOrder(ctx, orderID, client.OrderEdit{"reference": "edited"}, 0); err != nil {
		return fmt.Errorf("edit the order: %w", err)
	}
	return nil
}

// decline requests the cancellation of an order and declines it.
func decline(ctx context.Context, partner *client.Client, operator *client.Operator, orderID string) error {
	_, err := partner.RequestCancellation(ctx, orderID, client.CancellationWanted{Reason: declines})
	if err != nil {
		return fmt.Errorf("request the cancellation: %w", err)
	}
	if operator == nil {
		return nil
	}
	_, err = operator.AnswerCancellationRequest(ctx, orderID, client.CancellationAnswer{Answer: "a test"})
	if err != nil {
		return fmt.Errorf("decline the cancellation: %w", err)
	}
	return nil
}

func nothing(context.Context, *client.Client, *client.Operator, string) error { return nil }

// handOver brings the parcels of an order to a hub.
func handOver(ctx context.Context, _ *client.Client, operator *client.Operator, orderID string) error {
	if operator == nil {
		return nil
	}
	if _, err := operator.TransferOrder(ctx, orderID, client.TransferRequest{Location: "HUB-1"}); err != nil {
		return fmt.Errorf("hand the parcels over: %w", err)
	}
	return nil
}

// receiveReturn receives the parcels of an order without items that was given up.
func receiveReturn(ctx context.Context, _ *client.Client, operator *client.Operator, orderID string) error {
	if operator == nil {
		return nil
	}
	if _, err := operator.ReceiveReturn(ctx, orderID, client.ReceiptRequest{Location: "HUB-1"}); err != nil {
		return fmt.Errorf("receive the parcels: %w", err)
	}
	return nil
}

// stepsTo returns the shortest path of statuses by which a new order reaches the one
// that causes an event, or from which the event can be caused. It searches the table of
// transitions breadth first.
func stepsTo(event delivery.EventType) (steps []delivery.Status, ok bool) {
	if other, ok := otherEvents[event]; ok {
		return other.steps, true
	}
	paths := [][]delivery.Status{{delivery.StatusPending}}
	reached := map[delivery.Status]bool{delivery.StatusPending: true}
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		last := path[len(path)-1]
		if caused, _ := delivery.EventFor(last); caused == event {
			return path[1:], event != "" // pending causes no event
		}
		for _, next := range delivery.NextStatuses(last) {
			if !reached[next] {
				reached[next] = true
				paths = append(paths, append(slices.Clone(path), next))
			}
		}
	}
	return nil, false
}

// sendTest makes the service send a test event to the partner's endpoint, and prints
// the result.
func sendTest(ctx context.Context, partner *client.Client) error {
	tested, err := partner.TestWebhook(ctx)
	if err != nil {
		return err
	}
	outcome := cmp.Or(tested.Error, statusText(tested.StatusCode))
	if !tested.Delivered {
		return fmt.Errorf("the endpoint did not accept %s %s: %s (%d ms)", testEvent, tested.EventID, outcome,
			tested.DurationMS)
	}
	tell("the endpoint accepted %s %s: %s (%d ms)", testEvent, tested.EventID, outcome, tested.DurationMS)
	return nil
}

// decode parses the response to a request that returned err. A refusal is an error.
func decode(answer *client.Answer, err error, into any) error {
	if err != nil {
		return err
	}
	if err := answer.Err(); err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return fmt.Errorf("%w: %w", errNoList, err)
	}
	return nil
}

// createOrder creates a sandbox order.
func createOrder(ctx context.Context, partner *client.Client) (*client.Order, error) {
	created, err := partner.CreateOrder(ctx, sandboxOrder(time.Now()))
	if err != nil {
		return nil, fmt.Errorf("create an order: %w", err)
	}
	return created, nil
}

// sandboxOrder returns an order that is marked as a test, to be picked up from tomorrow on within three days, of which
// a weekend leaves one, and delivered within the week after, which any service level can do.
func sandboxOrder(now time.Time) client.OrderRequest {
	at := func(days, hour int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, hour, 0, 0, 0, time.FixedZone("", -5*60*60))
	}
	return client.OrderRequest{
		PartnerOrderID: "SANDBOX-" + client.NewIdempotencyKey(),
		ServiceLevel:   client.LevelExpress,
		Pickup: client.Contact{
			Name: "Sandbox shop", Phone: "+15145550100", Email: "shop@example.com", TimeWindow: client.TimeWindow{
				Start: at(1, 9), End: at(3, 17),
			},
			Address: client.Address{
				Line1: "4000 Rue Saint-Denis", City: "Montréal", Province: client.Quebec, PostalCode: "H2W 2M5",
				Country: client.Canada,
			},
		},
		Dropoff: client.Contact{
			Name: "Sandbox recipient", Phone: "+14165550123", Email: "recipient@example.com", TimeWindow: client.TimeWindow{
				Start: at(1, 9), End: at(8, 17),
			},
			Address: client.Address{
				Line1: "100 Queen St W", City: "Toronto", Province: client.Ontario, PostalCode: "M5H 2N2", Country: client.Canada,
			},
		},
		Parcels: []client.Parcel{{
			ParcelID: "P-1", Description: "Nothing: a test", LengthCM: 30, WidthCM: 20, HeightCM: 10, WeightKG: 1,
		}},
		Metadata: json.RawMessage(`{"sandbox":true}`),
	}
}
