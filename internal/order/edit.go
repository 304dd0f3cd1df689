package order

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/record"
)

// Edit is a request to change the content of an order.
type Edit struct {
	form.Faults
	Patch   form.Source     // a merge patch (RFC 7396) of what created the order
	By      delivery.Editor // the side that edits
	Reason  string          // for edits by the service
	Version int64           // the version that the caller saw; 0 if the request has none
}

// ReadEdit reads a partner's edit.
func ReadEdit(f *form.Form) Edit { return Edit{Patch: f.Source(), By: delivery.EditorPartner} }

// ReadServiceEdit reads an edit by the service, which says why.
func ReadServiceEdit(f *form.Form) Edit {
	return Edit{
		Patch: f.Source(), By: delivery.EditorService,
		Reason: f.Text("reason", form.Required, form.Length(1, delivery.MaxReason)),
	}
}

// errOvertaken refuses what was decided from an order that was edited meanwhile. It is decided
// again.
var errOvertaken = refusal.New(refusal.CodeConflict, "the order was edited meanwhile; try again")

// maxDecided is how often something is decided again because an edit has overtaken it.
const maxDecided = 25

// decideAgain calls try until no edit has overtaken it.
func decideAgain[T any](try func() (T, error)) (answer T, err error) {
	for range maxDecided {
		if answer, err = try(); !errors.Is(err, errOvertaken) {
			break
		}
	}
	return answer, err
}

// Edit changes the content of an order, as far as its stage allows that to whoever edits: new
// items move stock by the difference, all or nothing, and whatever a price is computed from
// gives the order the price and the estimate of a new one. A repeated request gets the answer
// to the first. An edit that changes nothing leaves the order as it is.
//
// r is the request, of the partner unless the service edits; nil if an operator's came without
// an Idempotency-Key.
func (s *Service) Edit(ctx context.Context, r *idempotency.Request, orderID string, e Edit) (Answer, error) {
	if e.By == delivery.EditorPartner && !ownedBy(r.PartnerID, orderID) {
		return Answer{}, refusal.NotFound("order")
	}
	return decideAgain(func() (Answer, error) {
		order, err := s.find(ctx, orderID)
		if err != nil {
			return Answer{}, err
		}
		r := r.Of(order.PartnerID)
		cmd, err := s.editing(ctx, r, order, &e)
		switch {
		case err != nil && r != nil:
			return s.settleOnce(ctx, r.Key, &refuseCommand{kind: CommandEdit, request: *r, refusal: err})
		case err != nil:
			return Answer{}, err
		case r == nil:
			return s.settle(ctx, cmd)
		default:
			return s.settleOnce(ctx, r.Key, cmd)
		}
	})
}

// editing returns the command that edits an order as it is now.
func (s *Service) editing(
	ctx context.Context, r *idempotency.Request, order *delivery.Order, e *Edit,
) (*editCommand, error) {
	if err := s.editable(ctx); err != nil {
		return nil, err
	}
	edited, err := editedContent(order, e)
	if err != nil {
		return nil, err
	}
	now := s.now()
	cmd := &editCommand{
		target: OrderKey{order.PartnerID, order.OrderID}, seen: order.Version, wanted: e.Version,
		by: e.By, reason: e.Reason, at: now, content: edited, products: productsOf(order), request: r,
	}
	if !pricing.SameTerms(&order.Shipment, &edited.Shipment) {
		if cmd.price, err = s.quoted(ctx, order.PartnerID, &edited, now); err != nil {
			return nil, err
		}
	}
	after := *order
	after.OrderRequest = edited
	estimate := order.EstimatedDelivery
	if cmd.price != nil {
		estimate = cmd.price.EstimatedDelivery
	}
	cmd.warnings = s.warnings(&after, estimate)
	if cmd.eventID, err = identifier.NewUUID(s.config.Random, now); err != nil {
		return nil, err
	}
	cmd.encode = record.EncodeEdited
	if e.By == delivery.EditorService {
		cmd.encode = record.EncodeEditedForOperators
		cmd.audit, err = audit.NewEntry(ctx, s.config.Random, now, audit.ActionOrderEdited)
	}
	return cmd, err
}

// editedContent returns the content of an order after an edit. The error has the faults that a
// request to create it would have.
func editedContent(order *delivery.Order, e *Edit) (delivery.OrderRequest, error) {
	problems := e.Problems()
	if e.Patch == nil {
		return delivery.OrderRequest{}, problems.Err()
	}
	content, err := strictjson.ParseTrusted(record.EncodeRequest(&order.OrderRequest))
	if err != nil {
		return delivery.OrderRequest{}, err
	}
	edited, err := form.Decode(delivery.EditedOrder(content, e.Patch), delivery.ReadOrderRequest)
	problems = append(problems, form.ProblemsOf(err)...)
	return edited, problems.Err()
}

// quoted prices what is wanted, by its quote if it has one.
func (s *Service) quoted(
	ctx context.Context, partnerID string, wanted *delivery.OrderRequest, now time.Time,
) (*pricing.Price, error) {
	price, err := s.price(ctx, partnerID, wanted.Shipment, now)
	if err == nil && wanted.QuoteID != "" {
		price.RateCents, price.Currency, err = s.config.Quoter.Honour(wanted.QuoteID, partnerID, wanted.Shipment, now)
	}
	return &price, err
}

// editable returns an error while orders can only be moved, because a node of an earlier release
// shares the database.
func (s *Service) editable(ctx context.Context) error {
	if s.config.Editable == nil {
		return nil
	}
	return s.config.Editable(ctx)
}
