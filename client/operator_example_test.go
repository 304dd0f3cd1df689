package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/dropyard/dropyard/client"
)

// A dispatcher finds an order by the number on its label, and accepts it. A version keeps
// two dispatchers from moving the same order.
func ExampleOperator_ChangeOrderStatus() {
	ctx := context.Background()
	shop := exampleClient(ctx)
	order, err := shop.CreateOrder(ctx, exampleOrder("EM-1"))
	if err != nil {
		log.Fatal(err)
	}
	number := strings.ToUpper(order.OrderID[len(order.OrderID)-6:]) // as printed

	o := exampleOperator(ctx)
	for found, err := range o.Board(ctx, client.BoardQuery{Search: number}) {
		if err != nil {
			log.Fatal(err)
		}
		move := client.StatusMoveRequest{StatusMove: client.StatusMove{Status: client.StatusAccepted}, Version: found.Version}
		accepted, err := o.ChangeOrderStatus(ctx, found.OrderID, move)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(accepted.PartnerOrderID, accepted.Status)

		_, err = o.ChangeOrderStatus(ctx, found.OrderID, move)
		var refused *client.Error
		if !errors.As(err, &refused) {
			log.Fatal(err)
		}
		fmt.Println(refused.Code, refused.Details.Status, refused.Details.Version)
	}
	// Output:
	// EM-1 accepted
	// invalid_transition accepted 2
}

// A warehouse books what has arrived. The same key books it once, however often the call
// is repeated.
func ExampleOperator_CreateMovement() {
	ctx := context.Background()
	o := exampleOperator(ctx)
	partnerID := examplePartner(ctx)
	product, err := o.CreateProduct(ctx, partnerID,
		client.ProductRequest{Name: "Coffee beans, 1 kg", Price: 18.25, StockMin: 20})
	if err != nil {
		log.Fatal(err)
	}
	restock := client.MovementRequest{
		Type: client.MovementIn, ProductID: product.ProductID, Quantity: 40, Location: "MTL-01",
	}
	key := client.NewIdempotencyKey() // store it before the call
	for range 2 {
		if _, err := o.CreateMovement(ctx, partnerID, restock, client.WithIdempotencyKey(key)); err != nil {
			log.Fatal(err)
		}
	}
	stocked, err := o.GetProduct(ctx, partnerID, product.ProductID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stocked.Name, stocked.Quantity, stocked.Levels)
	// Output:
	// Coffee beans, 1 kg 40 [{MTL-01 40}]
}

// Fields of a change that are not set stay as they are; Reset restores a default.
func ExampleSetting() {
	ctx := context.Background()
	o := exampleOperator(ctx)
	partnerID := examplePartner(ctx)
	for _, change := range []client.PartnerChange{
		{RateLimit: client.Set[int64](600)},
		{Suspended: new(true), SuspendedReason: "Invoices unpaid since January."},
		{Suspended: new(false), RateLimit: client.Reset[int64]()},
	} {
		partner, err := o.ChangePartner(ctx, partnerID, change)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(partner.RateLimit, partner.Suspended)
	}
	// Output:
	// 600 false
	// 600 true
	// 0 false
}
