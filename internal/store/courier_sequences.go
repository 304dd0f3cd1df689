package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/dispatch"
)

var (
	courierSequences = db.NewTable("courier_sequences",
		db.Key(db.Text("courier_id", func(s *dispatch.Sequence) *string { return &s.CourierID })),
		db.Integer("version", func(s *dispatch.Sequence) *int64 { return &s.Version }),
		db.JSON("stops", func(s *dispatch.Sequence) *[]dispatch.Placed { return &s.Stops },
			func(stops []dispatch.Placed) bool { return len(stops) == 0 },
			func(s *dispatch.Sequence, _ error) { s.Stops = nil }), // the jobs then follow the rule for those without a place
	)
	findCourierSequences = db.LookUpBy(db.ByID("courier_id"), courierSequences)
	saveCourierSequences = courierSequences.Upsert()
)

// sequencesOf returns the sequences of couriers by their ids; those that never had one
// are left out.
func sequencesOf(ctx context.Context, c db.Conn, courierIDs []string) (map[string]*dispatch.Sequence, error) {
	rows, err := db.FindNow(ctx, c, findCourierSequences, courierIDs...)
	byID := make(map[string]*dispatch.Sequence, len(rows))
	for _, row := range rows {
		byID[row.CourierID] = row
	}
	return byID, err
}
