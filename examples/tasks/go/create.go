//go:build tasks

// Command create creates an order, and repeats the call as after a crash.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

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

	order.PartnerOrderID = "A-" + client.NewIdempotencyKey() // your own number of the order, used once
	key := client.NewIdempotencyKey()                        // store it with your order before the call

	created, err := c.CreateOrder(ctx, order, client.WithIdempotencyKey(key))
	check(err)
	fmt.Println("created", created.OrderID, created.Status)
	again, err := c.CreateOrder(ctx, order, client.WithIdempotencyKey(key))
	check(err)
	fmt.Println("again", again.OrderID)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
