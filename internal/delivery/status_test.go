package delivery_test

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// wantNext is the table of transitions, written down a second time.
var wantNext = map[delivery.Status][]delivery.Status{
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

// partnerMayCancel lists the statuses in which a partner may cancel an order (docs/contract.md,
// Statuses). Cancelling is the only move of a partner.
var partnerMayCancel = []delivery.Status{"pending", "accepted"}

func TestTransitions(t *testing.T) {
	t.Parallel()
	if len(delivery.Statuses) != len(wantNext) {
		t.Errorf("got %d statuses, want %d", len(delivery.Statuses), len(wantNext))
	}
	moves := 0
	for from, targets := range wantNext {
		moves += len(targets)
		if next := delivery.NextStatuses(from); !slices.Equal(next, targets) {
			t.Errorf("NextStatuses(%s): got %v, want %v", from, next, targets)
		}
		for _, to := range delivery.Statuses {
			if may := delivery.MayMove(from, to, delivery.ActorService); may != slices.Contains(targets, to) {
				t.Errorf("MayMove(%s, %s) by the service: got %v, want %v", from, to, may, !may)
			}
			wanted := to == delivery.StatusCancelled && slices.Contains(partnerMayCancel, from)
			if may := delivery.MayMove(from, to, delivery.ActorPartner); may != wanted {
				t.Errorf("MayMove(%s, %s) by the partner: got %v, want %v", from, to, may, wanted)
			}
		}
	}
	if len(delivery.Transitions) != moves {
		t.Errorf("got %d transitions, want %d, each listed once", len(delivery.Transitions), moves)
	}
}

func TestEventFor(t *testing.T) {
	t.Parallel()
	want := map[delivery.Status]delivery.EventType{
		"accepted": "order.accepted", "courier_assigned": "courier.assigned", "picked_up": "order.picked_up",
		"in_transit": "order.in_transit", "out_for_delivery": "order.out_for_delivery", "delivered": "order.delivered",
		"failed": "order.failed", "cancelled": "order.cancelled",
	}
	for _, status := range delivery.Statuses {
		event, ok := delivery.EventFor(status)
		if event != want[status] || ok != (status != delivery.StatusPending) || !status.Known() {
			t.Errorf("EventFor(%s): got %q, %v, want %q; known: %v", status, event, ok, want[status], status.Known())
		}
	}
	if delivery.Status("Pending").Known() || delivery.Status("").Known() {
		t.Error(`"Pending" or "" is known, want neither`)
	}
}
