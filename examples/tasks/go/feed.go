//go:build tasks

// Command feed follows the events of orders on a machine that webhooks cannot reach.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/dropyard/dropyard/client"
)

func main() {
	ctx := context.Background()
	c, err := client.FromEnvironment()
	check(err)
	var order client.OrderRequest
	content, err := os.ReadFile("order.json")
	check(err)
	check(json.Unmarshal(content, &order))

	feed, err := c.Feed(ctx, time.Time{}) // from now on
	check(err)

	order.PartnerOrderID = "A-" + client.NewIdempotencyKey()
	created, err := c.CreateOrder(ctx, order)
	check(err)
	_, err = c.CancelOrder(ctx, created.OrderID, client.CancelRequest{})
	check(err)

	for next, err := range feed.Events(ctx) { // waits for the next one
		check(err)
		event, err := client.ParseEvent([]byte(next.Body))
		check(err)
		fmt.Println(event.Type, event.OrderID())
		if event.Type == client.EventOrderCancelled && event.OrderID() == created.OrderID {
			break
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
