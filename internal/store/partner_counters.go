package store

import "github.com/dropyard/dropyard/internal/db"

// counters holds the last product and movement ids of a partner, from which
// the next are taken under the row's lock.
type counters struct {
	partnerID                 string
	lastProduct, lastMovement int64
}

var (
	countersKey  = db.Key(db.Text("partner_id", func(c *counters) *string { return &c.partnerID }))
	lastMovement = db.Integer("last_movement", func(c *counters) *int64 { return &c.lastMovement })

	partnerCounters = db.NewTable("partner_counters", countersKey,
		db.Integer("last_product", func(c *counters) *int64 { return &c.lastProduct }),
		lastMovement,
	)
	addCounters      = partnerCounters.Insert()
	findCounters     = db.LookUpBy(db.ByID("partner_id"), partnerCounters)
	lockCounters     = db.LockBy(db.ByID("partner_id"), partnerCounters)
	setLastMovements = db.UpdateOf(partnerCounters, countersKey, db.Key(lastMovement))
)
