package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
)

type triggerCommand struct {
	Event string `arg:"" help:"One of ${events}; or ${test}, which the service sends directly to the endpoint."`
	partnerFlags
	OperatorEmail    string `help:"E-mail address of the operator who moves the order." env:"DROPYARD_OPERATOR_EMAIL" placeholder:"EMAIL"`
	OperatorPassword string `help:"Password of the operator." env:"DROPYARD_OPERATOR_PASSWORD" placeholder:"PASSWORD"`
	OperatorToken    string `help:"Token from POST /ops/v1/tokens, instead of e-mail address and password." env:"DROPYARD_OPERATOR_TOKEN" placeholder:"TOKEN"`
}

// testEvent is the type of the event that is caused by no order, but by the test of
// an endpoint.
const testEvent = "webhook.test"

// Run causes the event and prints each step on the way.
func (c *triggerCommand) Run(ctx context.Context) error {
	partner := c.client()
	if c.Event == testEvent {
		return sendTest(ctx, partner)
	}
	steps, ok := stepsTo(delivery.EventType(c.Event))
	if !ok {
		return usageError{fmt.Errorf("<event>: %q is not one of %s, %s", c.Event, eventNames(), testEvent)}
	}
	if c.OperatorToken == "" && (c.OperatorEmail == "" || c.OperatorPassword == "") {
		return usageError{errors.New("an operator is needed to move the order: set --operator-email and --operator-password, or --operator-token")}
	}
	// What may be refused comes first, so that a failure leaves no order behind.
	operator, err := c.operate(ctx)
	if err != nil {
		return err
	}
	courierID := ""
	if slices.Contains(steps, delivery.StatusCourierAssigned) {
		if courierID, err = operator.courier(ctx); err != nil {
			return err
		}
	}
	order, err := createOrder(ctx, partner)
	if err != nil {
		return err
	}
	fmt.Printf("order %s created\n", order.OrderID)
	for _, to := range steps {
		if err := operator.move(ctx, order.OrderID, to, courierID); err != nil {
			return fmt.Errorf("move the order to %s: %w", to, err)
		}
		event, _ := delivery.EventFor(to)
		fmt.Printf("%-16s  causes %s\n", to, event)
	}
	fmt.Printf("track it at %s\n", order.TrackingURL)
	return nil
}

// stepsTo returns the shortest path of statuses by which a new order reaches the one
// that causes an event. It searches the table of transitions breadth first.
func stepsTo(event delivery.EventType) (steps []delivery.Status, ok bool) {
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
	var tested struct {
		EventID    string `json:"event_id"`
		Delivered  bool   `json:"delivered"`
		StatusCode int    `json:"status_code"`
		DurationMS int64  `json:"duration_ms"`
		Error      string `json:"error"`
	}
	// Call repeats the request when no response arrives; a second test does no harm.
	answer, err := partner.Call(ctx, http.MethodPost, "/v1/webhooks/test", nil)
	if err := decode(answer, err, &tested); err != nil {
		return err
	}
	outcome := cmp.Or(tested.Error, statusText(tested.StatusCode))
	if !tested.Delivered {
		return fmt.Errorf("the endpoint did not accept %s %s: %s (%d ms)", testEvent, tested.EventID, outcome, tested.DurationMS)
	}
	fmt.Printf("the endpoint accepted %s %s: %s (%d ms)\n", testEvent, tested.EventID, outcome, tested.DurationMS)
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
		return fmt.Errorf("the response is not from a dropyard service: %w", err)
	}
	return nil
}

type createdOrder struct {
	OrderID     string `json:"order_id"`
	TrackingURL string `json:"tracking_url"`
}

// createOrder creates a sandbox order.
func createOrder(ctx context.Context, partner *client.Client) (created createdOrder, err error) {
	body, err := json.Marshal(sandboxOrder(time.Now()))
	if err != nil {
		return created, err
	}
	answer, err := partner.Call(ctx, http.MethodPost, "/v1/orders", body)
	if err = decode(answer, err, &created); err != nil {
		return created, fmt.Errorf("create an order: %w", err)
	}
	return created, nil
}

// object is a JSON object.
type object map[string]any

// sandboxOrder returns a request for an order that is marked as a test.
func sandboxOrder(now time.Time) object {
	day := now.AddDate(0, 0, 1).Format(time.DateOnly)
	window := object{"start": day + "T09:00:00-05:00", "end": day + "T17:00:00-05:00"}
	return object{
		"partner_order_id": "SANDBOX-" + client.NewIdempotencyKey(),
		"service_level":    "express",
		"pickup": object{
			"name": "Sandbox shop", "phone": "+15145550100", "email": "shop@example.com", "time_window": window,
			"address": object{"line1": "4000 Rue Saint-Denis", "city": "Montréal", "province": "QC", "postal_code": "H2W 2M5", "country": "CA"},
		},
		"dropoff": object{
			"name": "Sandbox recipient", "phone": "+14165550123", "email": "recipient@example.com", "time_window": window,
			"address": object{"line1": "100 Queen St W", "city": "Toronto", "province": "ON", "postal_code": "M5H 2N2", "country": "CA"},
		},
		"parcels": []object{{
			"parcel_id": "P-1", "description": "Nothing: a test", "length_cm": 30, "width_cm": 20, "height_cm": 10, "weight_kg": 1, "value_cents": 0,
		}},
		"metadata": object{"sandbox": true},
	}
}

// operate logs the operator in, unless a token was given.
func (c *triggerCommand) operate(ctx context.Context) (*operatorClient, error) {
	o := &operatorClient{url: strings.TrimSuffix(c.URL, "/"), token: c.OperatorToken}
	if o.token != "" {
		return o, nil
	}
	var issued struct {
		Token string `json:"token"`
	}
	credentials := object{"email": c.OperatorEmail, "password": c.OperatorPassword, "name": "dropyard trigger"}
	if err := o.call(ctx, http.MethodPost, "/ops/v1/tokens", credentials, &issued); err != nil {
		return nil, fmt.Errorf("log the operator in: %w", err)
	}
	o.token = issued.Token
	return o, nil
}
