package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/webhook"
)

// queue decides where new events begin: nowhere if their partner has no
// endpoint, due at once, or behind an earlier event of their order. It locks
// the partners' endpoints until the transaction ends, and wakes them.
func (tx *Tx) queue(ctx context.Context, events []*delivery.Event) (due []bool, err error) {
	if len(events) == 0 {
		return nil, nil
	}
	var partnerIDs []string
	for _, event := range events {
		partnerIDs = append(partnerIDs, event.PartnerID)
	}
	slices.Sort(partnerIDs)
	endpoints, err := webhookTx{tx.conn.conn}.LockEndpoints(ctx, slices.Compact(partnerIDs))
	if err != nil {
		return nil, err
	}
	var earlier []webhook.EventKey
	for _, event := range events {
		event.Queued = endpoints[event.PartnerID] != nil
		if event.Queued && event.Sequence > 1 {
			earlier = append(earlier, webhook.EventKey{PartnerID: event.PartnerID, OrderID: event.OrderID, Sequence: event.Sequence - 1})
		}
	}
	blocked, err := tx.blocking(ctx, earlier)
	if err != nil {
		return nil, err
	}
	due = make([]bool, len(events))
	wake := map[string]time.Time{}
	for i, event := range events {
		key := webhook.EventKey{PartnerID: event.PartnerID, OrderID: event.OrderID, Sequence: event.Sequence}
		if !event.Queued {
			continue
		}
		key.Sequence--
		due[i] = !blocked[key]
		key.Sequence++
		blocked[key] = true // for the next one in this transaction
		if at, sooner := endpoints[event.PartnerID].Sooner(event.CreatedAt); due[i] && sooner {
			wake[event.PartnerID] = at
		}
	}
	return due, tx.wake(ctx, wake)
}

// bindQueued binds the state that a new event begins in, and when it is due.
func bindQueued(b binder, event *delivery.Event, due bool) {
	switch {
	case !event.Queued:
		b.text(string(webhook.Skipped))
		b.integer(0)
	case due:
		b.text(string(webhook.Pending))
		b.integer(micros(event.CreatedAt))
	default:
		b.text(string(webhook.Pending))
		b.integer(0)
	}
}

// blocking tells which events hold back the next one of their order.
func (tx *Tx) blocking(ctx context.Context, keys []webhook.EventKey) (map[webhook.EventKey]bool, error) {
	rows, err := findNow(ctx, tx.conn.conn, findStates, keys...)
	found := make(map[webhook.EventKey]bool, len(rows))
	for _, row := range rows {
		found[row.Key()] = webhook.Blocks(row.State, row.Tries)
	}
	return found, err
}

func (tx *Tx) wake(ctx context.Context, at map[string]time.Time) error {
	rows := make([]*webhook.Endpoint, 0, len(at))
	for _, partnerID := range slices.Sorted(maps.Keys(at)) {
		rows = append(rows, &webhook.Endpoint{PartnerID: partnerID, WakeAt: at[partnerID]})
	}
	_, err := writeNow(ctx, tx.conn.conn, wakeEndpoints, rows...)
	return err
}
