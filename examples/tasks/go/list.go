//go:build tasks

// Command list lists all orders, a page at a time.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/dropyard/dropyard/client"
)

func main() {
	ctx := context.Background()
	c, err := client.FromEnvironment()
	check(err)

	query := client.OrderQuery{Limit: 20}
	for {
		page, err := c.ListOrders(ctx, query)
		check(err)
		for _, order := range page.Orders {
			fmt.Println(order.OrderID, order.Status)
		}
		fmt.Println(page.Count, "orders on this page")
		if page.NextCursor == "" {
			break
		}
		query.Cursor = page.NextCursor
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
