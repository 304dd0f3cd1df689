package storetest

import (
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
)

// segment returns a segment without two equal fields, which was written at(n).
func segment(partnerID string, n int) *requestlog.Segment {
	return &requestlog.Segment{
		PartnerID: partnerID, SegmentID: identifier.FirstUUID(at(n)), FirstAt: at(n - 2), LastAt: at(n - 1),
		Requests: int64(10 + n), Size: int64(100 + n), Packed: []byte{byte(n), 0, 255},
	}
}

func testRequestLog(t *testing.T, s *store.Store) {
	ctx := t.Context()
	const other = "par_zzzzzzzz"
	one, two, three, others := segment(partnerID, 10), segment(partnerID, 20), segment(partnerID, 30), segment(other, 15)
	write := func(fn func(tx requestlogger.Writer) error) {
		t.Helper()
		must(t, s.RequestLog().Write(ctx, fn))
	}
	all := []*requestlog.Segment{three, others, one, two}
	for range 2 { // the second time nothing is added
		write(func(tx requestlogger.Writer) error { return tx.AddSegments(ctx, all) })
	}
	must(t, s.RequestLog().Read(ctx, func(tx requestlogger.Reader) error {
		for name, want := range map[string]struct {
			span  requestlogger.Span
			limit int
			found []*requestlog.Segment
		}{
			"all":    {requestlogger.Span{PartnerID: partnerID}, 9, []*requestlog.Segment{three, two, one}},
			"others": {requestlogger.Span{PartnerID: other}, 9, []*requestlog.Segment{others}},
			"cut":    {requestlogger.Span{PartnerID: partnerID}, 2, []*requestlog.Segment{three, two}},
			"ids": {
				requestlogger.Span{PartnerID: partnerID, First: two.SegmentID, Last: two.SegmentID}, 9, []*requestlog.Segment{two},
			},
			"below":    {requestlogger.Span{PartnerID: partnerID, Below: two.SegmentID}, 9, []*requestlog.Segment{one}},
			"since":    {requestlogger.Span{PartnerID: partnerID, Since: at(19)}, 9, []*requestlog.Segment{three, two}},
			"too late": {requestlogger.Span{PartnerID: partnerID, Since: at(30)}, 9, nil},
			"before":   {requestlogger.Span{PartnerID: partnerID, Before: at(18)}, 9, []*requestlog.Segment{one}},
		} {
			found, err := tx.Segments(ctx, want.span, want.limit)
			must(t, err)
			same(t, name, found, want.found)
		}
		oldest, err := tx.OldestSegments(ctx, 2)
		must(t, err)
		same(t, "oldest", keysOf(oldest), keysOf([]*requestlog.Segment{one, others}))
		same(t, "size of the oldest", oldest[0].Size, one.Size)
		return nil
	}))
	checkMeasure(t, s, "all", 4, 110+115+120+130)
	must(t, s.Retention().Read(ctx, func(tx retention.Reader) error {
		found, err := tx.RequestSegments(ctx, partnerID, one.SegmentID, 1)
		same(t, "exported", found, []*requestlog.Segment{two})
		return err
	}))
	write(func(tx requestlogger.Writer) error { return tx.RemoveSegments(ctx, []*requestlog.Segment{one, others}) })
	checkMeasure(t, s, "the rest", 2, 120+130)
	write(func(tx requestlogger.Writer) error { return tx.RemoveSegments(ctx, all) })
	checkMeasure(t, s, "nothing", 0, 0)
}

func keysOf(segments []*requestlog.Segment) (keys []string) {
	for _, s := range segments {
		keys = append(keys, s.PartnerID+" "+s.SegmentID)
	}
	return keys
}

func checkMeasure(t *testing.T, s *store.Store, what string, segments, bytes int64) {
	t.Helper()
	must(t, s.RequestLog().Read(t.Context(), func(tx requestlogger.Reader) error {
		gotSegments, gotBytes, err := tx.MeasureSegments(t.Context())
		same(t, what, fmt.Sprint(gotSegments, gotBytes), fmt.Sprint(segments, bytes))
		return err
	}))
}
