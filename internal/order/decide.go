package order

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// command is one change that waits for the committer. Its decision is pure:
// everything it depends on is in the command and the state.
type command interface {
	// needs adds the rows that the decision touches.
	needs(n *Needs)
	// decide judges the command against the state, records what it writes in
	// changes, and brings the state up to date for the next command. A refusal
	// changes neither.
	decide(s *State, c *Changes) outcome
}

// outcome is what a command's caller is told.
type outcome struct {
	answer   []byte // the record, as it is answered and kept
	replayed bool
	err      error
}

func refused(err error) outcome { return outcome{err: err} }

// replay settles a command whose idempotency key was used before.
func replay(s *State, key ReceiptKey, bodyHash [32]byte) (outcome, bool) {
	receipt, ok := s.Receipts[key]
	if !ok {
		return outcome{}, false
	}
	return answerAgain(receipt, bodyHash), true
}

func answerAgain(receipt *Receipt, bodyHash [32]byte) outcome {
	if receipt.BodyHash != bodyHash {
		return refused(delivery.Refuse(delivery.CodeIdempotencyKeyReused,
			"this Idempotency-Key was used before with another request body"))
	}
	return outcome{answer: receipt.Answer, replayed: true}
}

// keep records an answer under the key of its request.
func keep(s *State, c *Changes, receipt *Receipt) {
	s.Receipts[receipt.ReceiptKey] = receipt
	c.Receipts = append(c.Receipts, receipt)
}

// createCommand admits a new order that has been validated and priced.
type createCommand struct {
	order    *delivery.Order
	key      ReceiptKey
	bodyHash [32]byte
	encode   Encoder
}

func (cmd *createCommand) reference() Reference {
	return Reference{cmd.order.PartnerID, cmd.order.PartnerOrderID}
}

func (cmd *createCommand) needs(n *Needs) {
	n.Receipts = append(n.Receipts, cmd.key)
	n.References = append(n.References, cmd.reference())
	for _, item := range cmd.order.Items {
		n.Products = append(n.Products, ProductKey{cmd.order.PartnerID, item.ProductID})
	}
}

func (cmd *createCommand) decide(s *State, c *Changes) outcome {
	if again, ok := replay(s, cmd.key, cmd.bodyHash); ok {
		return again
	}
	if s.Taken[cmd.reference()] {
		return refused(delivery.Refuse(delivery.CodeConflict,
			fmt.Sprintf("an order with partner_order_id %q already exists", cmd.order.PartnerOrderID)))
	}
	allocation, err := allocate(s, cmd.order)
	if err != nil {
		return refused(err)
	}
	order := *cmd.order
	order.Items = named(s, cmd.order)
	order.Allocation = allocation
	withdraw(s, c, &order)

	document := cmd.encode(&order)
	s.Taken[cmd.reference()] = true
	s.Orders[OrderKey{order.PartnerID, order.OrderID}] = &order
	c.Created = append(c.Created, Creation{Order: &order, Document: document})
	keep(s, c, &Receipt{
		ReceiptKey: cmd.key, BodyHash: cmd.bodyHash, OrderID: order.OrderID,
		CreatedAt: order.CreatedAt, Answer: document, OfCreation: true,
	})
	return outcome{answer: document}
}

// allocate decides where an order's items are taken from. It changes nothing,
// and reports every product that can't be ordered, or all that are short.
func allocate(s *State, order *delivery.Order) ([]delivery.Take, error) {
	if problems := unknownProducts(order.PartnerID, order.Items, func(key ProductKey) *delivery.Product {
		if stock := s.Stock[key]; stock != nil {
			return &stock.Product
		}
		return nil
	}); len(problems) > 0 {
		return nil, problems.Err()
	}
	var takes []delivery.Take
	var shortages []delivery.Shortage
	for _, line := range addedUp(order.Items) {
		stock := s.Stock[ProductKey{order.PartnerID, line.ProductID}]
		taken, enough := delivery.Allocate(stock.Levels, line.ProductID, line.Quantity)
		if !enough {
			shortages = append(shortages, delivery.Shortage{
				ProductID: line.ProductID, Available: stock.Quantity, Requested: line.Quantity,
			})
		}
		takes = append(takes, taken...)
	}
	if len(shortages) > 0 {
		return nil, delivery.InsufficientStock(shortages)
	}
	return takes, nil
}

// unknownProducts notes every item whose product does not exist or is not sold.
func unknownProducts(partnerID string, items []delivery.Item, find func(ProductKey) *delivery.Product) (problems delivery.Problems) {
	for i, item := range items {
		if item.ProductID == 0 {
			continue // not readable; noted already
		}
		product := find(ProductKey{partnerID, item.ProductID})
		if product == nil || product.Status != delivery.ProductActive {
			problems.Add(fmt.Sprintf("items[%d].product_id", i), item.ProductID, "the id of an active product")
		}
	}
	return problems
}

