package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type stockCommand struct {
	List     listStockCommand    `cmd:"" default:"withargs" help:"List a partner's products and their stock."`
	Levels   stockLevelsCommand  `cmd:"" help:"Show a product's stock at each location."`
	Add      addProductCommand   `cmd:"" help:"Add a product to a partner's catalogue."`
	SetSKU   setSKUCommand       `cmd:"" name:"sku" help:"Set or remove a product's SKU."`
	Low      lowStockCommand     `cmd:"" help:"List the products to restock, of all partners."`
	Receive  receiveCommand      `cmd:"" help:"Book a receipt of goods."`
	Transfer transferCommand     `cmd:"" help:"Book a transfer from one location to another."`
	Adjust   adjustCommand       `cmd:"" help:"Book a correction of the stock at a location."`
	Count    countCommand        `cmd:"" help:"Book the result of a count at a location."`
	Journal  stockJournalCommand `cmd:"" help:"List a partner's movements, newest first."`
}

// stockFlags are the flags of the commands about a partner's stock.
type stockFlags struct {
	Partner string `help:"The partner (par_…), as in dropyard partners." required:"" placeholder:"ID" env:"DROPYARD_PARTNER"`
	operatorFlags
}

type listStockCommand struct {
	Search string `help:"Only products with this text in the name, barcode or SKU." placeholder:"TEXT"`
	SKU    string `name:"sku" help:"Only the product with this SKU." placeholder:"TEXT"`
	Low    bool   `help:"Only products to restock."`
	listFlags
	stockFlags
}

