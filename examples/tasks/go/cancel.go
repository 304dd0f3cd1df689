//go:build tasks

// Command cancel cancels an order.
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

	order.PartnerOrderID = "A-" + client.NewIdempotencyKey()
	created, err := c.CreateOrder(ctx, order)
	check(err)

	cancelled, err := c.CancelOrder(ctx, created.OrderID, client.CancelRequest{Reason: "the customer changed their mind"})
	check(err)
	fmt.Println(cancelled.OrderID, cancelled.Status)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
