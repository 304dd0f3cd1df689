package order

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// MaxBatch is how many orders one request may create.
const MaxBatch = 500

// Result is the outcome for one order of a batch.
type Result struct {
	Answer
	Err error
}

// Batch is a batch of orders that have been read and priced.
type Batch struct {
	request  idempotency.Request
	parts    []command
	together int // how many orders are settled in one transaction
}

// maxPartBytes bounds what the orders of a batch that are settled together had in the
// request, on average: a transaction of large orders would keep others waiting.
const maxPartBytes = 128 << 10

// settledTogether returns how many orders of a batch are settled in one transaction.
func settledTogether(orders, bytes int) int {
	return max(1, min(maxOfBatches, maxPartBytes*orders/max(1, bytes)))
}

var batchSize = form.Define("batch_size", "an array of 1 to {most} orders")

// ReadBatch reads a batch, each of its orders by itself: a refused order does not keep the
// others from being created. It lets other goroutines run after each order.
func ReadBatch(f *form.Form) []Wanted {
	orders := f.Documents("orders")
	if len(orders) == 0 || len(orders) > MaxBatch {
		f.Fault("orders", batchSize.With("most", MaxBatch))
		return nil
	}
	wanted := make([]Wanted, len(orders))
	for i, order := range orders {
		wanted[i], _ = form.Decode(order, ReadWanted) // keeps its faults
		runtime.Gosched()
	}
	return wanted
}

// PrepareBatch prices the orders of a batch, each independently; the request has so many bytes.
// It lets other goroutines run after each order. Its error concerns the whole batch.
func (s *Service) PrepareBatch(ctx context.Context, r idempotency.Request, bytes int, orders []Wanted) (*Batch, error) {
	batch := &Batch{request: r, together: settledTogether(len(orders), bytes)}
	for i := range orders {
		part := s.creation(ctx, *r.Part(strconv.Itoa(i)), &orders[i])
		if fault := faultOf(part); fault != nil {
			return nil, fault
		}
		batch.parts = append(batch.parts, part)
		runtime.Gosched()
	}
	return batch, nil
}

// CreateBatch creates the orders of a batch under one idempotency key, in their
// order and each independently: a refused order does not keep the others from being
// created. A retry with the same body gets the same answers for the orders that were
// created, and tries the others again. The error concerns the whole batch: a retry
// is needed to find out which orders were created.
func (s *Service) CreateBatch(ctx context.Context, batch *Batch) ([]Result, error) {
	results := make([]Result, 0, len(batch.parts))
	for parts := range slices.Chunk(batch.parts, batch.together) {
		settled := s.outcomeOnce(ctx, batch.request.Key, &batchCommand{batch.request, parts})
		if settled.err != nil {
			return nil, settled.err
		}
		for _, part := range settled.parts {
			results = append(results, Result{Answer{part.answer, part.replayed}, part.err})
		}
	}
	return results, nil
}

// RecallBatch returns the answers to those of the first orders of a batch that were created under its key. It creates
// nothing: the others are not found.
func (s *Service) RecallBatch(ctx context.Context, r idempotency.Request, orders int) ([]Result, error) {
	batch := &Batch{request: r, together: maxOfBatches}
	for i := range orders {
		batch.parts = append(batch.parts, &refuseCommand{
			kind: CommandCreate, request: *r.Part(strconv.Itoa(i)), refusal: refusal.NotFound("order"),
		})
	}
	return s.CreateBatch(ctx, batch)
}

// faultOf returns the fault of the service that kept a command from being made;
// nil if there was none. Such a fault fails the whole batch.
func faultOf(cmd command) error {
	var known *refusal.Error
	if refused, ok := cmd.(*refuseCommand); ok && !errors.As(refused.refusal, &known) {
		return refused.refusal
	}
	return nil
}

// batchCommand settles some orders of a batch, up to maxOfBatches, in one
// transaction and one after the other, so that the first of two that exclude each
// other wins, on every engine. The rest follows in further transactions, between
// which other requests are settled. What keeps them together is the key: the first
// order that is created claims it for this body, and another request under the same
// key is refused from then on.
type batchCommand struct {
	request idempotency.Request
	parts   []command
}

func (cmd *batchCommand) partner() string { return cmd.request.PartnerID }

func (cmd *batchCommand) needs(n *Needs) {
	n.Receipts = append(n.Receipts, cmd.request.Key)
	for _, part := range cmd.parts {
		part.needs(n)
	}
}

func (cmd *batchCommand) decide(s *State, c *Changes) outcome {
	if again, used := replay(s, cmd.request); used && again.err != nil {
		return again
	}
	before := len(c.Created)
	parts := make([]outcome, len(cmd.parts))
	for i, part := range cmd.parts {
		parts[i] = part.decide(s, c)
	}
	if s.Receipts[cmd.request.Key] == nil && len(c.Created) > before {
		cmd.claim(s, c, c.Created[before])
	}
	return outcome{parts: parts}
}

// claim keeps the key for this body. Its answer is the document of the first
// order, which is stored anyway.
func (cmd *batchCommand) claim(s *State, c *Changes, first Creation) {
	keep(s, c, &idempotency.Receipt{
		Request: cmd.request, OrderID: first.Order.OrderID,
		CreatedAt: first.Order.CreatedAt, Answer: first.Document, OfCreation: true,
	})
}

// Dry is what an order would cost, and when it would arrive.
type Dry struct {
	RateCents         int64
	Currency          delivery.Currency
	EstimatedDelivery time.Time
	Warnings          []delivery.Warning
}

// Validate returns what creating an order would cost, and stores nothing. Its
// error is the one that creation would end with right now.
func (s *Service) Validate(ctx context.Context, partnerID string, wanted Wanted) (Dry, error) {
	unkeyed := idempotency.Request{Key: idempotency.Key{PartnerID: partnerID}} // no request has its key
	cmd := s.creation(ctx, unkeyed, &wanted)
	err := s.config.Store.Read(ctx, func(tx Reader) error {
		state, err := tx.Peek(ctx, needsOf([]command{cmd}))
		if err != nil {
			return err
		}
		outcomes, _ := decideGroup(s.config.zones(), state, []command{cmd})
		return outcomes[0].err
	})
	if err != nil {
		return Dry{}, err
	}
	order := cmd.(*createCommand).order //nolint:forcetypeassert // it was not refused
	return Dry{order.RateCents, order.Currency, order.EstimatedDelivery, order.Warnings}, nil
}
