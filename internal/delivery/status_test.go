package delivery_test

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// decided is the table of the decisions, written down a second time.
var decided = map[delivery.Status][]delivery.Status{
	"pending":          {"accepted", "cancelled"},
	"accepted":         {"courier_assigned", "cancelled"},
	"courier_assigned": {"picked_up", "accepted", "courier_assigned", "cancelled", "failed"},
	"picked_up":        {"in_transit", "out_for_delivery", "failed"},
	"in_transit":       {"out_for_delivery", "failed"},
	"out_for_delivery": {"delivered", "failed"},
	"failed":           {"in_transit", "out_for_delivery", "cancelled"},
	"delivered":        {},
	"cancelled":        {},
}

// partnerMayCancel are the states of interface section 3 in which a partner's
// cancellation is always allowed. It is the only move a partner makes.
var partnerMayCancel = []delivery.Status{"pending", "accepted"}

func TestTransitionsAreTheDecidedOnes(t *testing.T) {
	t.Parallel()
	if len(delivery.Statuses) != len(decided) {
		t.Errorf("%d states, want %d", len(delivery.Statuses), len(decided))
	}
	moves := 0
	for from, targets := range decided {
		moves += len(targets)
		if next := delivery.NextStatuses(from); !slices.Equal(next, targets) {
			t.Errorf("from %s to %v, want %v", from, next, targets)
		}
		for _, to := range delivery.Statuses {
			if may := delivery.MayMove(from, to, delivery.ActorService); may != slices.Contains(targets, to) {
				t.Errorf("the service may move %s to %s: %v", from, to, may)
			}
			wanted := to == delivery.StatusCancelled && slices.Contains(partnerMayCancel, from)
			if may := delivery.MayMove(from, to, delivery.ActorPartner); may != wanted {
				t.Errorf("the partner may move %s to %s: %v", from, to, may)
			}
		}
	}
	if len(delivery.Transitions) != moves {
		t.Errorf("%d transitions, want %d: one is listed twice", len(delivery.Transitions), moves)
	}
}

func TestEveryStateButPendingHasAnEvent(t *testing.T) {
	t.Parallel()
	want := map[delivery.Status]delivery.EventType{
		"accepted": "order.accepted", "courier_assigned": "courier.assigned", "picked_up": "order.picked_up",
		"in_transit": "order.in_transit", "out_for_delivery": "order.out_for_delivery", "delivered": "order.delivered",
		"failed": "order.failed", "cancelled": "order.cancelled",
	}
	for _, status := range delivery.Statuses {
		event, ok := delivery.EventFor(status)
		if event != want[status] || ok != (status != delivery.StatusPending) || !status.Known() {
			t.Errorf("%s: event %q, %v", status, event, ok)
		}
	}
	if delivery.Status("Pending").Known() || delivery.Status("").Known() {
		t.Error("states are known that do not exist")
	}
}
