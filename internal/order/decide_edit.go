package order

import (
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/record"
)

// editCommand changes the content of an order.
type editCommand struct {
	target   OrderKey
	seen     int64 // the version from which the command was made
	wanted   int64 // the version that the caller saw; 0 if the request has none
	by       delivery.Editor
	reason   string // of an edit by the service
	at       time.Time
	content  delivery.OrderRequest // after the edit
	products []movement.ProductKey // of the items before it
	price    *pricing.Price        // of the edited order; nil if price and estimate stay
	warnings []delivery.Warning
	eventID  string
	audit    *audit.Entry // the beginning of the entry; nil for an edit that has none
	encode   func(o *delivery.Order, rateChange int64) []byte
	request  *idempotency.Request // nil if it came without a key
}

func (cmd *editCommand) partner() string { return cmd.target.PartnerID }

func (cmd *editCommand) needs(n *Needs) {
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
	n.Orders = append(n.Orders, cmd.target)
	n.Documents = append(n.Documents, cmd.target)
	n.Products = append(n.Products, cmd.products...)
	n.addItems(cmd.target.PartnerID, cmd.content.Items)
}

func (cmd *editCommand) decide(s *State, c *Changes) outcome {
	found, settled := s.begin(cmd.request, cmd.target, "")
	if settled != nil {
		return *settled
	}
	if found.LastEvent == cmd.eventID {
		// An earlier try was committed, but the database's answer was lost.
		return outcome{answer: cmd.encode(found, 0)}
	}
	if cmd.wanted != 0 && cmd.wanted != found.Version {
		return refused(&refusal.Error{
			Code:    refusal.CodeConflict,
			Message: fmt.Sprintf("the order was changed meanwhile and now has version %d", found.Version),
			Details: versionDetails{Status: found.Status, Version: found.Version},
		})
	}
	if cmd.seen != found.Version {
		return refused(errOvertaken)
	}
	content := cmd.content
	content.Items = resolved(s, found.PartnerID, content.Items)
	parts := delivery.EditedParts(&found.OrderRequest, &content)
	if err := cmd.mayEdit(found, parts); err != nil {
		return refused(err)
	}
	order := found
	if len(parts) > 0 {
		var err error
		if order, err = cmd.apply(s, c, found, content, parts); err != nil {
			return refused(err)
		}
	}
	answer := cmd.encode(order, order.RateCents-found.RateCents)
	return s.end(c, cmd.request, order, cmd.at, answer)
}

// mayEdit refuses an edit of parts that may not be edited at the stage of the order.
func (cmd *editCommand) mayEdit(found *delivery.Order, parts []delivery.Part) error {
	stage := delivery.StageOf(found)
	details := editDetails{Status: found.Status, Fields: []string{}, Editable: delivery.EditableFields(cmd.by, stage)}
	for _, part := range parts {
		// What a return brings back was compared with what was delivered.
		fixed := found.Course.Origin != nil && (part.Field == "items" || part.Field == "parcels")
		if fixed || !part.MayEdit(cmd.by, stage) {
			details.Fields = append(details.Fields, part.Field)
		}
	}
	if len(details.Fields) == 0 {
		return nil
	}
	return &refusal.Error{
		Code:    delivery.CodeOrderNotEditable,
		Message: fmt.Sprintf("%s of an order that is %s cannot be edited", details.Fields[0], found.Status),
		Details: details,
	}
}

// editDetails describes the state that a refused edit met.
type editDetails struct {
	Status   delivery.Status `json:"status"`
	Fields   []string        `json:"fields"`   // those that may not be edited
	Editable []string        `json:"editable"` // those that may
}

// versionDetails describes the state that a stale edit met.
type versionDetails struct {
	Status  delivery.Status `json:"status"`
	Version int64           `json:"version"`
}

// apply makes a permitted edit: content, price and estimate, stock, version, event.
func (cmd *editCommand) apply(
	s *State, c *Changes, found *delivery.Order, content delivery.OrderRequest, parts []delivery.Part,
) (*delivery.Order, error) {
	order := *found
	order.OrderRequest = content
	order.QuoteID = ""
	order.Items = found.Items
	if slices.ContainsFunc(parts, func(part delivery.Part) bool { return part.Field == "items" }) {
		order.Items = content.Items
		if err := reallocate(s, c, found, &order, latest(cmd.at, found.UpdatedAt)); err != nil {
			return nil, err
		}
		order.Items = named(s, &order)
	}
	if cmd.price != nil {
		order.RateCents, order.Currency = cmd.price.RateCents, cmd.price.Currency
		order.EstimatedDelivery, order.Promised = cmd.price.EstimatedDelivery, cmd.price.EstimatedDelivery
	}
	order.Warnings = cmd.warnings
	order.Version++
	order.UpdatedAt = latest(cmd.at, found.UpdatedAt)
	edit := delivery.Edit{Version: order.Version, At: order.UpdatedAt, By: cmd.by, Reason: cmd.reason}
	for _, part := range parts {
		edit.Fields = append(edit.Fields, part.Field)
	}
	slices.Sort(edit.Fields)
	if err := showCourier(found, &edit); err != nil {
		return nil, err
	}
	if cmd.audit != nil {
		edit.OperatorID = cmd.audit.OperatorID
		audited(c, cmd.audit, found, editFacts{orderFacts: factsOf(&order, nil), Fields: edit.Fields})
	}
	order.Course.Edits = append(slices.Clone(found.Course.Edits), edit)
	if excess := len(order.Course.Edits) - delivery.MaxEdits; excess > 0 {
		order.Course.Edits = order.Course.Edits[excess:]
	}
	c.announce(&order, delivery.EventOrderUpdated, happening{cmd.eventID, edit.At, cmd.at},
		delivery.EventFacts{Version: order.Version, Fields: delivery.FieldListOf(edit.Fields)})
	s.Orders[cmd.target] = &order
	cmd.store(s, c, &order, found)
	return &order, nil
}

