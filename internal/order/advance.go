package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// Advance is a request to move an order to another state, by the service.
type Advance struct {
	form.Faults   // which come after what a courier may not do, and after the answer to an equal request
	Status        delivery.Status
	Notes         string
	CourierID     string              // required for courier_assigned
	ETA           time.Time           // zero keeps the estimate
	FailureReason string              // for failed
	NextAttempt   *time.Time          // for failed; nil if none is planned
	Reason        string              // for cancelled
	Collected     *delivery.Collected // for delivered; nil if the request does not say
	OccurredAt    time.Time           // when it happened; zero if it happens now
	// By is the courier who makes the request, which is limited to that courier's orders;
	// empty for the dispatch desk.
	By string
	// Version is the version of the order that the caller saw; 0 if the request has none.
	Version int64
}

// ReadAdvance returns the reader of requests to move one order. by is the courier who makes
// them; empty for the dispatch desk.
func (s *Service) ReadAdvance(by string) func(*form.Form) Advance {
	return func(f *form.Form) Advance {
		a := s.readAdvance(f, by)
		a.Version, _ = f.Integer("version", form.Optional, 1, maxVersion)
		a.Collected = delivery.ReadCollected(f.Object("collected", form.Optional))
		a.onlyDelivered(f, a.Collected != nil)
		return a
	}
}

// onlyDelivered refuses what was collected of orders that are not delivered.
func (a *Advance) onlyDelivered(f *form.Form, collected bool) {
	if collected && a.Status != "" && a.Status != delivery.StatusDelivered {
		f.Fault("collected", collectedLater)
	}
}

// readAdvance reads what the requests to move one order and many have in common.
func (s *Service) readAdvance(f *form.Form, by string) Advance {
	a := Advance{
		Status: delivery.Status(f.Text("status", form.Required, form.OneOf(delivery.Statuses...))),
		Notes:  f.Text("notes", form.Optional, form.Length(0, 1000)),
		ETA:    f.Time("eta", form.Optional),
		Reason: f.Text("reason", form.Optional, form.Length(0, delivery.MaxReason)),
		By:     by,
	}
	needsReason := form.Presence(by != "" && a.Status == delivery.StatusFailed)
	a.FailureReason = f.Text("failure_reason", needsReason, form.Length(least(needsReason), delivery.MaxReason))
	needsCourier := form.Presence(a.Status == delivery.StatusCourierAssigned)
	a.CourierID = f.Text("courier_id", needsCourier, form.Length(1, 255))
	if at := f.Time("next_attempt", form.Optional); !at.IsZero() {
		a.NextAttempt = &at
	}
	a.OccurredAt = s.readOccurred(f)
	return a
}

// readOccurred reads when something happened; zero if the request does not say.
func (s *Service) readOccurred(f *form.Form) time.Time {
	at := f.Time("occurred_at", form.Optional)
	if !at.IsZero() && !delivery.MayHaveOccurred(at, s.now()) {
		f.Fault("occurred_at", delivery.OccurredRule)
	}
	return at
}

var (
	activeCourier  = form.Define("active_courier", "the id of an active courier")
	collectedLater = form.Define("collected_later", "nothing, unless the order is delivered")
	collectedOnce  = form.Define("collected_once", "one of order_ids, each once")
	asManyVersions = form.Define("as_many_versions", "as many versions as order_ids")
)

// least returns the smallest number of characters of a text.
func least(presence form.Presence) int {
	if presence == form.Required {
		return 1
	}
	return 0
}

// may reports whether the order is visible to the caller.
func (a *Advance) may(o *delivery.Order) bool { return a.By == "" || o.CarriedBy(a.By) }

// maxVersion bounds the versions that a caller may name.
const maxVersion = 1 << 53

