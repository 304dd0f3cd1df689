package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/orderfile"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/google/uuid"
)

type importOrdersCommand struct {
	File    string            `arg:"" help:"CSV file with a header (see docs/importing.md), or - for standard input."`
	DryRun  bool              `help:"Only print the price and the problems of each order; create nothing."`
	Default map[string]string `mapsep:"none" help:"Value for orders that lack it in the file: COLUMN=VALUE. May be repeated." placeholder:"COLUMN=VALUE"`
	Batch   int               `help:"Number of orders in one request, 1 to 500." default:"100" placeholder:"N"`
	JSON    bool              `name:"json" help:"Print the result as one JSON object, for programs." group:"Output"`
	partnerFlags
}

const (
	// maxBatch is how many orders the service accepts in one request.
	maxBatch = 500
	// maxBytes is a little less than the service accepts in one request.
	maxBytes = 4<<20 - 1<<10
)

// Run imports the file, or with --dry-run prints what an import would do. Progress
// and faults go to standard error, the summary to standard output.
func (c *importOrdersCommand) Run(ctx context.Context) error {
	if c.Batch < 1 || c.Batch > maxBatch {
		return usageError{fmt.Errorf("--batch: %d is not between 1 and %d", c.Batch, maxBatch)}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	content, err := readFile(c.File)
	if err != nil {
		return usageError{err}
	}
	for name := range c.Default {
		switch field, known := orderfile.FindField(name); {
		case !known:
			return usageError{fmt.Errorf("--default: unknown column %q", name)}
		case !field.MayDefault():
			return usageError{fmt.Errorf("--default: %s cannot have a default", name)}
		}
	}
	file, err := readOrders(content, c.Default)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	im := &orderImport{client: partner, bar: terminal.NewBar(os.Stderr, time.Now)}
	orders := im.open(file)
	if len(file.Faults) > 0 {
		for _, fault := range file.Faults {
			if fault.OfDefault {
				notice("--default: %s", fault.Message())
			} else {
				notice("line %d: %s", fault.Line, fault.Message())
			}
		}
		return fmt.Errorf("%s: nothing was sent; faults: %d", c.File, len(file.Faults))
	}
	if c.DryRun {
		err = im.validate(ctx, orders)
	} else {
		err = im.create(ctx, orders, c.Batch)
	}
	im.bar.Clear()
	if err != nil {
		return fmt.Errorf("after %d of %d orders: %w; run the command again to continue", im.done, im.total, err)
	}
	if c.JSON {
		err = json.NewEncoder(terminal.NewJSONWriter(os.Stdout)).Encode(im.result(c.DryRun))
	} else {
		im.summary(c.DryRun)
	}
	if err == nil && len(im.refused) > 0 {
		err = errors.New("some orders were refused; correct the lines listed above and run the command again")
	}
	return err
}

// readOrders reads a file of orders. An error means that the file as a whole cannot be read; the faults of
// single lines are in the result.
func readOrders(content []byte, defaults map[string]string) (*orderfile.Result, error) {
	file, err := orderfile.Read(content)
	if err != nil {
		return nil, err // it names the line
	}
	mapping := file.Propose(nil)
	if err := file.Check(mapping); err != nil {
		return nil, err
	}
	if titles := file.Unread(mapping); len(titles) > 0 { // such as an amount to collect, which would be lost silently
		notice("line %d: columns that are not read: %s", file.HeaderLine, quoted(titles))
	}
	if names := file.Missing(mapping, defaults); len(names) > 0 {
		return nil, missingColumns(file.HeaderLine, names)
	}
	return file.Orders(orderfile.Options{Mapping: mapping, Defaults: defaults, Clock: calendar().ClockAt}), nil
}

// calendar knows the clocks of addresses, by which times without an offset are read.
var calendar = sync.OnceValue(func() *pricing.Calendar {
	zones, _ := zone.Newest() // doctor reports the error
	return pricing.NewCalendar(zones)
})

// missingColumns names the columns that a file lacks, and what can stand for them.
func missingColumns(line int, names []string) error {
	const help = `give what is the same for all orders with --default COLUMN=VALUE`
	if len(names) == 1 {
		return fmt.Errorf("line %d: the column %q is missing: %s", line, names[0], help)
	}
	return fmt.Errorf("line %d: the columns %s are missing: %s", line, quoted(names), help)
}

// quoted lists names of columns.
func quoted(names []string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = strconv.Quote(name)
	}
	return strings.Join(texts, ", ")
}

