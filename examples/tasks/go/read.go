//go:build tasks

// Command read reads an order.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dropyard/dropyard/client"
)

func main() {
	ctx := context.Background()
	c, err := client.FromEnvironment()
	check(err)

	if len(os.Args) != 2 {
		log.Fatal("usage: go run read.go ORDER_ID")
	}
	order, err := c.GetOrder(ctx, os.Args[1])
	check(err)
	const layout = "2006-01-02T15:04:05.000Z07:00"
	fmt.Println(order.OrderID, order.Status, order.EstimatedDelivery.Format(layout))
	for _, change := range order.StatusHistory {
		fmt.Println(change.Timestamp.Format(layout), change.Status)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
