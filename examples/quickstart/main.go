// Command quickstart goes from a new account to a delivered order, whose webhooks are
// verified. The service, at DROPYARD_URL or http://127.0.0.1:8080, must move orders by
// itself, and may send webhooks to this machine:
//
//	dropyard serve --simulate --simulate-pace 100ms --webhook-allow-insecure
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/dropyard/dropyard/client"
)

func main() {
	if err := run(context.Background(), os.Stdout,
		cmp.Or(os.Getenv("DROPYARD_URL"), "http://127.0.0.1:8080")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, url string) error {
	c, err := register(ctx, url)
	if err != nil {
		return err
	}
	events, stop, err := receive(ctx, c)
	if err != nil {
		return err
	}
	defer stop()

	// For each delivery: a quote if the price matters, and the order.
	order := newOrder()
	quote, err := c.CreateQuote(ctx, order.QuoteRequest())
	if err != nil {
		return err
	}
	order.QuoteID = quote.QuoteID
	created, err := c.CreateOrder(ctx, order)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "created %s for %.2f %s\n", created.OrderID, float64(created.RateCents)/100, created.Currency)

	// All faults of a request are in one error, by field.
	order.Parcels = nil
	var refused *client.Error
	if _, err := c.CreateOrder(ctx, order); !errors.As(err, &refused) {
		return fmt.Errorf("an order without parcels: got %w, want a refusal", err)
	}
	for _, problem := range refused.Details.Errors {
		_, _ = fmt.Fprintf(out, "refused %s: want %s\n", problem.Field, problem.Expected)
	}

	for last := client.EventType(""); last != client.EventOrderDelivered; {
		select {
		case event := <-events:
			last = event.Type
			_, _ = fmt.Fprintln(out, "verified", event.Type)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for listed, err := range c.Orders(ctx, client.OrderQuery{}) {
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintln(out, listed.PartnerOrderID, listed.Status, listed.TrackingURL)
	}
	return nil
}

// register creates an account and an API key. Do this once, and store the secret key,
// which is shown only here.
func register(ctx context.Context, url string) (*client.Client, error) {
	service := client.NewService(url)
	email, password := client.NewIdempotencyKey()+"@example.com", "seven maple trees"
	if _, err := service.Register(ctx,
		client.RegisterRequest{Name: "Épicerie Métro", Email: email, Password: password}); err != nil {
		return nil, err
	}
	session, err := service.Login(ctx, client.LoginRequest{Email: email, Password: password})
	if err != nil {
		return nil, err
	}
	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: "first order"})
	if err != nil {
		return nil, err
	}
	return client.New(url, key.PublicKey, key.SecretKey), nil
}

// receive serves the endpoint for webhooks, until stop is called. Set the endpoint once,
// and store its secret.
func receive(ctx context.Context, c *client.Client) (events chan *client.Event, stop func(), err error) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux) // in production, an http.Server behind https://…
	endpoint, err := c.SetWebhookEndpoint(ctx, client.WebhookEndpointRequest{URL: server.URL + "/hooks"})
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	events = make(chan *client.Event, 10)
	mux.Handle("POST /hooks", client.Webhooks(endpoint.Secret, func(_ context.Context, event *client.Event) error {
		events <- event // in production, store it under event.ID
		return nil
	}))
	return events, server.Close, nil
}

func newOrder() client.OrderRequest {
	now := time.Now()
	return client.OrderRequest{
		PartnerOrderID: "A-1",
		ServiceLevel:   client.LevelExpress,
		Reference:      "sim:slow", // the simulation then delivers without a failed attempt
		Pickup: client.Contact{
			Name: "Épicerie Métro", Phone: "+15145550100", Email: "shop@example.com",
			Address: client.Address{
				Line1: "4000 rue Saint-Denis", City: "Montréal", Province: client.Quebec, PostalCode: "H2W 2M5",
				Country: client.Canada,
			},
			TimeWindow: client.TimeWindow{Start: now.Add(24 * time.Hour), End: now.Add(27 * time.Hour)},
		},
		Dropoff: client.Contact{
			Name: "Alex Martin", Phone: "+14165550123", Email: "alex@example.org",
			Address: client.Address{
				Line1: "100 Queen St W", City: "Toronto", Province: client.Ontario, PostalCode: "M5H 2N2", Country: client.Canada,
			},
			TimeWindow: client.TimeWindow{Start: now.Add(48 * time.Hour), End: now.Add(72 * time.Hour)},
		},
		Parcels: []client.Parcel{{
			ParcelID: "P-1", Description: "Books", LengthCM: 30, WidthCM: 20, HeightCM: 10, WeightKG: 2.5, ValueCents: 4500,
		}},
	}
}
