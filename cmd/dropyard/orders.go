package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/dropyard/dropyard/client"
	"github.com/google/uuid"
)

type ordersCommand struct {
	Import importOrdersCommand `cmd:"" help:"Create the orders of a CSV file. Running it again creates nothing twice."`
}

type importOrdersCommand struct {
	File   string `arg:"" help:"CSV file with a header (see docs/importing.md), or - for standard input."`
	DryRun bool   `help:"Only tell price and problems of each order; nothing is created."`
	Batch  int    `help:"Orders in one request, 1 to 500." default:"100"`
	Key    string `help:"Public key (pk_…)." env:"DROPYARD_KEY" required:"" placeholder:"PK"`
	Secret string `help:"Secret key (sk_…)." env:"DROPYARD_SECRET" required:"" placeholder:"SK"`
	URL    string `help:"Address of the service." default:"http://127.0.0.1:8080" env:"DROPYARD_URL"`
}

const (
	// mostOrders is how many orders the service takes in one request.
	mostOrders = 500
	// mostBytes is a little less than such a request may have.
	mostBytes = 4<<20 - 1<<10
)

// Run imports the file, or tells what importing it would do. Progress and faults
// go to standard error, the summary to standard output.
func (c *importOrdersCommand) Run(ctx context.Context) error {
	if c.Batch < 1 || c.Batch > mostOrders {
		return usageError{fmt.Errorf("--batch %d is not between 1 and %d", c.Batch, mostOrders)}
	}
	if err := checkURL("--url", c.URL); err != nil {
		return usageError{err}
	}
	content, err := c.read()
	if err != nil {
		return usageError{err}
	}
	file, err := readOrders(content)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if len(file.faults) > 0 {
		for _, fault := range file.faults {
			notice("line %d: %s", fault.line, fault.told)
		}
		return fmt.Errorf("%s has %d faults; nothing was sent", c.File, len(file.faults))
	}
	im := &orderImport{client: client.New(c.URL, c.Key, c.Secret), total: len(file.orders)}
	if c.DryRun {
		err = im.validate(ctx, file.orders)
	} else {
		err = im.create(ctx, file.orders, c.Batch)
	}
	if err != nil {
		return fmt.Errorf("after %d of %d orders: %w; run it again to go on", im.done, im.total, err)
	}
	return im.summary(c.DryRun)
}

func (c *importOrdersCommand) read() ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(c.File)
}

// orderImport is an import on its way.
type orderImport struct {
	client                          *client.Client
	total, done                     int
	created, again, exists, refused int
	cents                           int64 // what all together cost
}

// orderRefusal is why one order was refused.
type orderRefusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details struct {
		Errors []struct{ Field, Expected string } `json:"errors"`
	} `json:"details"`
}

// orderResult is what became of one order.
type orderResult struct {
	Status   int
	Replayed bool
	Order    struct {
		RateCents int64 `json:"rate_cents"`
	}
	Error *orderRefusal
}

// create sends the orders, so many at a time.
func (im *orderImport) create(ctx context.Context, orders []*fileOrder, batch int) error {
	for len(orders) > 0 {
		body, count, err := nextBatch(orders, batch)
		if err != nil {
			return err
		}
		var answer struct{ Results []orderResult }
		sent, err := im.client.CallWithKey(ctx, http.MethodPost, "/v1/orders/batch", body, keyOf(body))
		if err := decode(sent, err, &answer); err != nil {
			return err
		}
		if len(answer.Results) != count {
			return fmt.Errorf("the service told %d results for %d orders", len(answer.Results), count)
		}
		for i, result := range answer.Results {
			im.count(orders[i], result)
		}
		orders = orders[count:]
		notice("%d of %d orders", im.done, im.total)
	}
	return nil
}

// nextBatch writes the request for the first orders: as many as are wanted, and
// as fit in.
func nextBatch(orders []*fileOrder, most int) (body []byte, count int, err error) {
	body = []byte(`{"orders":[`)
	for _, order := range orders[:min(most, len(orders))] {
		text, err := json.Marshal(order.body)
		if err != nil {
			return nil, 0, err
		}
		if count > 0 && len(body)+len(text) > mostBytes {
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

// importNamespace keeps these keys apart from others that are made of hashes.
var importNamespace = uuid.MustParse("6f9c1c1e-4a8e-5f0b-9d0e-3b1d6a5c7e42")

// keyOf is the Idempotency-Key of a request: the same for the same orders.
func keyOf(body []byte) string { return uuid.NewSHA1(importNamespace, body).String() }

// count notes what became of an order, and tells it if it was refused.
func (im *orderImport) count(order *fileOrder, result orderResult) {
	im.done++
	switch {
	case result.Error == nil && result.Replayed:
		im.again++
	case result.Error == nil:
		im.created++
		im.cents += result.Order.RateCents
	case result.Error.Code == "conflict":
		im.exists++
		notice("line %d: %s exists already", order.line, order.reference)
	default:
		im.refused++
		notice("line %d: %s: %s: %s", order.line, order.reference, result.Error.Code, result.Error.text())
	}
}

// text tells every problem of an order in one line.
func (r *orderRefusal) text() string {
	told := ""
	for i, problem := range r.Details.Errors {
		if i > 0 {
			told += "; "
		}
		told += problem.Field + ": expected " + problem.Expected
	}
	return cmp.Or(told, r.Message)
}

// validate asks what would become of each order.
func (im *orderImport) validate(ctx context.Context, orders []*fileOrder) error {
	for _, order := range orders {
		body, err := json.Marshal(order.body)
		if err != nil {
			return err
		}
		var told struct {
			RateCents int64 `json:"rate_cents"`
			Status    int
			Error     *orderRefusal
		}
		// With a key it is repeated if there is no answer; it stores nothing.
		sent, err := im.client.CallWithKey(ctx, http.MethodPost, "/v1/orders/validate", body, keyOf(body))
		if err := decode(sent, err, &told); err != nil {
			return err
		}
		result := orderResult{Status: told.Status, Error: told.Error}
		result.Order.RateCents = told.RateCents
		im.count(order, result)
		if slices.Contains([]int{im.total, im.done / 100 * 100}, im.done) {
			notice("%d of %d orders", im.done, im.total)
		}
	}
	return nil
}

func (im *orderImport) summary(dry bool) error {
	if dry {
		fmt.Printf("orders: %d, would be created: %d for %d.%02d in all, exist already: %d, would be refused: %d\n",
			im.total, im.created, im.cents/100, im.cents%100, im.exists, im.refused)
	} else {
		fmt.Printf("orders: %d, created: %d, created by an earlier run: %d, existed already: %d, refused: %d\n",
			im.total, im.created, im.again, im.exists, im.refused)
	}
	if im.refused > 0 {
		return errors.New("not all orders are good: mend the lines told above and run it again")
	}
	return nil
}
