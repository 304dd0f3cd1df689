//go:build tasks

// Command errors handles the errors of a call.
package main

import (
	"context"
	"encoding/json"
	"errors"
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
	order.Parcels[0].WeightKG = 71 // too heavy
	key := client.NewIdempotencyKey()

	_, err = c.CreateOrder(ctx, order, client.WithIdempotencyKey(key))
	var refused *client.Error
	switch {
	case err == nil:
		fmt.Println("created")
	case !errors.As(err, &refused): // no answer, and the order may exist: call again later with the same key
		fmt.Println("no answer", key)
	case refused.Code == client.CodeValidationError: // correct these fields
		for _, problem := range refused.Details.Errors {
			fmt.Printf("%s: %s\n", problem.Field, problem.Expected)
		}
	case refused.Code == client.CodeInsufficientStock: // order less, or restock
		fmt.Println(refused.Details.Items)
	default: // any other refusal; DocURL is the page about its code
		fmt.Println(refused.Code, refused.Message, refused.DocURL, refused.RequestID)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
