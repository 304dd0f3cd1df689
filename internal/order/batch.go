package order

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// MaxBatch is how many orders one request may create.
const MaxBatch = 500

// Result is what became of one order of a batch.
type Result struct {
	Answer
	Err error
}

// CreateBatch creates many orders under one idempotency key, in their order and
// each by itself: one that is refused does not keep the others from being
// created. A retry with the same body gets the same answers for those that were
// created, and tries the others afresh.
func (s *Service) CreateBatch(ctx context.Context, r Request, root delivery.Source) ([]Result, error) {
	orders, err := readBatch(root)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(r.Body)
	check := &reuseCommand{bodyHash: hash}
	for i := range orders {
		check.keys = append(check.keys, r.part(i))
	}
	if refusal := s.committer.submit(ctx, check).err; refusal != nil {
		return nil, refusal
	}
	waits := make([]*waiting, len(orders))
	for i, order := range orders {
		waits[i] = s.committer.enqueue(ctx, s.creation(r.part(i), hash, order))
	}
	results := make([]Result, len(orders))
	for i, w := range waits {
		settled := s.committer.await(w)
		results[i] = Result{Answer{settled.answer, settled.replayed}, settled.err}
	}
	return results, nil
}

func readBatch(root delivery.Source) ([]delivery.Source, error) {
	var problems delivery.Problems
	f := delivery.NewForm(root, &problems)
	if f == nil {
		return nil, problems.Err()
	}
	orders := root.Member("orders").Elements()
	if len(orders) == 0 || len(orders) > MaxBatch {
		f.Fault("orders", fmt.Sprintf("an array of 1 to %d orders", MaxBatch))
	}
	return orders, problems.Err()
}

// part is the key of one order of a batch.
func (r Request) part(i int) ReceiptKey {
	key := r.receiptKey()
	key.Scope += "#" + strconv.Itoa(i)
	return key
}

// reuseCommand refuses a batch whose key was used before with another body.
type reuseCommand struct {
	keys     []ReceiptKey
	bodyHash [32]byte
}

func (cmd *reuseCommand) needs(n *Needs) { n.Receipts = append(n.Receipts, cmd.keys...) }

func (cmd *reuseCommand) decide(s *State, _ *Changes) outcome {
	for _, key := range cmd.keys {
		if again, used := replay(s, key, cmd.bodyHash); used && again.err != nil {
			return again
		}
	}
	return outcome{}
}

// Dry is what an order would cost, and when it would arrive.
type Dry struct {
	RateCents         int64
	Currency          delivery.Currency
	EstimatedDelivery time.Time
}

// errDry undoes what was only tried.
var errDry = errors.New("nothing is to be kept")

// Validate tells what creating an order would do, and stores nothing. Its error
// is the one that creation would end with right now.
func (s *Service) Validate(ctx context.Context, partnerID string, root delivery.Source) (Dry, error) {
	key := ReceiptKey{PartnerID: partnerID} // no request has it
	cmd := s.creation(key, [32]byte{}, root)
	var tried outcome
	err := s.Store.Write(ctx, func(tx Writer) error {
		state, err := tx.Load(ctx, needsOf([]command{cmd}))
		if err != nil {
			return err
		}
		outcomes, _ := decideGroup(state, []command{cmd})
		tried = outcomes[0]
		return errDry
	})
	switch {
	case !errors.Is(err, errDry):
		return Dry{}, err
	case tried.err != nil:
		return Dry{}, tried.err
	}
	order := cmd.(*createCommand).order //nolint:forcetypeassert // it was not refused
	return Dry{order.RateCents, order.Currency, order.EstimatedDelivery}, nil
}
