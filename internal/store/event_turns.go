package store

import "github.com/dropyard/dropyard/internal/db"

// turn is the row of a partner that transactions lock in order to add events of the partner
// one after the other. Which id is next, the partner's newest event says: a column for it
// would be wrong after events of an earlier release, whose nodes lock no row.
type turn struct{ partnerID string }

var (
	eventTurns = db.NewTable("event_turns", db.Key(db.Text("partner_id", func(t *turn) *string { return &t.partnerID })))
	addTurns   = eventTurns.Insert()
	lockTurns  = db.LockBy(db.ByID("partner_id"), eventTurns)
)

// takeTurns queues locks that keep others from adding events of partners, whose ids are
// sorted, until the transaction ends.
//
// No two transactions wait for each other here. First each adds the rows that are missing.
// While it waits there for another transaction, which has added the same row, it holds only
// rows that it has added itself, and all of them sort before that one. Then all of its rows
// exist, and it locks them in their order; for a row that is being added it no longer waits.
func takeTurns(p *db.Pipeline, partnerIDs []string) {
	if p.Conn.WritesAlone() {
		return
	}
	rows := make([]*turn, len(partnerIDs))
	for i, partnerID := range partnerIDs {
		rows[i] = &turn{partnerID}
	}
	db.Write(p, addTurns, rows)
	db.Find(p, lockTurns, partnerIDs)
}
