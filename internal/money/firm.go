package money

import (
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Firm is who sends statements.
type Firm struct {
	Name    string  `json:"name"`
	Address string  `json:"address"` // as statements print it; may have several lines
	Numbers Numbers `json:"numbers"`
}

// Numbers are those under which the firm collects taxes. A tax is charged only if its number is
// set: a small supplier charges none.
type Numbers struct {
	GSTHST string `json:"gst_hst"` // of the Canada Revenue Agency, for GST and HST
	QST    string `json:"qst"`     // of Revenu Québec
}

// Settings are the settings of the books.
type Settings struct {
	From date.Day `json:"books_from"` // acts before this day are not charged; 0 while the books are off
	// CollectedFrom is the time from which a delivery has to say what was collected, if anything was to be; zero
	// while it need not. In new databases that is long ago (see Beginning).
	CollectedFrom time.Time `json:"collected_from,omitzero"`
	// CloseOnDay is the day of the month on which the month before is closed by itself, 1 to 28; 0 if none is.
	CloseOnDay int64 `json:"close_on_day,omitzero"`
}

// Beginning are the settings of a new database.
var Beginning = Settings{CollectedFrom: time.Unix(0, 0).UTC()}

// RequireCollected reports whether a delivery at a time has to say what was collected.
func (s Settings) RequireCollected(at time.Time) bool {
	return !s.CollectedFrom.IsZero() && !at.Before(s.CollectedFrom)
}

// Books are the settings that charges depend on.
type Books struct {
	Settings
	Numbers Numbers
}