// Advance moves an order along the transition table. History, stock return and
// event are written in the same transaction. Of two concurrent moves one wins; the
// other is refused as invalid_transition, with the state that it met and the
// operator who brought the order there. A request may name the version of the
// order that the caller saw; it is refused if the order has changed since. So a
// courier who was assigned meanwhile is not replaced by accident.
//
// Of the orders that a courier asks to move, only those can be moved that this courier
// carries, and only to delivery.CourierStatuses: another state is forbidden, another order
// not_found, and a failed attempt needs a reason.
//
// r is the request, if it came with an Idempotency-Key; otherwise nil. Its key is looked
// up before the request is refused: a courier who was without a connection repeats it when
// the order may belong to another one.
func (s *Service) Advance(ctx context.Context, r *idempotency.Request, orderID string, a Advance) (Answer, error) {
	partnerID, ok := delivery.PartnerOfOrder(orderID)
	if !ok {
		return Answer{}, refusal.NotFound("order")
	}
	r = r.Of(partnerID)
	order, courier, err := s.concerned(ctx, orderID, &a)
	if err != nil && r != nil {
		return s.settleOnce(ctx, r.Key, &refuseCommand{kind: CommandAdvance, request: *r, refusal: err})
	}
	if err != nil {
		return Answer{}, err
	}
	answer, err := s.move(ctx, r, order, a, courier)
	if err == nil {
		s.handOver(ctx, a, order)
	}
	return answer, err
}

// concerned returns the order that a move is of, and the courier that it names.
func (s *Service) concerned(
	ctx context.Context, orderID string, a *Advance,
) (order *delivery.Order, courier *delivery.Courier, err error) {
	if a.By != "" && a.Status.Known() && !slices.Contains(delivery.CourierStatuses, a.Status) {
		return nil, nil, refusal.New(refusal.CodeForbidden, fmt.Sprintf("a courier may not make an order %s", a.Status))
	}
	if err := a.Problems().Err(); err != nil {
		return nil, nil, err
	}
	order, err = s.head(ctx, orderID)
	if err == nil && !a.may(order) {
		err = refusal.NotFound("order")
	}
	if err == nil {
		courier, err = s.courier(ctx, *a)
	}
	return order, courier, err
}

// handOver reports orders that had another courier before the move. They are as they
// were before it.
func (s *Service) handOver(ctx context.Context, a Advance, moved ...*delivery.Order) {
	if a.Status != delivery.StatusCourierAssigned || s.config.HandedOver == nil {
		return
	}
	from := map[string]string{}
	for _, order := range moved {
		if order.Courier != nil && !order.CarriedBy(a.CourierID) {
			from[order.OrderID] = order.Courier.CourierID
		}
	}
	if len(from) > 0 {
		s.config.HandedOver(ctx, a.CourierID, from)
	}
}

// move moves one order, which was read a moment ago, or is read again because an edit has
// overtaken the move.
func (s *Service) move(
	ctx context.Context, r *idempotency.Request, order *delivery.Order, a Advance, courier *delivery.Courier,
) (Answer, error) {
	return decideAgain(func() (Answer, error) {
		answer, err := s.tryMove(ctx, r, order, a, courier)
		if !errors.Is(err, errOvertaken) {
			return answer, err
		}
		edited, readErr := s.head(ctx, order.OrderID)
		if readErr != nil {
			return Answer{}, readErr
		}
		order = edited
		return answer, err
	})
}

// tryMove submits the move of one order.
func (s *Service) tryMove(
	ctx context.Context, r *idempotency.Request, order *delivery.Order, a Advance, courier *delivery.Courier,
) (Answer, error) {
	now := s.now()
	eventID, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return Answer{}, err
	}
	entry, err := audit.NewEntry(ctx, s.config.Random, now, audit.ActionOrderMoved)
	if err != nil {
		return Answer{}, err
	}
	cmd := &advanceCommand{
		request: r,
		audit:   entry,
		carrier: a.By,
		target:  OrderKey{order.PartnerID, order.OrderID},
		version: cmp.Or(a.Version, order.Version),
		seen:    order.Version,
		encode:  record.EncodeForOperators,
		step: step{
			to: a.Status, by: delivery.ActorService, at: now, occurredAt: a.OccurredAt, notes: cmp.Or(a.Notes, a.FailureReason,
				a.Reason), eventID: eventID,
			courier: courier, eta: a.ETA, failureReason: a.FailureReason, nextAttempt: a.NextAttempt, reason: a.Reason,
			collected: a.Collected,
		},
	}
	if cmd.step.letter, err = s.letter(ctx, order, &cmd.step); err != nil {
		return Answer{}, err
	}
	if costly(a.Status) {
		cmd.step.charged = s.charged(ctx, order.PartnerID, cmp.Or(a.OccurredAt, now))
	}
	switch a.Status {
	case delivery.StatusCancelled:
		cmd.products, cmd.origin = productsOf(order), originOf(order)
	case delivery.StatusDelivered:
		cmd.proofURL = s.config.ProofURL
	default: // touches the order only
	}
	if r == nil {
		answer, err := s.settle(ctx, cmd)
		return answer, s.withMover(ctx, cmd.target, err)
	}
	answer, err := s.settleOnce(ctx, r.Key, cmd)
	return answer, s.withMover(ctx, cmd.target, err)
}

