package installation

import "time"

// Exports describes the exports of days that the service writes for programs that analyze them.
type Exports struct {
	KeptIn     string       `json:"kept_in"`     // directory or bucket
	NextDay    string       `json:"next_day"`    // the day that is exported next
	NextAt     time.Time    `json:"next_at"`     // when it is
	DaysBehind int          `json:"days_behind"` // that are due and were not exported
	Running    bool         `json:"running"`     // a node exports days at the moment
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

// ExportList is how far the exports of days are, and a page of the days.
type ExportList struct {
	Exports *Exports    `json:"exports"` // null if the service exports none
	Days    []ExportDay `json:"days"`    // the latest first
	Next    string      `json:"next_cursor,omitzero"`
}

// ExportDay is a day whose export has begun.
type ExportDay struct {
	Day            string       `json:"day"`
	State          string       `json:"state"` // sealing, writing or done
	SealedAt       *time.Time   `json:"sealed_at"`
	DoneAt         *time.Time   `json:"done_at"`
	Bytes          int64        `json:"bytes"`           // of all files
	ManifestSHA256 *string      `json:"manifest_sha256"` // null until it is done
	Files          []ExportFile `json:"files"`           // those that the manifest lists; none until it is done
}

// ExportFile describes a file of a day.
type ExportFile struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Format string `json:"format"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}
