//go:build tasks

// Command label writes the labels of an order to a file.
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
		log.Fatal("usage: go run label.go ORDER_ID")
	}
	label, err := c.GetLabel(ctx, os.Args[1], client.LabelPDF)
	check(err)
	check(os.WriteFile("label.pdf", label, 0o600))
	fmt.Println("wrote label.pdf")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
