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
	c := client.New(os.Getenv("DROPYARD_URL"), os.Getenv("DROPYARD_KEY"), os.Getenv("DROPYARD_SECRET"))

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