// orderImport holds the progress of an import.
type orderImport struct {
	client      *client.Client
	bar         *terminal.Bar
	total, done int // orders
	created     int
	replayed    int // created by an earlier run of the same file
	existing    int // refused because their partner_order_id exists
	refused     []refusedOrder
	warned      []warnedOrder
	leftOut     []leftOutOrder
	cents       int64 // price of the orders that this run has created
}

// refusedOrder is an order that was refused for any other reason than that it exists.
type refusedOrder struct {
	Line      int              `json:"line"` // of the file
	Reference string           `json:"partner_order_id"`
	Code      client.ErrorCode `json:"code"`
	Message   string           `json:"message"`
}

// warnedOrder is what is probably not meant about an order.
type warnedOrder struct {
	Line      int    `json:"line"` // of the file
	Reference string `json:"partner_order_id"`
	client.Warning
}

// leftOutOrder is an order that its shop has closed.
type leftOutOrder struct {
	Line      int    `json:"line"` // of the file
	Reference string `json:"partner_order_id"`
	Column    string `json:"column"` // of the file
	Text      string `json:"text"`   // in that column
}

// importResult is what --json prints.
type importResult struct {
	Orders   int            `json:"orders"`
	DryRun   bool           `json:"dry_run"`
	Created  int            `json:"created"` // with --dry-run: would be created
	Replayed int            `json:"replayed"`
	Existing int            `json:"existing"`
	Cents    int64          `json:"rate_cents"`
	Refused  []refusedOrder `json:"refused"`
	Warnings []warnedOrder  `json:"warnings,omitempty"`
	LeftOut  []leftOutOrder `json:"left_out,omitempty"`
}

func (im *orderImport) result(dryRun bool) importResult {
	return importResult{
		Orders: im.total, DryRun: dryRun, Created: im.created, Replayed: im.replayed, Existing: im.existing,
		Cents: im.cents, Refused: append([]refusedOrder{}, im.refused...), Warnings: im.warned,
		LeftOut: im.leftOut,
	}
}

// open returns the orders of a file without those that their shop has closed, which it prints. What is wrong with
// these does not matter.
func (im *orderImport) open(file *orderfile.Result) (orders []*orderfile.Order) {
	for _, order := range file.Orders {
		closed := order.Closed
		if closed == nil {
			orders = append(orders, order)
			continue
		}
		im.leftOut = append(im.leftOut, leftOutOrder{order.Line, order.Reference, closed.Column, closed.Text})
		notice("line %d: %s: left out: %s is %q", order.Line, order.Reference, closed.Column, closed.Text)
	}
	defaults := map[string]bool{} // that have a fault, which is one however many orders need them
	file.Faults = slices.DeleteFunc(file.Faults, func(fault orderfile.Fault) bool {
		order := file.OrderAt(fault.Line)
		if order != nil && order.Closed != nil || fault.OfDefault && defaults[fault.Field] {
			return true
		}
		defaults[fault.Field] = defaults[fault.Field] || fault.OfDefault
		return false
	})
	im.total = len(orders)
	return orders
}

// create sends the orders in batches of the given size.
func (im *orderImport) create(ctx context.Context, orders []*orderfile.Order, batch int) error {
	for len(orders) > 0 {
		body, count, err := nextBatch(orders, batch)
		if err != nil {
			return err
		}
		var answer client.BatchResults
		sent, err := im.client.CallWithKey(ctx, http.MethodPost, "/v1/orders/batch", body, keyOf(body))
		if err := decode(sent, err, &answer); err != nil {
			return err
		}
		if len(answer.Results) != count {
			return fmt.Errorf("the service returned %d results for %d orders", len(answer.Results), count)
		}
		for i, result := range answer.Results {
			created := cmp.Or(result.Order, &client.Order{})
			im.count(orders[i], created.RateCents, result.Replayed, result.Error)
			im.warn(orders[i], created.Warnings)
		}
		orders = orders[count:]
		im.bar.Show("importing", int64(im.done), int64(im.total))
	}
	return nil
}

// say prints a line in the place of the bar.
func (im *orderImport) say(format string, args ...any) {
	im.bar.Clear()
	notice(format, args...)
}