// Run prints the partner's products.
func (c *listStockCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.CatalogueQuery{Search: c.Search, SKU: c.SKU, LowStock: c.Low}
	return list(&c.listFlags, "products", largestPage, productColumns(),
		func(size int, option client.CallOption) ([]client.Product, bool, error) {
			q.Limit = size
			found, err := operator.ListCatalogue(ctx, c.Partner, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Cursor = found.NextCursor
			return found.Products, q.Cursor != "", nil
		})
}

type stockLevelsCommand struct {
	ProductID int64 `arg:"" help:"The product."`
	outputFlags
	stockFlags
}

// Run prints the product and its levels.
func (c *stockLevelsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := operator.GetProduct(ctx, c.Partner, c.ProductID, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	stock := stockCell(found.Product)
	fields := []terminal.Field{
		field("product", number(found.ProductID)), field("name", found.Name), field("sku", skuOf(found.Product)),
		{Name: "stock", Value: stock.Text, Style: stock.Style},
	}
	for _, level := range found.Levels {
		fields = append(fields, field("at "+level.Location, number(level.Quantity)))
	}
	return c.output().record(&answer, fields)
}

type addProductCommand struct {
	Name    string `arg:"" help:"Name of the product."`
	Price   money  `help:"Price in Canadian dollars (example: 12.50)." required:"" placeholder:"DOLLARS"`
	Min     int64  `help:"Quantity at or below which the product is low." placeholder:"N"`
	Max     int64  `help:"Quantity to restock to." placeholder:"N"`
	Barcode string `help:"Barcode." placeholder:"TEXT"`
	SKU     string `name:"sku" help:"The partner's own name of the product." placeholder:"TEXT"`
	outputFlags
	stockFlags
}

// Run adds the product.
func (c *addProductCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	added, err := operator.CreateProduct(ctx, c.Partner,
		client.ProductRequest{
			Name: c.Name, Price: float64(c.Price), StockMin: c.Min, StockMax: c.Max, Barcode: c.Barcode, SKU: c.SKU,
		},
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{field("product",
		number(added.ProductID)), field("name", added.Name), field("status", string(added.Status))})
}

type setSKUCommand struct {
	ProductID int64  `arg:"" help:"The product."`
	SKU       string `arg:"" optional:"" name:"sku" help:"The partner's own name of the product. Leave it out to remove the SKU."`
	outputFlags
	stockFlags
}

// Run sets the SKU.
func (c *setSKUCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	changed, err := operator.ChangeProduct(ctx, c.Partner, c.ProductID, client.ProductChange{SKU: &c.SKU},
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{field("product",
		number(changed.ProductID)), field("name", changed.Name), field("sku", skuOf(*changed))})
}

type lowStockCommand struct {
	listFlags
	operatorFlags
}

// Run prints the products to restock.
func (c *lowStockCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var q client.PageQuery
	return list(&c.listFlags, "products", largestPage, []column[client.LowProduct]{
		text("PARTNER", func(p client.LowProduct) string { return p.PartnerID }),
		figure("ID", func(p client.LowProduct) string { return number(p.ProductID) }),
		text("NAME", func(p client.LowProduct) string { return p.Name }),
		figure("STOCK", func(p client.LowProduct) string { return number(p.Quantity) }),
		figure("MIN", func(p client.LowProduct) string { return number(p.StockMin) }),
		figure("MAX", func(p client.LowProduct) string { return number(p.StockMax) }),
	}, func(size int, option client.CallOption) ([]client.LowProduct, bool, error) {
		q.Limit = size
		found, err := operator.ListLowStock(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Products, q.Cursor != "", nil
	})
}

// bookingFlags are the flags of the commands that book a movement.
type bookingFlags struct {
	Notes          string `help:"Notes for the journal." placeholder:"TEXT"`
	IdempotencyKey string `help:"UUID that makes it safe to repeat the booking. Default: a new one." placeholder:"UUID"`
	outputFlags
	stockFlags
}

// book books a movement and prints it.
func (f *bookingFlags) book(ctx context.Context, movement client.MovementRequest) error {
	operator, err := f.operator()
	if err != nil {
		return err
	}
	movement.Notes = f.Notes
	var answer client.Answer
	booked, err := operator.CreateMovement(ctx, f.Partner, movement, client.WithIdempotencyKey(f.IdempotencyKey),
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return newLister(f.output(), "movements",
		movementColumns(func(m client.Movement) client.Movement { return m })).print(booked.Movements, &answer)
}

type receiveCommand struct {
	ProductID int64  `arg:"" help:"The product."`
	Quantity  int64  `arg:"" help:"Number of units."`
	Location  string `help:"Location to which the units go (example: A-01)." required:"" placeholder:"CODE"`
	bookingFlags
}

// Run books the receipt.
func (c *receiveCommand) Run(ctx context.Context) error {
	return c.book(ctx,
		client.MovementRequest{Type: client.MovementIn, ProductID: c.ProductID, Quantity: c.Quantity, Location: c.Location})
}

type transferCommand struct {
	ProductID int64  `arg:"" help:"The product."`
	Quantity  int64  `arg:"" help:"Number of units."`
	From      string `help:"Location that the units leave." required:"" placeholder:"CODE"`
	To        string `help:"Location that the units reach." required:"" placeholder:"CODE"`
	bookingFlags
}

// Run books the transfer.
func (c *transferCommand) Run(ctx context.Context) error {
	return c.book(ctx, client.MovementRequest{
		Type: client.MovementTransfer, ProductID: c.ProductID, Quantity: c.Quantity, Location: c.From, ToLocation: c.To,
	})
}

type adjustCommand struct {
	ProductID int64  `arg:"" help:"The product."`
	By        int64  `help:"Number of units to add, or with a minus to subtract (example: --by=-2)." required:"" placeholder:"N"`
	Location  string `help:"Location of the units." required:"" placeholder:"CODE"`
	bookingFlags
}

// Run books the correction.
func (c *adjustCommand) Run(ctx context.Context) error {
	return c.book(ctx,
		client.MovementRequest{Type: client.MovementAdjustment, ProductID: c.ProductID, Quantity: c.By, Location: c.Location})
}

type countCommand struct {
	Counted  []string `arg:"" help:"What was counted, as PRODUCT=QUANTITY (example: 1=40 2=0)."`
	Location string   `help:"Location of the units." required:"" placeholder:"CODE"`
	bookingFlags
}

// errNotBooked means that at least one line of a count was not booked.
var errNotBooked = errors.New("not all lines were booked")

// Run books the count.
func (c *countCommand) Run(ctx context.Context) error {
	request := client.CountRequest{Location: c.Location, Notes: c.Notes}
	for _, line := range c.Counted {
		product, quantity, _ := strings.Cut(line, "=")
		id, err := strconv.ParseInt(product, 10, 64)
		counted, err2 := strconv.ParseInt(quantity, 10, 64)
		if err := errors.Join(err, err2); err != nil {
			return usageError{fmt.Errorf("<counted>: %q is not PRODUCT=QUANTITY (example: 1=40)", line)}
		}
		request.Lines = append(request.Lines, client.CountedAmount{ProductID: id, Counted: counted})
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	count, err := operator.CreateCount(ctx, c.Partner, request, client.WithIdempotencyKey(c.IdempotencyKey),
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	err = newLister(c.output(), "lines", []column[client.CountLine]{
		figure("PRODUCT", func(l client.CountLine) string { return number(l.ProductID) }),
		figure("BEFORE", func(l client.CountLine) string { return number(l.Before) }),
		figure("AFTER", func(l client.CountLine) string { return number(l.After) }),
		{title: "REFUSED", cell: func(l client.CountLine) terminal.Cell {
			if l.Error == nil {
				return terminal.Cell{}
			}
			return terminal.Cell{Text: l.Error.Message, Style: terminal.Red}
		}},
	}).print(count.Lines, &answer)
	if err == nil && count.Refused > 0 {
		return errNotBooked
	}
	return err
}

type stockJournalCommand struct {
	Product  int64               `help:"Only movements of this product." placeholder:"ID"`
	Type     client.MovementType `help:"Only movements of this type: IN, OUT, ADJUSTMENT or TRANSFER." placeholder:"TYPE"`
	Location string              `help:"Only movements at this location." placeholder:"CODE"`
	listFlags
	stockFlags
}

// Run prints the partner's movements with their causes.
func (c *stockJournalCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.JournalQuery{ProductID: c.Product, Type: c.Type, Location: c.Location}
	columns := append(movementColumns(func(e client.JournalEntry) client.Movement { return e.Movement }),
		text("ORDER", func(e client.JournalEntry) string { return e.OrderID }),
		text("NOTES", func(e client.JournalEntry) string { return e.Notes }))
	return list(&c.listFlags, "movements", largestPage, columns,
		func(size int, option client.CallOption) ([]client.JournalEntry, bool, error) {
			q.Limit = size
			found, err := operator.ListJournal(ctx, c.Partner, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Cursor = found.NextCursor
			return found.Movements, q.Cursor != "", nil
		})
}
