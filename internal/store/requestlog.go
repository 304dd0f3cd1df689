package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
)

var (
	segments = db.NewTable("request_log",
		db.Key(
			db.Text("partner_id", func(s *requestlog.Segment) *string { return &s.PartnerID }),
			db.Text("segment_id", func(s *requestlog.Segment) *string { return &s.SegmentID })),
		db.Integer("requests", func(s *requestlog.Segment) *int64 { return &s.Requests }),
		db.Integer("size", func(s *requestlog.Segment) *int64 { return &s.Size }),
		db.Moment("first_at", func(s *requestlog.Segment) *time.Time { return &s.FirstAt }),
		db.Moment("last_at", func(s *requestlog.Segment) *time.Time { return &s.LastAt }),
		db.Blob("packed", func(s *requestlog.Segment) *[]byte { return &s.Packed }),
	)
	segmentSizes = segments.Only("size")
	addSegments  = segments.Insert()
	dropSegments = db.DeleteFrom(segments, segments.Key)
)

// RequestLog is the store as the request log sees it.
func (s *Store) RequestLog() requestlogger.Store {
	return view[requestlogger.Reader, requestlogger.Writer]{s.Database,
		func(c db.Conn) requestlogger.Reader { return requestLogTx{c} },
		func(c db.Conn) requestlogger.Writer { return requestLogTx{c} }}
}

// requestLogTx is a transaction of the request log.
type requestLogTx struct{ conn db.Conn }

// Segments lists segments of a span, newest first.
func (tx requestLogTx) Segments(
	ctx context.Context, span requestlogger.Span, limit int,
) ([]*requestlog.Segment, error) {
	selected := db.OfPartner(span.PartnerID)
	selected.AddText("segment_id >= ?", span.First)
	selected.AddText("segment_id <= ?", span.Last)
	selected.AddText("segment_id < ?", span.Below)
	selected.AddTime("last_at >= ?", span.Since)
	selected.AddTime("first_at < ?", span.Before)
	tail, args := selected.Clause("ORDER BY segment_id DESC LIMIT ?", limit)
	return segments.All(ctx, tx.conn, tail, args...)
}

// OldestSegments lists segments of all partners without their contents, oldest first.
func (tx requestLogTx) OldestSegments(ctx context.Context, limit int) ([]*requestlog.Segment, error) {
	return segmentSizes.All(ctx, tx.conn, "ORDER BY segment_id LIMIT $1", limit)
}

// MeasureSegments returns the number of segments of all partners and their size.
func (tx requestLogTx) MeasureSegments(ctx context.Context) (count, bytes int64, err error) {
	err = tx.conn.Query(ctx, "SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM request_log", nil,
		func(r db.Row) error {
			return r.Scan(&count, &bytes)
		})
	return count, bytes, err
}

// AddSegments adds segments.
func (tx requestLogTx) AddSegments(ctx context.Context, added []*requestlog.Segment) error {
	_, err := db.WriteNow(ctx, tx.conn, addSegments, added...)
	return err
}

// RemoveSegments removes segments.
func (tx requestLogTx) RemoveSegments(ctx context.Context, removed []*requestlog.Segment) error {
	_, err := db.WriteNow(ctx, tx.conn, dropSegments, removed...)
	return err
}
