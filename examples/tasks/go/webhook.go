//go:build tasks

// Command webhook sets the endpoint for webhooks, receives one and verifies it.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/dropyard/dropyard/client"
)

func main() {
	ctx := context.Background()
	c, err := client.FromEnvironment()
	check(err)

	listener, err := net.Listen("tcp", "127.0.0.1:0") // in production, behind https
	check(err)

	// Once: the endpoint, in place of the one before. Store its secret, which is shown only here.
	if _, err := c.DeleteWebhookEndpoint(ctx); client.CodeOf(err) != client.CodeNotFound {
		check(err)
	}
	endpoint, err := c.SetWebhookEndpoint(ctx,
		client.WebhookEndpointRequest{URL: "http://" + listener.Addr().String() + "/hooks"})
	check(err)

	http.Handle("POST /hooks", client.Webhooks(endpoint.Secret, func(_ context.Context, event *client.Event) error {
		fmt.Println("received", event.Type) // in production, store it under event.ID
		return nil
	}))
	go func() { check(http.Serve(listener, nil)) }()

	_, err = c.TestWebhook(ctx)
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
