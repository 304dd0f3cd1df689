package outbox

import (
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

// Latest is the greatest id of a partner's events.
type Latest struct{ PartnerID, EventID string }

// Follow gives new events that do not follow the last one of their partner the next ids
// after it, so that reading on behind an id leaves nothing out: ids hold the time of the
// node that made them, and its clock may be behind that of another. It returns the latest
// id of each partner with new events, sorted by partner. last holds the latest ids until
// now, under a lock that ends with the transaction; it is left alone.
func Follow(events []*delivery.Event, last map[string]string) (latest []Latest) {
	top := map[string]string{}
	for _, event := range events {
		before, known := top[event.PartnerID]
		if !known {
			before = last[event.PartnerID]
		}
		if event.EventID <= last[event.PartnerID] {
			event.EventID = identifier.NextUUID(before)
		}
		top[event.PartnerID] = max(before, event.EventID)
	}
	for partnerID, eventID := range top {
		latest = append(latest, Latest{partnerID, eventID})
	}
	slices.SortFunc(latest, func(a, b Latest) int { return strings.Compare(a.PartnerID, b.PartnerID) })
	return latest
}
