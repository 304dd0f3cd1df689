package requestlogger

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/requestlog"
)

const (
	// mostRead bounds what is read for one page: a filter may select few of many entries.
	mostRead     = 2 << 20 // bytes
	mostSearched = 2000    // segments
	chunk        = 32      // segments that are read at a time
	// longestDelay is longer than a request can take, together with the time that its
	// entry waits to be written.
	longestDelay = 5 * time.Minute
	// fresh is how old the last flush may be for a list to be read without another one.
	fresh = 500 * time.Millisecond
)

// Cursor is a place in the log of a partner. The zero Cursor is in front of the newest
// entry.
type Cursor struct {
	segmentID string
	left      int // how many entries of the segment come next
}

// mostLeft is more than the entries of any segment.
const mostLeft = 999_999_999

// String returns the cursor as text, which ParseCursor parses.
func (c Cursor) String() string { return fmt.Sprintf("%s.%d", c.segmentID, c.left) }

// ParseCursor parses a cursor. It is false for any text that String does not return.
func ParseCursor(text string) (c Cursor, ok bool) {
	id, digits, _ := strings.Cut(text, ".")
	left, err := strconv.Atoi(digits)
	if _, isID := identifier.UUIDTime(id); !isID || err != nil || left < 0 || left > mostLeft ||
		strconv.Itoa(left) != digits {
		return Cursor{}, false
	}
	return Cursor{id, left}, true
}

// Page is a part of the log, in the order in which requests were answered, newest first.
type Page struct {
	Entries []requestlog.Entry
	// Next is where the next page begins; nil on the last page. A page may have fewer
	// entries than were asked for, even none, and still have a next one.
	Next *Cursor
}

// List returns a page of at most limit entries. It also writes the queue, so that the
// requests of the last moment are there; if that fails, they are there later.
func (s *Service) List(ctx context.Context, filter requestlog.Filter, after Cursor, limit int) (Page, error) {
	s.catchUp(ctx)
	p := &pager{Service: s, filter: filter, after: after, limit: limit}
	err := s.config.Store.Read(ctx, func(tx Reader) error {
		return p.fill(ctx, tx)
	})
	return p.page, err
}

// catchUp writes the queue unless that was done a moment ago: a client that lists
// without pause must not cause a transaction each time.
func (s *Service) catchUp(ctx context.Context) {
	s.flushing.Lock()
	recent := time.Since(s.flushed) < fresh
	s.flushing.Unlock()
	if recent {
		return
	}
	if err := s.Flush(ctx); err != nil {
		s.config.Log.Error("the request log was not written, trying again", "error", err)
	}
}

// pager collects one page.
type pager struct {
	*Service
	filter   requestlog.Filter
	after    Cursor
	limit    int
	page     Page
	read     int64 // bytes
	searched int   // segments
}

// fill reads segments until the page ends. It may be called again.
func (p *pager) fill(ctx context.Context, tx Reader) error {
	p.page, p.read, p.searched = Page{}, 0, 0
	for span := p.span(); ; {
		found, err := tx.Segments(ctx, span, chunk)
		if err != nil {
			return err
		}
		for _, segment := range found {
			if !p.add(segment) {
				return nil
			}
			span.Below = segment.SegmentID
		}
		if len(found) < chunk {
			return nil
		}
	}
}

// span returns where the entries that the filter selects can be. A segment is written
// after its requests have arrived, and soon after.
func (p *pager) span() Span {
	span := Span{PartnerID: p.filter.PartnerID, Since: p.filter.Since(), Before: p.filter.To, Last: p.after.segmentID}
	if !span.Since.IsZero() {
		span.First = identifier.FirstUUID(span.Since)
	}
	if !span.Before.IsZero() {
		last := identifier.FirstUUID(span.Before.Add(longestDelay))
		if span.Last == "" || last < span.Last {
			span.Last = last
		}
	}
	return span
}

// add adds the entries of a segment to the page. It is false once the page ends.
func (p *pager) add(segment *requestlog.Segment) (more bool) {
	entries, err := segment.Entries()
	if err != nil {
		p.config.Log.Error("a segment of the request log cannot be read", "partner_id", segment.PartnerID, "segment_id",
			segment.SegmentID, "error", err)
		p.config.Unreadable()
		return true
	}
	left := len(entries)
	if segment.SegmentID == p.after.segmentID {
		left = min(left, p.after.left)
	}
	for ; left > 0; left-- {
		e := &entries[left-1]
		if !p.filter.Matches(e) {
			continue
		}
		if len(p.page.Entries) == p.limit {
			p.page.Next = &Cursor{segment.SegmentID, left}
			return false
		}
		p.page.Entries = append(p.page.Entries, *e)
	}
	p.read += segment.Size
	p.searched++
	if p.read >= mostRead || p.searched >= mostSearched {
		p.page.Next = &Cursor{segment.SegmentID, 0}
		return false
	}
	return true
}
