package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// orderFlags describe an order.
type orderFlags struct {
	File   string   `short:"f" help:"JSON file with the order as POST /v1/orders takes it, or - for standard input." placeholder:"FILE" xor:"base"`
	Sample bool     `help:"Begin with a complete order from Montréal to Toronto tomorrow." xor:"base"`
	Set    []string `short:"s" sep:"none" help:"Set a member: PATH=TEXT, or PATH:=JSON for numbers, booleans and objects (example: -s dropoff.address.city=Laval -s 'parcels[0].weight_kg:=2.5'). May be repeated." placeholder:"PATH=VALUE"`
}

type createOrderCommand struct {
	orderFlags
	DryRun         bool   `help:"Only print the price and the problems; create nothing."`
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default: a new one, which is printed on standard error." placeholder:"UUID"`
	outputFlags
	partnerFlags
}

// Run creates the order, or with --dry-run says whether it would be created.
func (c *createOrderCommand) Run(ctx context.Context) error {
	body, err := c.body()
	if err != nil {
		return usageError{err}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.validate(ctx, partner, body)
	}
	if c.IdempotencyKey == "" {
		c.IdempotencyKey = client.NewIdempotencyKey()
		notice("idempotency key: %s", c.IdempotencyKey)
	}
	var order client.Order
	answer, err := partner.CallWithKey(ctx, http.MethodPost, "/v1/orders", body, c.IdempotencyKey)
	if err := decode(answer, err, &order); err != nil {
		return err
	}
	return c.output().record(answer, orderFields(&order))
}

// body returns the order as the file, the sample and --set describe it. A file that
// nothing is set in is sent byte for byte.
func (c *orderFlags) body() ([]byte, error) {
	content, err := c.base()
	if err != nil || len(c.Set) == 0 {
		return content, err
	}
	var order any
	if err := json.Unmarshal(content, &order); err != nil {
		return nil, fmt.Errorf("--file: %w", err)
	}
	for _, assignment := range c.Set {
		if order, err = assign(order, assignment); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	return json.Marshal(order)
}

func (c *orderFlags) base() ([]byte, error) {
	switch {
	case c.Sample:
		return json.Marshal(sandboxOrder(time.Now()))
	case c.File != "":
		return readFile(c.File)
	case len(c.Set) > 0:
		return []byte("{}"), nil
	default:
		return nil, errors.New("an order is needed: use --file, --sample or --set")
	}
}

// errInvalidOrder is the result of --dry-run for an order that would be refused.
var errInvalidOrder = errors.New("the order would be refused")

func (c *createOrderCommand) validate(ctx context.Context, partner *client.Client, body []byte) error {
	var valid client.Validation
	// The key makes the client repeat a request without a response; nothing is stored.
	answer, err := partner.CallWithKey(ctx, http.MethodPost, "/v1/orders/validate", body, keyOf(body))
	if err := decode(answer, err, &valid); err != nil {
		return err
	}
	var fields []terminal.Field
	if valid.Valid {
		fields = []terminal.Field{
			{Name: "valid", Value: "yes", Style: terminal.Green},
			field("price", dollars(valid.RateCents, valid.Currency)),
			field("estimate", exactly(valid.EstimatedDelivery)),
		}
	}
	for _, warning := range valid.Warnings {
		fields = append(fields,
			terminal.Field{Name: "warning", Value: warning.Field + ": " + warning.Message, Style: terminal.Yellow})
	}
	if err := c.output().record(answer, fields); err != nil || valid.Valid {
		return err
	}
	if valid.Error == nil {
		return errInvalidOrder
	}
	return fmt.Errorf("%w: %w", errInvalidOrder, valid.Error)
}
