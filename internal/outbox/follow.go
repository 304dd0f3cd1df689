package outbox

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

// Follow gives those new events that are not behind the latest one of their partner the next
// ids after it, so that a reader who continues behind an id misses nothing: ids hold the time
// of the node that made them, whose clock may be behind that of another. newest holds the
// greatest id of each partner that has events; the lock under which it was read ends with
// the transaction.
func Follow(events []*delivery.Event, newest map[string]string) {
	last := make(map[string]string, len(newest))
	for _, event := range events {
		before := max(newest[event.PartnerID], last[event.PartnerID])
		if event.EventID <= before {
			event.EventID = identifier.NextUUID(before)
		}
		last[event.PartnerID] = event.EventID
	}
}
