//go:build tasks

// Command quote asks for the price of a delivery.
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

	quote, err := c.CreateQuote(ctx, order.QuoteRequest())
	check(err)
	fmt.Printf("%.2f %s, by %s\n", float64(quote.RateCents)/100, quote.Currency,
		quote.EstimatedDelivery.Format("2006-01-02T15:04:05.000Z07:00"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
