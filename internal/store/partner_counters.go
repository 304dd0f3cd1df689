package store

// counters holds the last product and movement ids of a partner, from which
// the next are taken under the row's lock.
type counters struct {
	partnerID                 string
	lastProduct, lastMovement int64
}

var (
	partnerCounters = newTable("partner_counters",
		key(text("partner_id", func(c *counters) *string { return &c.partnerID })),
		integer("last_product", func(c *counters) *int64 { return &c.lastProduct }),
		integer("last_movement", func(c *counters) *int64 { return &c.lastMovement }),
	)
	addCounters  = partnerCounters.insert()
	findCounters = lookUpBy(byID("partner_id"), partnerCounters)
	lockCounters = lockBy(byID("partner_id"), partnerCounters)
	saveCounters = partnerCounters.update()
)
