package testkit

import (
	"sync"

	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/pricing"
)

// Calendar returns a calendar by the time zones that the program carries, whatever the
// machine has.
var Calendar = sync.OnceValue(func() *pricing.Calendar { return pricing.NewCalendar(zone.Own()) })