// TooLate returns the refusal of what happened before the latest move of the order.
func (s *Service) TooLate(ctx context.Context, found *delivery.Order) error {
	return s.withMover(ctx, OrderKey{found.PartnerID, found.OrderID}, tooLate(found))
}

// withMover adds the operator who brought the order to its state to the refusal of a
// move. If that cannot be found out, the refusal goes out without it.
func (s *Service) withMover(ctx context.Context, key OrderKey, err error) error {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return err
	}
	details, ok := refused.Details.(transitionDetails)
	if !ok {
		return err
	}
	_ = s.config.Store.Read(ctx, func(tx Reader) (err error) {
		details.ChangedBy, err = movedBy(ctx, tx, key, details.Version)
		return err
	})
	completed := *refused
	completed.Details = details
	return &completed
}

// movedBy returns the operator who brought an order to a version; nil if that was
// no operator.
func movedBy(ctx context.Context, tx Reader, key OrderKey, version int64) (*Mover, error) {
	moves, err := tx.Moves(ctx, key)
	if err != nil {
		return nil, err
	}
	for _, move := range moves {
		var left orderFacts
		if err := strictjson.Unmarshal(move.After, &left); err != nil || left.Version != version {
			continue
		}
		email, err := tx.OperatorEmail(ctx, move.OperatorID)
		return &Mover{OperatorID: move.OperatorID, Email: email, At: move.At}, err
	}
	return nil, nil
}

func (s *Service) courier(ctx context.Context, a Advance) (courier *delivery.Courier, err error) {
	if a.Status != delivery.StatusCourierAssigned {
		return nil, nil
	}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		courier, err = tx.Courier(ctx, a.CourierID)
		return err
	})
	if err == nil && courier == nil {
		err = form.Fault("courier_id", a.CourierID, activeCourier)
	}
	return courier, err
}

// MaxBulk is how many orders one request may move.
const MaxBulk = 200

// Moved is the outcome for one order of a bulk move.
type Moved struct {
	OrderID string
	Status  delivery.Status // its new state; empty if Err is set
	Version int64           // its new version; 0 if Err is set
	Err     error
}

// versionOf returns the version in a record as operators see it.
func versionOf(record []byte) (int64, error) {
	var moved struct {
		Version int64 `json:"version"`
	}
	err := strictjson.Unmarshal(record, &moved)
	return moved.Version, err
}

// BulkAdvance is a request to move many orders in the same way.
type BulkAdvance struct {
	Advance           // without a version, and without what was collected
	OrderIDs []string // each once
	Versions []int64  // those of the orders that the caller saw, in the same order; may be empty
	// Collected is what was collected of each order, by its id; orders of which the request does not say it are left
	// out.
	Collected map[string]*delivery.Collected
}

// ReadBulkAdvance reads a request of the dispatch desk to move many orders.
func (s *Service) ReadBulkAdvance(f *form.Form) BulkAdvance {
	a := BulkAdvance{
		Advance:  s.readAdvance(f, ""),
		OrderIDs: f.Texts("order_ids", form.Required, 1, MaxBulk, form.Length(1, 255)),
		Versions: f.Integers("versions", form.Optional, 1, MaxBulk, 1, maxVersion),
	}
	a.Collected = readAllCollected(f, a.OrderIDs)
	a.onlyDelivered(f, len(a.Collected) > 0)
	if twice(a.OrderIDs) {
		f.Fault("order_ids", delivery.EachOrderOnce)
	}
	if f.Has("versions") && len(a.OrderIDs) > 0 && len(a.Versions) > 0 && len(a.Versions) != len(a.OrderIDs) {
		f.Fault("versions", asManyVersions)
	}
	return a
}

