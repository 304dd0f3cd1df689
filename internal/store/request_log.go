package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
)

var (
	segments = newTable("request_log",
		key(
			text("partner_id", func(s *requestlog.Segment) *string { return &s.PartnerID }),
			text("segment_id", func(s *requestlog.Segment) *string { return &s.SegmentID })),
		integer("requests", func(s *requestlog.Segment) *int64 { return &s.Requests }),
		integer("size", func(s *requestlog.Segment) *int64 { return &s.Size }),
		moment("first_at", func(s *requestlog.Segment) *time.Time { return &s.FirstAt }),
		moment("last_at", func(s *requestlog.Segment) *time.Time { return &s.LastAt }),
		blob("packed", func(s *requestlog.Segment) *[]byte { return &s.Packed }),
	)
	segmentSizes = segments.only("size")
	addSegments  = segments.insert()
	dropSegments = deleteFrom(segments, segments.key)
)

// RequestLog is the store as the request log sees it.
func (s *Store) RequestLog() requestlogger.Store {
	return view[requestlogger.Reader, requestlogger.Writer]{s.engine,
		func(c conn) requestlogger.Reader { return requestLogTx{c} },
		func(c conn) requestlogger.Writer { return requestLogTx{c} }}
}

// requestLogTx is a transaction of the request log.
type requestLogTx struct{ conn conn }

// Segments lists segments of a span, newest first.
func (tx requestLogTx) Segments(ctx context.Context, span requestlogger.Span, limit int) ([]*requestlog.Segment, error) {
	selected := ofPartner(span.PartnerID)
	selected.addText("segment_id >= ?", span.First)
	selected.addText("segment_id <= ?", span.Last)
	selected.addText("segment_id < ?", span.Below)
	selected.addTime("last_at >= ?", span.Since)
	selected.addTime("first_at < ?", span.Before)
	tail, args := selected.clause("ORDER BY segment_id DESC LIMIT ?", limit)
	return segments.all(ctx, tx.conn, tail, args...)
}

// OldestSegments lists segments of all partners without their contents, oldest first.
func (tx requestLogTx) OldestSegments(ctx context.Context, limit int) ([]*requestlog.Segment, error) {
	return segmentSizes.all(ctx, tx.conn, "ORDER BY segment_id LIMIT $1", limit)
}

// MeasureSegments returns the number of segments of all partners and their size.
func (tx requestLogTx) MeasureSegments(ctx context.Context) (count, bytes int64, err error) {
	err = tx.conn.query(ctx, "SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM request_log", nil, func(r row) error {
		return r.scan(&count, &bytes)
	})
	return count, bytes, err
}

// AddSegments adds segments.
func (tx requestLogTx) AddSegments(ctx context.Context, added []*requestlog.Segment) error {
	_, err := writeNow(ctx, tx.conn, addSegments, added...)
	return err
}

// RemoveSegments removes segments.
func (tx requestLogTx) RemoveSegments(ctx context.Context, removed []*requestlog.Segment) error {
	_, err := writeNow(ctx, tx.conn, dropSegments, removed...)
	return err
}
