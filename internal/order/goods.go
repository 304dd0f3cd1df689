package order

import (
	"cmp"
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// Transfer is a request to hand the goods of an order on, to a courier or to a location.
type Transfer struct {
	form.Faults // which come after the answer to an equal request
	CourierID   string
	Location    string    // empty if a courier gets the goods
	OccurredAt  time.Time // when it happened; zero if it happens now
	// Version is the version of the order that the caller saw; 0 if the request has none.
	Version int64
	// By is the courier who makes the request, which is limited to that courier's orders;
	// empty for the dispatch desk.
	By string
}

var (
	oneReceiver = form.Define("one_receiver", "either courier_id or location")
	onlySender  = form.Define("only_sender", "nothing: couriers hand parcels over to a location with a transfer, and the "+
		"warehouse receives them")
)

// ReadTransfer returns the reader of requests to hand goods on. by is the courier who makes
// them; empty for the dispatch desk.
func (s *Service) ReadTransfer(by string) func(*form.Form) Transfer {
	return func(f *form.Form) Transfer {
		t := Transfer{
			CourierID: f.Text("courier_id", form.Optional, form.Length(1, 255)),
			Location:  f.Text("location", form.Optional, delivery.LocationRule),
			By:        by,
		}
		if f.Has("courier_id") == f.Has("location") {
			f.Fault("courier_id", oneReceiver)
		}
		t.Version, _ = f.Integer("version", form.Optional, 1, maxVersion)
		t.OccurredAt = s.readOccurred(f)
		return t
	}
}

// Transfer hands the goods of an order that were picked up on to another courier or a location. The
// order keeps its status; it has no courier while its goods lie at a location. A transfer that
// happened before the latest move or transfer is refused as a conflict, with what happened since.
//
// r is the request, if it came with an Idempotency-Key; otherwise nil.
func (s *Service) Transfer(
	ctx context.Context, r *idempotency.Request, orderID string, t Transfer,
) (Answer, error) {
	return s.settleGoods(ctx, r, orderID, CommandTransfer, func(r *idempotency.Request) (command, func(), error) {
		if err := t.Problems().Err(); err != nil {
			return nil, nil, err
		}
		order, err := s.head(ctx, orderID)
		if err == nil && t.By != "" && !order.CarriedBy(t.By) {
			err = refusal.NotFound("order")
		}
		if err != nil {
			return nil, nil, err
		}
		cmd := &transferCommand{
			target: OrderKey{order.PartnerID, order.OrderID}, version: t.Version, carrier: t.By,
			encode: record.EncodeForOperators, request: r,
			handover: handover{location: t.Location, occurredAt: t.OccurredAt},
		}
		if t.CourierID != "" {
			assigned := Advance{Status: delivery.StatusCourierAssigned, CourierID: t.CourierID}
			if cmd.handover.courier, err = s.courier(ctx, assigned); err != nil {
				return nil, nil, err
			}
		}
		if cmd.handover.at, cmd.handover.eventID, cmd.audit, err = s.begin(ctx, audit.ActionOrderHandedOver); err != nil {
			return nil, nil, err
		}
		cmd.handover.operatorID = cmd.audit.OperatorID
		return cmd, func() {
			if t.CourierID != "" {
				s.handOver(ctx, Advance{Status: delivery.StatusCourierAssigned, CourierID: t.CourierID}, order)
			}
		}, nil
	})
}

// Receipt is a request to receive the goods of an order that come back.
type Receipt struct {
	form.Faults // which come after the answer to an equal request
	Location    string
	Lines       []delivery.ReturnLine // several may be about one product
	OccurredAt  time.Time             // when it happened; zero if it happens now
	// By is the courier who makes the request, who can only give the parcels of own orders back to
	// their sender; empty for the warehouse and the dispatch desk.
	By string
}

// maxReturnLines is the most lines of a receipt: each item may come back in all conditions.
const maxReturnLines = 3 * delivery.MaxItemLines

// ReadReceipt returns the reader of requests to receive goods that come back. by is the courier who
// makes them; empty for the warehouse and the dispatch desk.
func (s *Service) ReadReceipt(by string) func(*form.Form) Receipt {
	return func(f *form.Form) Receipt {
		receipt := Receipt{Location: f.Text("location", form.Optional, delivery.LocationRule), By: by}
		if by != "" && receipt.Location != "" {
			f.Fault("location", onlySender)
		}
		receipt.Lines, receipt.OccurredAt = readReturnLines(f), s.readOccurred(f)
		return receipt
	}
}

func readReturnLines(f *form.Form) (lines []delivery.ReturnLine) {
	for _, line := range f.Objects("lines", form.Optional, 0, maxReturnLines) {
		var one delivery.ReturnLine
		one.ProductID, _ = line.Integer("product_id", form.Required, 1, 1<<53)
		one.Quantity, _ = line.Integer("quantity", form.Required, 1, 1_000_000_000)
		one.Disposition = delivery.Disposition(line.Text("disposition", form.Required,
			form.OneOf(delivery.Dispositions...)))
		lines = append(lines, one)
	}
	return lines
}

// Receive receives the goods of an order that was given up after its pickup. Sellable and damaged
// units are booked in at the location, and damaged ones out again; missing ones stay out. The lines
// must add up to what has left.
//
// r is the request, if it came with an Idempotency-Key; otherwise nil.
func (s *Service) Receive(
	ctx context.Context, r *idempotency.Request, orderID string, receipt Receipt,
) (Answer, error) {
	return s.settleGoods(ctx, r, orderID, CommandReceive, func(r *idempotency.Request) (command, func(), error) {
		if err := receipt.Problems().Err(); err != nil {
			return nil, nil, err
		}
		cmd, err := s.receipt(ctx, orderID, receipt)
		if err != nil {
			return nil, nil, err
		}
		cmd.request, cmd.encode, cmd.carrier, cmd.occurredAt = r, record.EncodeForOperators, receipt.By, receipt.OccurredAt
		_, _, cmd.audit, err = s.begin(ctx, audit.ActionOrderReturned)
		return cmd, func() {}, err
	})
}

// ReceiveAll receives all goods of an order as sellable, where they were taken from. It is for
// simulated orders, and leaves no trace in the audit log.
func (s *Service) ReceiveAll(ctx context.Context, orderID string) error {
	order, err := s.head(ctx, orderID)
	if err != nil {
		return err
	}
	var receipt Receipt
	for _, item := range delivery.AddedUp(order.Items) {
		line := delivery.ReturnLine{ProductID: item.ProductID, Quantity: item.Quantity, Disposition: delivery.Sellable}
		receipt.Lines = append(receipt.Lines, line)
	}
	if len(order.Allocation) > 0 {
		receipt.Location = order.Allocation[0].Location
	}
	cmd, err := s.receipt(ctx, orderID, receipt)
	if err != nil {
		return err
	}
	cmd.unproven, cmd.encode = true, record.Encode
	_, err = s.settle(ctx, cmd)
	return err
}

// receipt returns the command that receives the goods of an order.
func (s *Service) receipt(ctx context.Context, orderID string, receipt Receipt) (*receiveCommand, error) {
	order, err := s.head(ctx, orderID)
	if err != nil {
		return nil, err
	}
	cmd := &receiveCommand{
		target: OrderKey{order.PartnerID, order.OrderID}, products: productsOf(order), location: receipt.Location,
		lines: receipt.Lines, at: s.now(),
	}
	cmd.charged = s.charged(ctx, order.PartnerID, cmp.Or(receipt.OccurredAt, cmd.at))
	cmd.eventID, err = identifier.NewUUID(s.config.Random, cmd.at)
	return cmd, err
}

// begin returns the time of a change, the id of its event, and the beginning of its entry in the
// audit log.
func (s *Service) begin(ctx context.Context, action audit.Action) (time.Time, string, *audit.Entry, error) {
	now := s.now()
	eventID, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return now, "", nil, err
	}
	entry, err := audit.NewEntry(ctx, s.config.Random, now, action)
	return now, eventID, entry, err
}

// settleGoods settles a command about the goods of an order, and then calls what follows it. prepare
// returns both, or why the command is refused, which comes after the answer to an equal request.
func (s *Service) settleGoods(
	ctx context.Context, r *idempotency.Request, orderID string, kind CommandKind,
	prepare func(*idempotency.Request) (command, func(), error),
) (Answer, error) {
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok {
		return Answer{}, refusal.NotFound("order")
	}
	if err := s.editable(ctx); err != nil {
		return Answer{}, err
	}
	r = r.Of(partnerID)
	cmd, follow, err := prepare(r)
	if err != nil && r != nil {
		return s.settleOnce(ctx, r.Key, &refuseCommand{kind: kind, request: *r, refusal: err})
	}
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	if r == nil {
		answer, err = s.settle(ctx, cmd)
	} else {
		answer, err = s.settleOnce(ctx, r.Key, cmd)
	}
	if err == nil {
		follow()
	}
	return answer, s.withMover(ctx, OrderKey{partnerID, orderID}, err)
}