// nextBatch encodes a request for the first orders: limit of them at most, and no
// more than fit into maxBytes.
func nextBatch(orders []*orderfile.Order, limit int) (body []byte, count int, err error) {
	body = []byte(`{"orders":[`)
	for _, order := range orders[:min(limit, len(orders))] {
		text, err := json.Marshal(order.Body)
		if err != nil {
			return nil, 0, err
		}
		if count > 0 && len(body)+len(text) > maxBytes {
			break
		}
		if count > 0 {
			body = append(body, ',')
		}
		body = append(body, text...)
		count++
	}
	return append(body, "]}"...), count, nil
}

// importNamespace is the UUIDv5 namespace of the keys of imports.
var importNamespace = uuid.MustParse("6f9c1c1e-4a8e-5f0b-9d0e-3b1d6a5c7e42")

// keyOf returns the Idempotency-Key of a request, which is the same for equal bodies.
func keyOf(body []byte) string { return uuid.NewSHA1(importNamespace, body).String() }

// count counts the result of an order, and prints it if the order was refused. The
// refusal is nil if it was not.
func (im *orderImport) count(order *orderfile.Order, cents int64, replayed bool, refused *client.Error) {
	im.done++
	switch {
	case refused == nil && replayed:
		im.replayed++
	case refused == nil:
		im.created++
		im.cents += cents
	case refused.Code == client.CodeConflict:
		im.existing++
		im.say("line %d: %s already exists", order.Line, order.Reference)
	default:
		message := faultsOf(order, refused)
		im.refused = append(im.refused, refusedOrder{order.Line, order.Reference, refused.Code, message})
		im.say("line %d: %s: %s: %s", order.Line, order.Reference, refused.Code, message)
	}
}

// warn prints what is probably not meant about an order, in the file or by the service's answer.
func (im *orderImport) warn(order *orderfile.Order, warnings []client.Warning) {
	add := func(line int, warning client.Warning) {
		im.warned = append(im.warned, warnedOrder{line, order.Reference, warning})
		im.say("line %d: %s: warning: %s: %s", line, order.Reference, warning.Field, warning.Message)
	}
	for _, w := range order.Warnings {
		add(w.Line, client.Warning{Code: client.WarningCode(w.Code), Field: w.Field, Message: w.Message()})
	}
	for _, warning := range warnings {
		add(order.Cell(warning.Field).Line, warning)
	}
}

// faultsOf returns all faults of an order on one line, or the message if none is listed. A fault in another line than
// the order's first names it.
func faultsOf(order *orderfile.Order, refused *client.Error) string {
	faults := make([]string, len(refused.Details.Errors))
	for i, fault := range refused.Details.Errors {
		faults[i] = fault.Field
		if at := order.Cell(fault.Field); at.Line != order.Line {
			faults[i] += fmt.Sprintf(" in line %d", at.Line)
		}
		faults[i] += ": expected " + fault.Expected
	}
	return cmp.Or(strings.Join(faults, "; "), refused.Message)
}

// validate asks the service for each order whether it would be created, without
// creating it.
func (im *orderImport) validate(ctx context.Context, orders []*orderfile.Order) error {
	for _, order := range orders {
		body, err := json.Marshal(order.Body)
		if err != nil {
			return err
		}
		var validated client.Validation
		// The client repeats a request with a key when no response arrives, which is safe
		// here because nothing is stored.
		sent, err := im.client.CallWithKey(ctx, http.MethodPost, "/v1/orders/validate", body, keyOf(body))
		if err := decode(sent, err, &validated); err != nil {
			return err
		}
		im.count(order, validated.RateCents, false, validated.Error)
		im.warn(order, validated.Warnings)
		im.bar.Show("checking", int64(im.done), int64(im.total))
	}
	return nil
}

// summary prints the result of the import for people.
func (im *orderImport) summary(dryRun bool) {
	leftOut := ""
	if len(im.leftOut) > 0 {
		leftOut = fmt.Sprintf(", left out: %d", len(im.leftOut))
	}
	if dryRun {
		tell("orders: %d, would be created: %d for %s in total, already exist: %d, would be refused: %d%s",
			im.total, im.created, dollars(im.cents, client.CAD), im.existing, len(im.refused), leftOut)
		return
	}
	tell("orders: %d, created: %d, created by an earlier run: %d, already existed: %d, refused: %d%s",
		im.total, im.created, im.replayed, im.existing, len(im.refused), leftOut)
}
