package money

import "github.com/dropyard/dropyard/internal/foundation/date"

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
}

// Books are the settings that charges depend on.
type Books struct {
	From    date.Day
	Numbers Numbers
}
