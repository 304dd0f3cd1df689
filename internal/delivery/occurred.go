package delivery

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// The bounds of the time at which something happened, beside the time at which the
// service learns of it. The clock of a phone may be ahead, and couriers may have been
// without a connection for two days.
const (
	mostAhead = 2 * time.Minute
	mostLate  = 48 * time.Hour
)

// OccurredRule describes the times that MayHaveOccurred accepts.
var OccurredRule = form.Define("occurred", fmt.Sprintf(
	"a time at most %.0f minutes ahead of the service's clock and %.0f hours behind it", mostAhead.Minutes(),
	mostLate.Hours(),
))

// MayHaveOccurred reports whether a request that arrives now may report what happened
// at a time.
func MayHaveOccurred(at, now time.Time) bool {
	return !at.After(now.Add(mostAhead)) && !at.Before(now.Add(-mostLate))
}
