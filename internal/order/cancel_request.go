package order

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// CancellationWanted is a partner's request that the service cancels an order, which the
// partner can no longer cancel.
type CancellationWanted struct {
	form.Faults
	Reason string
}

// ReadCancellationWanted reads such a request.
func ReadCancellationWanted(f *form.Form) CancellationWanted {
	return CancellationWanted{Reason: f.Text("reason", form.Required, form.Length(1, delivery.MaxReason))}
}

// RequestCancellation requests for a partner that the service cancels an order. The order
// needs attention at the desk until the request is answered or the order has ended. It is
// refused as a conflict if the partner may still cancel the order, if the order has ended,
// or if its cancellation was requested before.
func (s *Service) RequestCancellation(
	ctx context.Context, r idempotency.Request, orderID string, wanted CancellationWanted,
) (Answer, error) {
	if err := wanted.Problems().Err(); err != nil {
		return s.settleOnce(ctx, r.Key, &refuseCommand{kind: CommandRequest, request: r, refusal: err})
	}
	if !ownedBy(r.PartnerID, orderID) {
		return Answer{}, refusal.NotFound("order")
	}
	if err := s.editable(ctx); err != nil {
		return s.settleOnce(ctx, r.Key, &refuseCommand{kind: CommandRequest, request: r, refusal: err})
	}
	return s.settleOnce(ctx, r.Key, &requestCommand{
		target: OrderKey{r.PartnerID, orderID}, reason: wanted.Reason, at: s.now(), request: r, encode: record.EncodeCurrent,
	})
}

// CancellationAnswer is the service's answer to a request to cancel an order.
type CancellationAnswer struct {
	form.Faults
	Granted bool
	Text    string // for the partner; may be empty
}

// ReadCancellationAnswer reads such an answer.
func ReadCancellationAnswer(f *form.Form) CancellationAnswer {
	return CancellationAnswer{
		Granted: f.RequiredFlag("grant"), Text: f.Text("answer", form.Optional, form.Length(0, delivery.MaxReason)),
	}
}

// AnswerCancellation answers the request to cancel an order for an operator. A grant
// cancels the order. Of an answer and a move at the same time one may come too late: it is
// refused as a conflict if the order has ended.
//
// r is the request, if it came with an Idempotency-Key; otherwise nil.
func (s *Service) AnswerCancellation(
	ctx context.Context, r *idempotency.Request, orderID string, a CancellationAnswer,
) (Answer, error) {
	partnerID, ok := delivery.PartnerOfLiveOrder(orderID)
	if !ok {
		return Answer{}, refusal.NotFound("order")
	}
	r = r.Of(partnerID)
	return decideAgain(func() (Answer, error) { return s.tryAnswer(ctx, r, orderID, a) })
}

// tryAnswer submits the answer to a request, with what the order is now.
func (s *Service) tryAnswer(
	ctx context.Context, r *idempotency.Request, orderID string, a CancellationAnswer,
) (Answer, error) {
	cmd, err := s.cancellationAnswer(ctx, orderID, a)
	if err != nil && r != nil {
		return s.settleOnce(ctx, r.Key, &refuseCommand{kind: CommandAnswer, request: *r, refusal: err})
	}
	if err != nil {
		return Answer{}, err
	}
	cmd.request, cmd.encode = r, record.EncodeForOperators
	cmd.audit, err = audit.NewEntry(ctx, s.config.Random, cmd.at, audit.ActionRequestAnswered)
	if err != nil {
		return Answer{}, err
	}
	if r == nil {
		return s.settle(ctx, cmd)
	}
	return s.settleOnce(ctx, r.Key, cmd)
}

// AnswerTest does the same with a test order, as AdvanceTest makes a move of one.
func (s *Service) AnswerTest(ctx context.Context, orderID string, a CancellationAnswer) error {
	if !delivery.IsTestOrder(orderID) {
		return refusal.NotFound("order")
	}
	cmd, err := s.cancellationAnswer(ctx, orderID, a)
	if err == nil {
		_, err = s.settle(ctx, cmd)
	}
	return err
}

// cancellationAnswer returns the command that answers a request, with what it needs of the
// order.
func (s *Service) cancellationAnswer(
	ctx context.Context, orderID string, a CancellationAnswer,
) (*answerCommand, error) {
	if err := a.Problems().Err(); err != nil {
		return nil, err
	}
	if err := s.editable(ctx); err != nil {
		return nil, err
	}
	order, err := s.head(ctx, orderID)
	if err != nil {
		return nil, err
	}
	now := s.now()
	eventID, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return nil, err
	}
	cmd := &answerCommand{
		target: OrderKey{order.PartnerID, order.OrderID}, granted: a.Granted, text: a.Text, at: now, eventID: eventID,
		encode: record.Encode,
	}
	if a.Granted {
		cmd.products, cmd.origin = productsOf(order), originOf(order)
		cmd.charged = s.charged(ctx, order.PartnerID, now)
		cmd.letter, err = s.letter(ctx, order, &step{to: delivery.StatusCancelled, at: now})
	}
	return cmd, err
}
