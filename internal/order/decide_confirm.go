package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// confirmCommand notes that the courier of an order knows its edits.
type confirmCommand struct {
	target     OrderKey
	version    int64        // up to which the courier knows them
	carrier    string       // the courier who must carry the order; empty for any
	at         time.Time    // the service's time
	occurredAt time.Time    // when it happened, if the request says so; otherwise zero
	operatorID string       // who confirms; empty for the simulated couriers of test orders
	audit      *audit.Entry // the beginning of the entry; nil for none
	encode     encoder
	request    *idempotency.Request // nil if it came without a key
}

func (cmd *confirmCommand) partner() string { return cmd.target.PartnerID }

func (cmd *confirmCommand) needs(n *Needs) {
	n.Orders = append(n.Orders, cmd.target)
	if cmd.request != nil {
		n.Receipts = append(n.Receipts, cmd.request.Key)
	}
}

func (cmd *confirmCommand) decide(s *State, c *Changes) outcome {
	order, settled := s.begin(cmd.request, cmd.target, cmd.carrier)
	if settled != nil {
		return *settled
	}
	if cmd.version > order.Version { // from before the database was restored
		return refused(&refusal.Error{
			Code:    refusal.CodeConflict,
			Message: fmt.Sprintf("the order has version %d, which is before the one that was seen", order.Version),
			Details: versionDetails{Status: order.Status, Version: order.Version},
		})
	}
	by := delivery.Confirmation{
		At: cmp.Or(cmd.occurredAt, cmd.at), OperatorID: cmd.operatorID, CourierID: cmd.carrier,
	}
	if edits, confirmed := order.Course.Confirmed(cmd.version, by); confirmed {
		order = cmd.apply(s, c, order, edits)
	}
	answer := cmd.encode(order)
	return s.end(c, cmd.request, order, cmd.at, answer)
}

// apply stores the edits with what is confirmed of them. It raises the version of the order, by
// which boards and other nodes notice that the order needs less attention.
func (cmd *confirmCommand) apply(s *State, c *Changes, found *delivery.Order, edits []delivery.Edit) *delivery.Order {
	order := *found
	order.Course.Edits = edits
	s.revise(c, found, &order)
	audited(c, cmd.audit, found, confirmedFacts{factsOf(&order, nil), cmd.version})
	return &order
}

// confirmedFacts is what the audit log holds of an order whose edits were confirmed.
type confirmedFacts struct {
	orderFacts
	Confirmed int64 `json:"confirmed_version"`
}

// showCourier notes in an edit what the courier who carries the order has to be shown of it: what
// its fields held before, as far as no earlier edit that is unseen has that.
func showCourier(found *delivery.Order, edit *delivery.Edit) error {
	fields := delivery.ShownToCouriers(edit.Fields)
	if found.Courier == nil || len(fields) == 0 {
		return nil
	}
	edit.Unseen = true
	known := found.Course.Before()
	fields = slices.DeleteFunc(fields, func(field string) bool {
		return slices.ContainsFunc(known, func(held delivery.FormerValue) bool { return held.Field == field })
	})
	values, err := record.ValuesOf(&found.OrderRequest, fields)
	for i, value := range values {
		edit.Was = append(edit.Was, delivery.FormerValue{Field: fields[i], JSON: string(value)})
	}
	return err
}
