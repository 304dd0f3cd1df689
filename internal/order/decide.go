package order

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/movement"
)

// encoder writes the record of an order as it is answered and kept.
type encoder func(*delivery.Order) []byte

// command is one change that waits for the committer. Its decision is pure:
// everything it depends on is in the command and the state.
type command interface {
	// partner returns the partner to whom everything belongs that the command
	// touches.
	partner() string
	// needs adds the rows that the decision touches.
	needs(n *Needs)
	// decide judges the command against the state, records what it writes in
	// changes, and brings the state up to date for the next command. A refusal
	// changes neither.
	decide(s *State, c *Changes) outcome
}

// actedCommand is a command on the authority of a person.
type actedCommand struct {
	command
	by *actor.Actor
}

func (cmd *actedCommand) needs(n *Needs) {
	n.Actors = append(n.Actors, cmd.by)
	cmd.command.needs(n)
}

// decide refuses the command, and even the answer to an earlier one, if the person may no
// longer act.
func (cmd *actedCommand) decide(s *State, c *Changes) outcome {
	if err := s.Actors.Refusal(cmd.by); err != nil {
		return refused(err)
	}
	return cmd.command.decide(s, c)
}

// bare returns a command without the person.
func bare(cmd command) command {
	if acted, is := cmd.(*actedCommand); is {
		return acted.command
	}
	return cmd
}

// outcome is what the caller of a command gets.
type outcome struct {
	answer   []byte // the record, as it is answered and kept
	replayed bool
	err      error
	parts    []outcome // of a batch, by position; of the other fields only err may be set then
}

func refused(err error) outcome { return outcome{err: err} }

// replay settles a command whose idempotency key was used before.
func replay(s *State, r idempotency.Request) (outcome, bool) {
	receipt, ok := s.Receipts[r.Key]
	if !ok {
		return outcome{}, false
	}
	answer, err := receipt.Replay(r.BodyHash)
	return outcome{answer: answer, replayed: err == nil, err: err}, true
}

// keep records an answer under the key of its request.
func keep(s *State, c *Changes, receipt *idempotency.Receipt) {
	s.Receipts[receipt.Key] = receipt
	c.Receipts = append(c.Receipts, receipt)
}

// zones are those by which acts belong to days.
type zones struct {
	of      figures.Clock  // by province; nil is UTC
	service *time.Location // of the statements
}

// decideGroup judges commands one after the other against one state.
func decideGroup(z zones, s *State, commands []command) ([]outcome, *Changes) {
	changes := &Changes{
		Changed: map[OrderKey]*Change{},
		Stocks:  map[string]*movement.Stock{},
		Figures: figures.Tally{Clock: z.of},
		books:   money.Bookkeeper{Books: s.Books, Zone: z.service, Clock: z.of},
	}
	outcomes := make([]outcome, len(commands))
	for i, cmd := range commands {
		outcomes[i] = cmd.decide(s, changes)
		if stock := changes.Stocks[cmd.partner()]; stock != nil {
			changes.Events = append(changes.Events, stock.Announce()...)
		}
	}
	return outcomes, changes
}

// needsOf gathers what a group touches, each row once and in one order, so
// that two nodes lock rows in the same order.
func needsOf(commands []command) *Needs {
	var n Needs
	for _, cmd := range commands {
		cmd.needs(&n)
	}
	n.Actors = distinctActors(n.Actors)
	n.Receipts = distinct(n.Receipts, func(a, b idempotency.Key) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.Scope, b.Scope),
			bytes.Compare(a.UUID[:], b.UUID[:]))
	})
	n.References = distinct(n.References, func(a, b Reference) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.PartnerOrderID, b.PartnerOrderID))
	})
	n.Orders = distinct(n.Orders, compareOrders)
	n.Documents = distinct(n.Documents, compareOrders)
	n.Proofs = distinct(n.Proofs, compareOrders)
	n.Charged = distinct(n.Charged, compareOrders)
	n.Usages = latestDays(n.Usages)
	n.Products = distinct(n.Products, movement.CompareKeys)
	n.SKUs = distinct(n.SKUs, movement.CompareCodes)
	n.Barcodes = distinct(n.Barcodes, movement.CompareCodes)
	return &n
}

// latestDays returns each partner once, with the latest of its days: a group may have
// orders of both sides of midnight.
func latestDays(keys []UsageKey) []UsageKey {
	slices.SortFunc(keys, func(a, b UsageKey) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(b.Day, a.Day))
	})
	return slices.CompactFunc(keys, func(a, b UsageKey) bool { return a.PartnerID == b.PartnerID })
}

// distinctActors returns each person once with each credential: an operator may move 200
// orders at the same time.
func distinctActors(actors []*actor.Actor) []*actor.Actor {
	if len(actors) < 2 {
		return actors
	}
	seen := make(map[actor.Actor]bool, len(actors))
	return slices.DeleteFunc(actors, func(a *actor.Actor) bool {
		known := seen[*a]
		seen[*a] = true
		return known
	})
}

func compareOrders(a, b OrderKey) int {
	return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.OrderID, b.OrderID))
}

func distinct[T comparable](rows []T, compare func(a, b T) int) []T {
	slices.SortFunc(rows, compare)
	return slices.Compact(rows)
}

// begin returns the order that a command is about. Otherwise it returns how the command is settled
// already: by the answer to an equal request, or by a refusal. A carrier that is not empty is the
// courier who must carry the order.
func (s *State) begin(
	request *idempotency.Request, target OrderKey, carrier string,
) (found *delivery.Order, settled *outcome) {
	if request != nil {
		if again, ok := replay(s, *request); ok {
			return nil, &again
		}
	}
	found, err := s.order(target)
	if err == nil && carrier != "" && !found.CarriedBy(carrier) {
		err = refusal.NotFound("order")
	}
	if err != nil {
		refused := refused(err)
		return nil, &refused
	}
	return found, nil
}

// end keeps the answer to a command about an order for requests under the same key, if it has one.
func (s *State) end(
	c *Changes, request *idempotency.Request, order *delivery.Order, at time.Time, answer []byte,
) outcome {
	if request != nil {
		keep(s, c, &idempotency.Receipt{Request: *request, OrderID: order.OrderID, CreatedAt: at, Answer: answer})
	}
	return outcome{answer: answer}
}

// audited completes the entry of a change of an order in the audit log; nil is none. After is what the
// log holds of the order as it was left.
func audited(c *Changes, begun *audit.Entry, before *delivery.Order, after any) {
	if begun == nil {
		return
	}
	entry := *begun
	entry.PartnerID, entry.ObjectID = before.PartnerID, before.OrderID
	entry.Before, entry.After = factsOf(before, nil), after
	c.Audit = append(c.Audit, &entry)
}
