package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/outbox"
)

// eventHead holds the greatest id of a partner's events, from which the next ones follow
// under the row's lock.
type eventHead struct{ partnerID, eventID string }

var (
	eventHeads = newTable("event_heads",
		key(text("partner_id", func(h *eventHead) *string { return &h.partnerID })),
		text("event_id", func(h *eventHead) *string { return &h.eventID }))
	lockEventHeads = lockBy(byID("partner_id"), eventHeads)
	addEventHeads  = eventHeads.insert()
	setEventHeads  = eventHeads.update()
)

// addMissingHeads adds the rows of partners that have none, and returns the ids in them,
// locked. Each is that of the partner's latest event, which an earlier release may have
// added.
func addMissingHeads(ctx context.Context, c conn, partnerIDs []string) ([]*eventHead, error) {
	rows := make([]*eventHead, len(partnerIDs))
	for i, partnerID := range partnerIDs {
		rows[i] = &eventHead{partnerID: partnerID}
		last, err := events.one(ctx, c, "WHERE partner_id = $1 ORDER BY event_id DESC LIMIT 1", partnerID)
		if err != nil {
			return nil, err
		}
		if last != nil {
			rows[i].eventID = last.EventID
		}
	}
	// Another transaction may add the same row first. This one then waits for its end.
	if _, err := writeNow(ctx, c, addEventHeads, rows...); err != nil {
		return nil, err
	}
	return findNow(ctx, c, lockEventHeads, partnerIDs...)
}

// writeEventHeads keeps the greatest ids of partners' events.
func writeEventHeads(p *pipeline, latest []outbox.Latest) {
	rows := make([]*eventHead, len(latest))
	for i, l := range latest {
		rows[i] = &eventHead{l.PartnerID, l.EventID}
	}
	writeAll(p, setEventHeads, rows)
}
