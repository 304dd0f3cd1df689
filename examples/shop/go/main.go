// Command go is a small shop: a quote, an order from stock, its label, a refusal, a
// cancellation, and a webhook. The README beside it says how to run it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/dropyard/dropyard/client"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	shop, err := client.FromEnvironment()
	if err != nil {
		return err
	}
	order, err := readOrder()
	if err != nil {
		return err
	}
	events, stop, err := receive(ctx, shop)
	if err != nil {
		return err
	}
	defer stop()

	quote, err := shop.CreateQuote(ctx, order.QuoteRequest())
	if err != nil {
		return err
	}
	fmt.Printf("%.2f %s, by %s\n", float64(quote.RateCents)/100, quote.Currency,
		quote.EstimatedDelivery.Format("2006-01-02T15:04:05.000Z07:00"))

	order.QuoteID = quote.QuoteID // at this price
	created, err := shop.CreateOrder(ctx, order)
	if err != nil {
		return err
	}
	fmt.Printf("ordered %s: %d x %s\n", created.OrderID, created.Items[0].Quantity, created.Items[0].Name)

	label, err := shop.GetLabel(ctx, created.OrderID, client.LabelPDF)
	if err != nil {
		return err
	}
	if err := os.WriteFile("label.pdf", label, 0o600); err != nil {
		return err
	}
	fmt.Println("wrote label.pdf")

	order.PartnerOrderID, order.Parcels = client.NewIdempotencyKey(), nil
	var refused *client.Error
	if _, err := shop.CreateOrder(ctx, order); !errors.As(err, &refused) {
		return fmt.Errorf("an order without parcels: got %w, want a refusal", err)
	}
	for _, problem := range refused.Details.Errors {
		fmt.Printf("refused: %s: %s\n", problem.Field, problem.Expected)
	}

	if _, err := shop.CancelOrder(ctx, created.OrderID,
		client.CancelRequest{Reason: "the customer changed their mind"}); err != nil {
		return err
	}
	fmt.Println("cancelled", created.OrderID)
	for event := range events { // others may come first, such as order.accepted
		if event.Type == client.EventOrderCancelled {
			fmt.Println("received", event.Type, "of", created.OrderID)
			return nil
		}
	}
	return nil
}

// readOrder reads the order that all these shops make, and gives it a number of its own.
func readOrder() (order client.OrderRequest, err error) {
	content, err := os.ReadFile("order.json")
	if err == nil {
		err = json.Unmarshal(content, &order)
	}
	order.PartnerOrderID = client.NewIdempotencyKey()
	return order, err
}

// receive serves the shop's endpoint for webhooks. It verifies each event before it
// passes it on.
func receive(ctx context.Context, shop *client.Client) (events chan *client.Event, stop func(), err error) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux) // in production, an http.Server behind https
	endpoint, err := newEndpoint(ctx, shop, server.URL+"/hooks")
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	events = make(chan *client.Event, 10)
	mux.Handle("POST /hooks", client.Webhooks(endpoint.Secret, func(_ context.Context, event *client.Event) error {
		select { // in production, store it under event.ID
		case events <- event:
			return nil
		case <-time.After(time.Second):
			return errors.New("too many events at once")
		}
	}))
	return events, server.Close, nil
}

// newEndpoint sets an address for webhooks in place of the one before, with a new secret.
func newEndpoint(ctx context.Context, shop *client.Client, address string) (*client.WebhookEndpoint, error) {
	var refused *client.Error
	_, err := shop.DeleteWebhookEndpoint(ctx)
	if err != nil && (!errors.As(err, &refused) || refused.Code != client.CodeNotFound) {
		return nil, err
	}
	return shop.SetWebhookEndpoint(ctx, client.WebhookEndpointRequest{URL: address})
}
