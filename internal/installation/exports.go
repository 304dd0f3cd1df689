package installation

import "time"

// Exports describes the exports of days that the service writes for programs that analyze them.
type Exports struct {
	KeptIn     string       `json:"kept_in"`     // directory or bucket
	NextDay    string       `json:"next_day"`    // the day that is exported next
	NextAt     time.Time    `json:"next_at"`     // when it is
	DaysBehind int          `json:"days_behind"` // that are due and were not exported
	FailedAt   *time.Time   `json:"failed_at"`   // of the latest attempt; null unless it has failed
	Error      *string      `json:"error"`       // why
	Last       *ExportedDay `json:"last"`        // the latest day that was exported; null before the first
}

// ExportedDay is a day that was exported.
type ExportedDay struct {
	Day            string    `json:"day"`
	SealedAt       time.Time `json:"sealed_at"` // when it was settled which rows are in its files
	DoneAt         time.Time `json:"done_at"`   // when its manifest was written
	Files          int64     `json:"files"`
	Bytes          int64     `json:"bytes"`
	ManifestSHA256 string    `json:"manifest_sha256"`
}
