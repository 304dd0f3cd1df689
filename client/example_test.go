package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
)

// From nothing to a cancelled order: an account, a key, an endpoint for webhooks, a quote,
// an order, and the event of its cancellation.
func Example() {
	ctx := context.Background()
	service := client.NewService(exampleURL()) // in production, https://…

	// Once: an account and an API key. Store the secret key; it is shown only here.
	email, password := "tech@librairie-du-port.example", "brume-et-goélands-1907"
	if _, err := service.Register(ctx,
		client.RegisterRequest{Name: "Librairie du Port", Email: email, Password: password}); err != nil {
		log.Fatal(err)
	}
	session, err := service.Login(ctx, client.LoginRequest{Email: email, Password: password})
	if err != nil {
		log.Fatal(err)
	}
	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: "production"})
	if err != nil {
		log.Fatal(err)
	}
	c := client.New(service.BaseURL, key.PublicKey, key.SecretKey)

	// Once: an endpoint for webhooks. Store its secret, too.
	events := make(chan *client.Event, 1)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux) // in production, behind https://…
	endpoint, err := c.SetWebhookEndpoint(ctx, client.WebhookEndpointRequest{URL: server.URL + "/hooks"})
	if err != nil {
		log.Fatal(err)
	}
	mux.Handle("POST /hooks", client.Webhooks(endpoint.Secret, func(_ context.Context, event *client.Event) error {
		events <- event // in production, store it under event.ID
		return nil
	}))

	// For each delivery: a quote if the price matters, and the order.
	tomorrow := time.Now().AddDate(0, 0, 1)
	order := client.OrderRequest{
		PartnerOrderID: "LP-2026-0001",
		ServiceLevel:   client.LevelExpress,
		Pickup: client.Contact{
			Name: "Librairie du Port", Phone: "+15145550100", Email: email,
			Address: client.Address{
				Line1: "333 rue de la Commune", City: "Montréal", Province: client.Quebec, PostalCode: "H2Y 2E2",
				Country: client.Canada,
			},
			TimeWindow: client.TimeWindow{Start: tomorrow, End: tomorrow.Add(3 * time.Hour)},
		},
		Dropoff: client.Contact{
			Name: "Anne-Marie Côté", Phone: "+14185550142", Email: "am.cote@example.org",
			Address: client.Address{
				Line1: "1 rue des Carrières", City: "Québec", Province: client.Quebec, PostalCode: "G1R 4P5",
				Country: client.Canada,
			},
			TimeWindow: client.TimeWindow{Start: tomorrow.Add(24 * time.Hour), End: tomorrow.Add(30 * time.Hour)},
		},
		Parcels: []client.Parcel{{
			ParcelID: "1", Description: "Three novels", LengthCM: 25, WidthCM: 18, HeightCM: 9, WeightKG: 1.4, ValueCents: 6400,
		}},
	}
	quote, err := c.CreateQuote(ctx, order.QuoteRequest())
	if err != nil {
		log.Fatal(err)
	}
	order.QuoteID = quote.QuoteID
	created, err := c.CreateOrder(ctx, order)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(created.PartnerOrderID, created.Status, "at the quoted price:", created.RateCents == quote.RateCents)

	cancelled, err := c.CancelOrder(ctx, created.OrderID, client.CancelRequest{Reason: "Sold in the shop."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cancelled.PartnerOrderID, cancelled.Status)

	event := <-events
	server.Close()
	switch data := event.Data.(type) {
	case *client.OrderCancelled:
		fmt.Println(event.Type, "by", data.CancelledBy, "because:", data.Reason)
	default:
		fmt.Println(event.Type)
	}
	// Output:
	// LP-2026-0001 pending at the quoted price: true
	// LP-2026-0001 cancelled
	// order.cancelled by partner because: Sold in the shop.
}

// All faults of a request are in one error, by field.
func ExampleError() {
	ctx := context.Background()
	c := exampleClient(ctx)
	order := exampleOrder("EM-1")
	order.Dropoff.Address.PostalCode = "D2X 1Y4"
	order.Parcels[0].WeightKG = 70.5

	_, err := c.CreateOrder(ctx, order)
	var refused *client.Error
	if !errors.As(err, &refused) {
		log.Fatal(err)
	}
	fmt.Println(refused.Status, refused.Code)
	for _, problem := range refused.Details.Errors {
		fmt.Printf("%s: got %v, want %s\n", problem.Field, problem.Value, problem.Expected)
	}
	// Output:
	// 422 validation_error
	// dropoff.address.postal_code: got D2X 1Y4, want a Canadian postal code, such as H2X 1Y4
	// parcels[0].weight_kg: got 70.5, want a number from 0.01 to 70
}

