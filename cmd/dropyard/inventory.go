package main

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type productsCommand struct {
	Search string `help:"Only products with this text in the name, barcode or SKU." placeholder:"TEXT"`
	SKU    string `name:"sku" help:"Only the product with this SKU." placeholder:"TEXT"`
	listFlags
	partnerFlags
}

// largestInventoryPage is the most objects of a page of products or movements.
const largestInventoryPage = 100

// Run prints the partner's products with their stock.
func (c *productsCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	q := client.ProductQuery{Search: c.Search, SKU: c.SKU}
	return list(&c.listFlags, "products", largestInventoryPage, productColumns(),
		func(size int, option client.CallOption) ([]client.Product, bool, error) {
			q.Limit = size
			found, err := partner.ListProducts(ctx, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Offset += len(found.Products)
			return found.Products, len(found.Products) > 0 && q.Offset < found.Total, nil
		})
}

func productColumns() []column[client.Product] {
	return []column[client.Product]{
		figure("ID", func(p client.Product) string { return number(p.ProductID) }),
		text("NAME", func(p client.Product) string { return p.Name }),
		{title: "STOCK", right: true, cell: stockCell},
		figure("MIN", func(p client.Product) string { return number(p.StockMin) }),
		figure("MAX", func(p client.Product) string { return number(p.StockMax) }),
		figure("PRICE", func(p client.Product) string { return fmt.Sprintf("$%.2f", p.Price) }),
		text("BARCODE", func(p client.Product) string { return p.Barcode }),
		text("SKU", skuOf),
		text("STATUS", func(p client.Product) string { return string(p.Status) }),
	}
}

func skuOf(p client.Product) string {
	if p.SKU == nil {
		return ""
	}
	return *p.SKU
}

// stockCell returns the quantity of a product, and marks what is low.
func stockCell(p client.Product) terminal.Cell {
	cell := terminal.Cell{Text: number(p.Quantity)}
	if p.LowStock {
		cell.Text, cell.Style = cell.Text+" low", terminal.Yellow
	}
	return cell
}

type movementsCommand struct {
	Product int64 `help:"Only movements of this product." placeholder:"ID"`
	listFlags
	partnerFlags
}

// Run prints the partner's stock movements, newest first.
func (c *movementsCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	q := client.MovementQuery{ProductID: c.Product}
	return list(&c.listFlags, "movements", largestInventoryPage,
		movementColumns(func(m client.Movement) client.Movement { return m }),
		func(size int, option client.CallOption) ([]client.Movement, bool, error) {
			q.Limit = size
			found, err := partner.ListMovements(ctx, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Offset += len(found.Movements)
			return found.Movements, len(found.Movements) == found.Limit, nil
		})
}

// movementColumns returns the columns of a list whose items hold a movement.
func movementColumns[T any](of func(T) client.Movement) []column[T] {
	return []column[T]{
		figure("ID", func(t T) string { return number(of(t).MovementID) }),
		text("DATE", func(t T) string { return moment(of(t).Date) }),
		text("TYPE", func(t T) string { return string(of(t).Type) }),
		figure("QUANTITY", func(t T) string { return number(of(t).Quantity) }),
		figure("PRODUCT", func(t T) string { return number(of(t).ProductID) }),
		text("NAME", func(t T) string { return of(t).ProductName }),
		text("LOCATION", func(t T) string { return of(t).Location }),
	}
}
