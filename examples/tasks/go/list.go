//go:build tasks

// Command list lists all orders, a page at a time.
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
	c := client.New(os.Getenv("DROPYARD_URL"), os.Getenv("DROPYARD_KEY"), os.Getenv("DROPYARD_SECRET"))

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