// A call that was interrupted is repeated with the same key, and returns the same order.
func ExampleWithIdempotencyKey() {
	ctx := context.Background()
	c := exampleClient(ctx)
	key := client.NewIdempotencyKey() // store it before the call
	order := exampleOrder("EM-2")

	first, err := c.CreateOrder(ctx, order, client.WithIdempotencyKey(key))
	if err != nil {
		log.Fatal(err)
	}
	var answer client.Answer
	again, err := c.CreateOrder(ctx, order, client.WithIdempotencyKey(key), client.WithAnswer(&answer))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the same order:", first.OrderID == again.OrderID, "replayed:", answer.Replayed())

	_, err = c.CreateOrder(ctx, order) // a new key
	fmt.Println(client.CodeOf(err))
	// Output:
	// the same order: true replayed: true
	// conflict
}

// A loop reads as many pages as it needs.
func ExampleClient_Orders() {
	ctx := context.Background()
	c := exampleClient(ctx)
	for _, reference := range []string{"EM-1", "EM-2", "EM-3"} {
		if _, err := c.CreateOrder(ctx, exampleOrder(reference)); err != nil {
			log.Fatal(err)
		}
	}
	for order, err := range c.Orders(ctx, client.OrderQuery{Status: client.StatusPending, Limit: 2}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(order.PartnerOrderID)
	}
	// Unordered output:
	// EM-1
	// EM-2
	// EM-3
}

// A batch reports the result of each order.
func ExampleClient_CreateOrders() {
	ctx := context.Background()
	c := exampleClient(ctx)
	heavy := exampleOrder("EM-2")
	heavy.Parcels[0].WeightKG = 71

	batch, err := c.CreateOrders(ctx, client.OrderBatch{Orders: []client.OrderRequest{exampleOrder("EM-1"), heavy}})
	if err != nil {
		log.Fatal(err)
	}
	for _, result := range batch.Results {
		if result.Error != nil {
			fmt.Println(result.Index, result.Error.Code, result.Error.Details.Field)
			continue
		}
		fmt.Println(result.Index, result.Order.Status)
	}
	// Output:
	// 0 pending
	// 1 validation_error parcels[0].weight_kg
}

// The feed shows events on a machine that webhooks cannot reach.
func ExampleClient_Feed() {
	ctx := context.Background()
	c := exampleClient(ctx)
	feed, err := c.Feed(ctx, time.Time{}) // from now on
	if err != nil {
		log.Fatal(err)
	}
	order, err := c.CreateOrder(ctx, exampleOrder("EM-1"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.CancelOrder(ctx, order.OrderID, client.CancelRequest{}); err != nil {
		log.Fatal(err)
	}
	for next, err := range feed.Events(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		event, err := client.ParseEvent([]byte(next.Body))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type, event.OrderID() == order.OrderID)
		break
	}
	// Output:
	// order.cancelled true
}

// A receiver verifies the webhook, stores each event once, and answers soon. Its test
// signs an event as the service does.
func ExampleWebhooks() {
	secret := client.NewWebhookSecret() // in production, from SetWebhookEndpoint
	known := map[string]bool{}          // in production, a table with a unique event id

	receiver := client.Webhooks(secret, func(_ context.Context, event *client.Event) error {
		if !known[event.ID] {
			known[event.ID] = true
			fmt.Println(event.Type, event.OrderID())
		}
		return nil
	})

	body := `{"id":"01a1fd87-4795-75e2-b4c2-de80bc41850d","type":"order.accepted","data":{"order_id":"ord_1"}}`
	for _, signedWith := range []string{secret, secret, client.NewWebhookSecret()} {
		request := httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(body))
		request.Header, _ = client.SignWebhook(signedWith, "01a1fd87-4795-75e2-b4c2-de80bc41850d", time.Now(), []byte(body))
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, request)
		fmt.Println(answer.Code)
	}
	// Output:
	// order.accepted ord_1
	// 200
	// 200
	// 401
}
