package requestlogger

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/requestlog"
)

// Store is what this package needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads segments.
type Reader interface {
	// Segments lists segments of a span, newest first.
	Segments(ctx context.Context, span Span, limit int) ([]*requestlog.Segment, error)
	// OldestSegments lists segments of all partners without their contents, oldest first.
	OldestSegments(ctx context.Context, limit int) ([]*requestlog.Segment, error)
	// MeasureSegments returns the number of segments of all partners and their size.
	MeasureSegments(ctx context.Context) (segments, bytes int64, err error)
}

// Writer adds and removes segments.
type Writer interface {
	AddSegments(ctx context.Context, segments []*requestlog.Segment) error
	RemoveSegments(ctx context.Context, segments []*requestlog.Segment) error
}

// Span selects segments of a partner by their ids and by the times of their requests.
// Zero fields do not restrict.
type Span struct {
	PartnerID   string
	First, Last string    // the ids of the oldest and of the newest segment
	Below       string    // all ids are less
	Since       time.Time // some request arrived at Since or later
	Before      time.Time // some request arrived before
}
