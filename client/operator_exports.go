package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Exports describes the files of each day that the service writes for programs that analyze them.
type Exports struct {
	KeptIn     BackupPlace  `json:"kept_in"`
	NextDay    string       `json:"next_day"` // the day that is exported next, such as 2026-11-27
	NextAt     time.Time    `json:"next_at"`
	DaysBehind int          `json:"days_behind"`        // that are due and were not exported
	Running    bool         `json:"running"`            // a node exports days at the moment
	FailedAt   time.Time    `json:"failed_at,omitzero"` // of the latest attempt; zero unless it has failed
	Error      string       `json:"error,omitempty"`    // why
	Last       *ExportedDay `json:"last,omitempty"`     // the latest that was exported; nil before the first
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

// ExportList is how far the nightly exports are, and a page of the days.
type ExportList struct {
	Exports    *Exports    `json:"exports,omitempty"` // nil if the service exports nothing
	Days       []ExportDay `json:"days"`              // the latest first
	NextCursor string      `json:"next_cursor,omitempty"`
}

// ExportState says how far the export of a day is.
type ExportState string

// The states of a day.
const (
	ExportSealing ExportState = "sealing" // it is being settled which rows are in its files
	ExportWriting ExportState = "writing" // its files are being written
	ExportDone    ExportState = "done"    // its manifest was written
)

// ExportDay is a day whose export has begun.
type ExportDay struct {
	Day            string       `json:"day"` // such as 2026-11-26
	State          ExportState  `json:"state"`
	SealedAt       time.Time    `json:"sealed_at,omitzero"`        // zero until it is sealed
	DoneAt         time.Time    `json:"done_at,omitzero"`          // zero until it is done
	Bytes          int64        `json:"bytes"`                     // of all files
	ManifestSHA256 string       `json:"manifest_sha256,omitempty"` // empty until it is done
	Files          []ExportFile `json:"files"`                     // those that the manifest lists; none until it is done
}

// ExportKind is a kind of files.
type ExportKind string

// The kinds of files.
const (
	ExportOrders     ExportKind = "orders"      // that were created
	ExportOrderEdits ExportKind = "order_edits" // orders that were edited
	ExportEvents     ExportKind = "events"
	ExportMovements  ExportKind = "movements" // of stock
	ExportJournal    ExportKind = "journal"
)

// ExportFormat is a format of files.
type ExportFormat string

// The formats of files.
const (
	ExportCSV   ExportFormat = "csv"
	ExportJSONL ExportFormat = "jsonl" // an object on each line
)

// ExportFile describes a file of a day.
type ExportFile struct {
	Name   string       `json:"name"`
	Kind   ExportKind   `json:"kind"`
	Format ExportFormat `json:"format"`
	Rows   int64        `json:"rows"`
	Bytes  int64        `json:"bytes"`
	SHA256 string       `json:"sha256"`
}

// ExportsQuery chooses a page of the days.
type ExportsQuery struct {
	Limit  int    `query:"limit"`  // the most days of a page, 1 to 500; 50 if it is 0
	Cursor string `query:"cursor"` // the NextCursor of the previous page
}

// ListExports describes the nightly exports, with a page of the days, the latest first.
func (o *Operator) ListExports(ctx context.Context, q ExportsQuery, options ...CallOption) (*ExportList, error) {
	return fetch[ExportList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/exports", query: queryOf(q)},
		options)
}

// Exports iterates over the days whose export has begun, the latest first. An error is the last value.
func (o *Operator) Exports(ctx context.Context, q ExportsQuery, options ...CallOption) iter.Seq2[ExportDay, error] {
	return pages(q, func(q *ExportsQuery) ([]ExportDay, bool, error) {
		page, err := o.ListExports(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Days, q.Cursor != "", nil
	})
}

// BeginExport has all days exported that have ended and were not, also after a failure, and returns how far the
// exports are before that. It fails with [CodeConflict] if there are none, while webhooks and mails are held, and if
// the service exports nothing.
func (o *Operator) BeginExport(ctx context.Context, options ...CallOption) (*ExportList, error) {
	return fetch[ExportList](ctx, o, operation{method: http.MethodPost, path: "/ops/v1/exports", keyed: true}, options)
}
