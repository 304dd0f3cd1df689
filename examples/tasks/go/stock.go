//go:build tasks

// Command stock creates an order of goods from stock.
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
	for product, err := range c.Products(ctx, client.ProductQuery{}) {
		check(err)
		if product.IsAvailable {
			order.Items = []client.Item{{ProductID: product.ProductID, Quantity: 1}}
			break
		}
	}

	created, err := c.CreateOrder(ctx, order)
	check(err)
	for _, item := range created.Items {
		fmt.Println("created", created.OrderID, "with", item.Quantity, "x", item.Name)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