// addedUp sums the lines of the same product, in the order of first mention.
func addedUp(items []delivery.Item) []delivery.Item {
	var lines []delivery.Item
	for _, item := range items {
		at := slices.IndexFunc(lines, func(line delivery.Item) bool { return line.ProductID == item.ProductID })
		if at < 0 {
			lines = append(lines, item)
			continue
		}
		lines[at].Quantity += item.Quantity
	}
	return lines
}

func named(s *State, order *delivery.Order) []delivery.Item {
	items := slices.Clone(order.Items)
	for i := range items {
		items[i].Name = s.Stock[ProductKey{order.PartnerID, items[i].ProductID}].Name
	}
	return items
}

// withdraw takes an order's allocation out of stock.
func withdraw(s *State, c *Changes, order *delivery.Order) {
	for _, take := range order.Allocation {
		move(s, c, order, delivery.MovementOut, take)
	}
}

// giveBack returns an order's allocation to where it was taken from.
func giveBack(s *State, c *Changes, order *delivery.Order) {
	for _, take := range order.Allocation {
		move(s, c, order, delivery.MovementIn, take)
	}
}

// move writes one movement and applies it to the level and the total.
func move(s *State, c *Changes, order *delivery.Order, kind delivery.MovementType, take delivery.Take) {
	key := ProductKey{order.PartnerID, take.ProductID}
	stock := s.Stock[key]
	s.LastMovement[order.PartnerID]++
	movement := delivery.Movement{
		MovementID: s.LastMovement[order.PartnerID],
		Type:       kind,
		Quantity:   take.Quantity,
		ProductID:  take.ProductID,
		Location:   take.Location,
		OrderID:    order.OrderID,
		At:         order.UpdatedAt,
	}
	level := slices.IndexFunc(stock.Levels, func(l delivery.Level) bool { return l.Location == take.Location })
	if level < 0 {
		stock.Levels = append(stock.Levels, delivery.Level{ProductID: take.ProductID, Location: take.Location})
		level = len(stock.Levels) - 1
	}
	stock.Levels[level].Quantity += movement.Change()
	stock.Quantity += movement.Change()

	c.Movements = append(c.Movements, Movement{PartnerID: order.PartnerID, Movement: movement})
	c.Stock[key] = stock
	c.LastMovement[order.PartnerID] = movement.MovementID
}

// cancelCommand cancels an order on its partner's wish.
type cancelCommand struct {
	target   OrderKey
	products []ProductKey // of the order's allocation
	reason   string
	at       time.Time
	eventID  string
	key      ReceiptKey
	bodyHash [32]byte
	encode   Encoder
}

func (cmd *cancelCommand) needs(n *Needs) {
	n.Receipts = append(n.Receipts, cmd.key)
	n.Orders = append(n.Orders, cmd.target)
	n.Products = append(n.Products, cmd.products...)
}

func (cmd *cancelCommand) decide(s *State, c *Changes) outcome {
	if again, ok := replay(s, cmd.key, cmd.bodyHash); ok {
		return again
	}
	found := s.Orders[cmd.target]
	if found == nil {
		return refused(delivery.NotFound("order"))
	}
	if !delivery.MayMove(found.Status, delivery.StatusCancelled, delivery.ActorPartner) {
		return refused(&delivery.Error{
			Code:    delivery.CodeOrderNotCancellable,
			Message: fmt.Sprintf("an order that is %s cannot be cancelled", found.Status),
			Details: statusDetails{Status: found.Status},
		})
	}
	order := enter(s, c, found, step{
		to: delivery.StatusCancelled, by: delivery.ActorPartner,
		at: cmd.at, notes: cmd.reason, reason: cmd.reason, eventID: cmd.eventID,
	})
	answer := cmd.encode(order)
	keep(s, c, &Receipt{
		ReceiptKey: cmd.key, BodyHash: cmd.bodyHash, OrderID: order.OrderID,
		CreatedAt: order.UpdatedAt, Answer: answer,
	})
	return outcome{answer: answer}
}

type statusDetails struct {
	Status delivery.Status `json:"status"`
}

// advanceCommand moves an order on behalf of the service.
type advanceCommand struct {
	target   OrderKey
	version  int64        // the version that the caller saw
	products []ProductKey // of the order's allocation, for a cancellation
	step     step
	encode   Encoder
}

func (cmd *advanceCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	n.Products = append(n.Products, cmd.products...)
}

func (cmd *advanceCommand) decide(s *State, c *Changes) outcome {
	found := s.Orders[cmd.target]
	if found == nil {
		return refused(delivery.NotFound("order"))
	}
	if found.Version != cmd.version {
		return refused(invalidTransition(found, fmt.Sprintf("the order was changed meanwhile and is now %s", found.Status)))
	}
	if !delivery.MayMove(found.Status, cmd.step.to, delivery.ActorService) {
		return refused(invalidTransition(found, fmt.Sprintf("an order that is %s cannot become %s", found.Status, cmd.step.to)))
	}
	return outcome{answer: cmd.encode(enter(s, c, found, cmd.step))}
}

