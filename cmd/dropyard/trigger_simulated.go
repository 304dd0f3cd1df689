package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// outcomes has the references that make the service's simulation cause an event; all
// other events are on the way to a delivery.
var outcomes = map[delivery.EventType]string{
	delivery.EventOrderFailed:          "sim:fail",
	delivery.EventOrderCancelled:       "sim:cancel",
	delivery.EventCancellationDeclined: "sim:hold",
	delivery.EventCourierChanged:       "sim:hand-over",
	delivery.EventReturnDue:            "sim:fail",
	delivery.EventReturnReceived:       "sim:fail",
}

// declines is the reason of a request to cancel an order that the simulation declines.
const declines = "sim:decline"

// lookEvery is the time between two looks at an order in test mode. Tests shorten it.
var lookEvery = 500 * time.Millisecond

// triggerSimulated creates an order in test mode, where the service moves orders
// itself, and prints what happens to it until the event has happened.
func triggerSimulated(ctx context.Context, partner *client.Client, event delivery.EventType) error {
	request := sandboxOrder(time.Now())
	request.Reference = cmp.Or(outcomes[event], "sim:deliver")
	order, err := partner.CreateOrder(ctx, request)
	if err != nil {
		return fmt.Errorf("create an order: %w", err)
	}
	tell("order %s created", order.OrderID)
	other, isOther := otherEvents[event]
	for printed, began := 1, false; ; { // the history begins with pending, which causes no event
		for ; printed < len(order.StatusHistory); printed++ {
			status := delivery.Status(order.StatusHistory[printed].Status)
			caused, _ := delivery.EventFor(status)
			printCaused(string(status), caused)
			if caused == event {
				tell("track it at %s", order.TrackingURL)
				return nil
			}
		}
		if isOther && !began && printed > len(other.steps) {
			began = true
			if err := other.cause(ctx, partner, nil, order.OrderID); err != nil {
				return err
			}
		}
		if isOther && other.happened(order) {
			for _, act := range other.acts {
				act.print()
			}
			tell("track it at %s", order.TrackingURL)
			return nil
		}
		if err := pace.Pause(ctx, lookEvery); err != nil {
			return unlessStopped(ctx, err)
		}
		if order, err = partner.GetOrder(ctx, order.OrderID); err != nil {
			return fmt.Errorf("look at the order: %w", err)
		}
	}
}