// readAllCollected reads what was collected of each of some orders.
func readAllCollected(f *form.Form, orderIDs []string) map[string]*delivery.Collected {
	entries := f.Objects("collected", form.Optional, 0, MaxBulk)
	all := make(map[string]*delivery.Collected, len(entries))
	for _, entry := range entries {
		id := entry.Text("order_id", form.Required, form.Length(1, 255))
		if id != "" && (all[id] != nil || !slices.Contains(orderIDs, id)) {
			entry.Fault("order_id", collectedOnce)
		}
		all[id] = delivery.ReadCollected(entry)
	}
	return all
}

// AdvanceAll moves many orders in the same way, each independently: a refused
// order does not keep the others from moving. They wait for the committer together
// and so share its transactions. The outcomes are in the order of the request.
//
// r is the request if it came with an Idempotency-Key; otherwise nil. The key holds for
// each order by itself, so that a request which was interrupted can be repeated.
func (s *Service) AdvanceAll(ctx context.Context, r *idempotency.Request, a BulkAdvance) ([]Moved, error) {
	if err := a.Problems().Err(); err != nil {
		return nil, err
	}
	courier, err := s.courier(ctx, a.Advance)
	if err != nil {
		return nil, err
	}
	found, err := s.byIDs(ctx, a.OrderIDs)
	if err != nil {
		return nil, err
	}
	moved := make([]Moved, len(a.OrderIDs))
	eachAtOnce(len(moved), func(i int) {
		orderID := a.OrderIDs[i]
		moved[i] = Moved{OrderID: orderID, Err: refusal.NotFound("order")}
		if order := found[orderID]; order != nil {
			one := a.Advance
			one.Collected = a.Collected[orderID]
			if len(a.Versions) > 0 {
				one.Version = a.Versions[i]
			}
			if moved[i].Err = s.config.Damaged.Of(order.Damage); moved[i].Err == nil {
				moved[i] = s.moved(ctx, r.Of(order.PartnerID).Part(order.OrderID), order, one, courier)
			}
		}
	})
	var done []*delivery.Order
	for _, m := range moved {
		if m.Err == nil {
			done = append(done, found[m.OrderID])
		}
	}
	s.handOver(ctx, a.Advance, done...)
	if len(done) == 0 {
		return moved, refusedActor(moved)
	}
	return moved, nil
}

// moved moves one order of many.
func (s *Service) moved(
	ctx context.Context, r *idempotency.Request, order *delivery.Order, a Advance, courier *delivery.Courier,
) Moved {
	answer, err := s.move(ctx, r, order, a, courier)
	if err != nil {
		return Moved{OrderID: order.OrderID, Err: err}
	}
	version, err := versionOf(answer.Record)
	return Moved{OrderID: order.OrderID, Status: a.Status, Version: version, Err: err}
}

// refusedActor returns the refusal of the person who has moved none of the orders, if that
// is why: it is of the request as a whole.
func refusedActor(moved []Moved) error {
	for _, m := range moved {
		if actor.Refuses(m.Err) {
			return m.Err
		}
	}
	return nil
}

// twice reports whether an id occurs twice. Ids that were refused are empty, and
// do not count.
func twice(ids []string) bool {
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id != "" && seen[id] {
			return true
		}
		seen[id] = true
	}
	return false
}

// byIDs returns those of the orders that exist, of any partner.
func (s *Service) byIDs(ctx context.Context, ids []string) (map[string]*delivery.Order, error) {
	keys := make([]OrderKey, 0, len(ids))
	for _, id := range ids {
		if partnerID, ok := delivery.PartnerOfLiveOrder(id); ok {
			keys = append(keys, OrderKey{partnerID, id})
		}
	}
	return s.byKeys(ctx, keys)
}

func (s *Service) byKeys(ctx context.Context, keys []OrderKey) (map[string]*delivery.Order, error) {
	found := make(map[string]*delivery.Order, len(keys))
	return found, s.config.Store.Read(ctx, func(tx Reader) error {
		orders, err := tx.OrdersByKey(ctx, keys)
		for key, order := range orders {
			found[key.OrderID] = order
		}
		return err
	})
}

// Numbers returns the partner's own numbers of those of its orders that exist, by their ids.
func (s *Service) Numbers(ctx context.Context, partnerID string, ids []string) (map[string]string, error) {
	keys := make([]OrderKey, 0, len(ids))
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		keys = append(keys, OrderKey{partnerID, id})
	}
	found, err := s.byKeys(ctx, keys)
	numbers := make(map[string]string, len(found))
	for id, o := range found {
		numbers[id] = o.PartnerOrderID
	}
	return numbers, err
}
