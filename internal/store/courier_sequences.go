package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/dispatch"
)

var (
	courierSequences = newTable("courier_sequences",
		key(text("courier_id", func(s *dispatch.Sequence) *string { return &s.CourierID })),
		integer("version", func(s *dispatch.Sequence) *int64 { return &s.Version }),
		jsonText("stops", func(s *dispatch.Sequence) *[]dispatch.Placed { return &s.Stops },
			func(stops []dispatch.Placed) bool { return len(stops) == 0 },
			func(s *dispatch.Sequence, _ error) { s.Stops = nil }), // the jobs then follow the rule for those without a place
	)
	findCourierSequences = lookUpBy(byID("courier_id"), courierSequences)
	saveCourierSequences = courierSequences.upsert()
)

// sequencesOf returns the sequences of couriers by their ids; those that never had one
// are left out.
func sequencesOf(ctx context.Context, c conn, courierIDs []string) (map[string]*dispatch.Sequence, error) {
	rows, err := findNow(ctx, c, findCourierSequences, courierIDs...)
	byID := make(map[string]*dispatch.Sequence, len(rows))
	for _, row := range rows {
		byID[row.CourierID] = row
	}
	return byID, err
}