func invalidTransition(found *delivery.Order, message string) error {
	return &delivery.Error{
		Code:    delivery.CodeInvalidTransition,
		Message: message,
		Details: struct {
			Status  delivery.Status   `json:"status"`
			Allowed []delivery.Status `json:"allowed"`
			Courier *delivery.Courier `json:"courier,omitzero"`
		}{found.Status, delivery.NextStatuses(found.Status), found.Courier},
	}
}

// step is one permitted move of an order and what comes with it.
type step struct {
	to            delivery.Status
	by            delivery.Actor
	at            time.Time
	notes         string
	eventID       string
	courier       *delivery.Courier // for courier_assigned
	eta           time.Time         // zero keeps the estimate
	failureReason string
	nextAttempt   *time.Time
	reason        string // of a cancellation
}

// enter makes the move: new state and version, history, stock return and event.
func enter(s *State, c *Changes, found *delivery.Order, st step) *delivery.Order {
	order := *found
	order.Status = st.to
	order.Version++
	// A clock that was set back must not turn the history around.
	order.UpdatedAt = latest(st.at, found.UpdatedAt)
	if !st.eta.IsZero() {
		order.EstimatedDelivery = st.eta
	}
	switch st.to {
	case delivery.StatusCourierAssigned:
		order.Courier = st.courier
	case delivery.StatusAccepted:
		order.Courier = nil
	case delivery.StatusCancelled:
		order.Cancellation = &delivery.Cancellation{Reason: st.reason, At: order.UpdatedAt}
		giveBack(s, c, &order)
	}
	entry := delivery.HistoryEntry{Status: st.to, At: order.UpdatedAt, Notes: st.notes}
	order.History = append(slices.Clone(found.History), entry)
	announce(c, &order, st)

	key := OrderKey{order.PartnerID, order.OrderID}
	s.Orders[key] = &order
	c.History = append(c.History, History{OrderKey: key, Version: order.Version, Entry: entry})
	c.change(key, &order, found.Version)
	return &order
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// change records an order's newest state; the version to compare with stays
// that of the first change, which is what the store holds.
func (c *Changes) change(key OrderKey, order *delivery.Order, fromVersion int64) {
	if earlier, ok := c.Changed[key]; ok {
		earlier.Order = order
		return
	}
	c.Changed[key] = &Change{Order: order, FromVersion: fromVersion}
}

// announce adds the event of a move to the outbox.
func announce(c *Changes, order *delivery.Order, st step) {
	kind, ok := delivery.EventFor(st.to)
	if !ok {
		return
	}
	order.Events++
	facts := delivery.EventFacts{
		PartnerOrderID: order.PartnerOrderID,
		Status:         order.Status,
		Courier:        order.Courier,
		At:             order.UpdatedAt,
		ETA:            order.EstimatedDelivery,
		FailureReason:  st.failureReason,
		NextAttempt:    st.nextAttempt,
		Reason:         st.reason,
	}
	if st.to == delivery.StatusCancelled {
		facts.CancelledBy = st.by
	}
	c.Events = append(c.Events, &delivery.Event{
		EventID:   st.eventID,
		PartnerID: order.PartnerID,
		OrderID:   order.OrderID,
		Type:      kind,
		Sequence:  order.Events,
		CreatedAt: order.UpdatedAt,
		Facts:     facts,
	})
}

// decideGroup judges commands one after the other against one state.
func decideGroup(s *State, commands []command) ([]outcome, *Changes) {
	changes := &Changes{
		Changed:      map[OrderKey]*Change{},
		Stock:        map[ProductKey]*Stock{},
		LastMovement: map[string]int64{},
	}
	outcomes := make([]outcome, len(commands))
	for i, cmd := range commands {
		outcomes[i] = cmd.decide(s, changes)
	}
	return outcomes, changes
}

// needsOf gathers what a group touches, each row once and in one order, so
// that two writers lock rows in the same order.
func needsOf(commands []command) *Needs {
	var n Needs
	for _, cmd := range commands {
		cmd.needs(&n)
	}
	n.Receipts = distinct(n.Receipts, func(a, b ReceiptKey) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.Scope, b.Scope), bytes.Compare(a.Key[:], b.Key[:]))
	})
	n.References = distinct(n.References, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.PartnerOrderID, b.PartnerOrderID))
	})
	n.Orders = distinct(n.Orders, func(a, b OrderKey) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.OrderID, b.OrderID))
	})
	n.Products = distinct(n.Products, func(a, b ProductKey) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.ProductID, b.ProductID))
	})
	return &n
}

func distinct[T comparable](rows []T, compare func(a, b T) int) []T {
	slices.SortFunc(rows, compare)
	return slices.Compact(rows)
}
