package store

// counters holds the last product and movement ids of a partner, from which
// the next are taken under the row's lock.
type counters struct {
	partnerID                 string
	lastProduct, lastMovement int64
}

var (
	countersKey  = key(text("partner_id", func(c *counters) *string { return &c.partnerID }))
	lastMovement = integer("last_movement", func(c *counters) *int64 { return &c.lastMovement })

	partnerCounters = newTable("partner_counters", countersKey,
		integer("last_product", func(c *counters) *int64 { return &c.lastProduct }),
		lastMovement,
	)
	addCounters      = partnerCounters.insert()
	findCounters     = lookUpBy(byID("partner_id"), partnerCounters)
	lockCounters     = lockBy(byID("partner_id"), partnerCounters)
	setLastMovements = updateOf(partnerCounters, countersKey, key(lastMovement))
)