// store notes what is stored of an edited order.
func (cmd *editCommand) store(s *State, c *Changes, order, found *delivery.Order) {
	before, document := s.Documents[cmd.target], record.EncodeCreated(order)
	change := c.change(cmd.target, order, found.Version)
	if len(found.Course.Edits) == 0 {
		change.Original = before
	}
	change.Document = document
	change.Grown += int64(len(document) - len(before))
	s.Documents[cmd.target] = document
}

// editFacts is what the audit log holds of an edit: which fields, and not what they hold.
type editFacts struct {
	orderFacts
	Fields []string `json:"fields"`
}

// reallocate moves the stock of an order to other items, by the difference: what it has of a
// product stays where it was taken from as far as it is still needed. It changes nothing if
// anything is short or unknown.
func reallocate(s *State, c *Changes, found, order *delivery.Order, at time.Time) error {
	if problems := unknownProducts(s, order.PartnerID, added(found.Items, order.Items)); len(problems) > 0 {
		return problems.Err()
	}
	var kept, returned, taken []delivery.Take
	var shortages []delivery.Shortage
	lines, missing := delivery.AddedUp(order.Items), map[int64]int64{}
	for _, line := range lines {
		missing[line.ProductID] = line.Quantity
	}
	for _, take := range found.Allocation {
		keeps := min(take.Quantity, missing[take.ProductID])
		missing[take.ProductID] -= keeps
		if keeps > 0 {
			kept = append(kept, delivery.Take{ProductID: take.ProductID, Location: take.Location, Quantity: keeps})
		}
		if rest := take.Quantity - keeps; rest > 0 {
			returned = append(returned, delivery.Take{ProductID: take.ProductID, Location: take.Location, Quantity: rest})
		}
	}
	for _, line := range lines {
		product := s.product(movement.ProductKey{PartnerID: order.PartnerID, ProductID: line.ProductID})
		if missing[line.ProductID] == 0 {
			continue
		}
		more, enough := delivery.Allocate(product.Levels, line.ProductID, missing[line.ProductID])
		if !enough {
			shortages = append(shortages, delivery.Shortage{
				ProductID: line.ProductID, SKU: product.SKU, Requested: line.Quantity,
				Available: product.Quantity + line.Quantity - missing[line.ProductID],
			})
		}
		taken = append(taken, more...)
	}
	if len(shortages) > 0 {
		return delivery.InsufficientStock(shortages)
	}
	if len(returned) > 0 {
		c.book(s.Stocks[order.PartnerID]).Return(returned, order.OrderID, at)
	}
	if len(taken) > 0 {
		c.book(s.Stocks[order.PartnerID]).Withdraw(taken, order.OrderID, at)
	}
	order.Allocation = merged(append(kept, taken...))
	order.Course.Picking = found.Course.Picking.Retaken(order.Allocation)
	return nil
}

// added returns the lines whose products an order must be allowed to take: those that it does
// not have already. The others keep their places, as lines that name no product.
func added(before, after []delivery.Item) []delivery.Item {
	has := map[int64]int64{}
	for _, line := range before {
		has[line.ProductID] += line.Quantity
	}
	lines := slices.Clone(after)
	for i := range lines {
		if has[lines[i].ProductID] >= lines[i].Quantity {
			has[lines[i].ProductID] -= lines[i].Quantity
			lines[i] = delivery.Item{}
		}
	}
	return lines
}

// merged adds up what is taken of a product at the same location.
func merged(takes []delivery.Take) (sums []delivery.Take) {
	for _, take := range takes {
		at := slices.IndexFunc(sums, func(sum delivery.Take) bool {
			return sum.ProductID == take.ProductID && sum.Location == take.Location
		})
		if at < 0 {
			sums = append(sums, take)
			continue
		}
		sums[at].Quantity += take.Quantity
	}
	return sums
}
