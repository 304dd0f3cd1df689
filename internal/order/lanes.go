package order

// deal settles what waits in lanes, one for each partner that has something
// waiting. So a transaction is of one partner and stays on one node of a sharded
// database, and a node that is slow or gone holds up no other node's partners.
// A lane is run's rule for one partner: while one group is on its way to disk,
// the next one gathers. How many lanes commit at once is bounded by the store's
// connections.
func (c *committer) deal() {
	// lanes has what gathers, by partner. A partner is in it, if only with
	// nothing, while a group of its commands is being settled.
	lanes := map[string][]*waiting{}
	settled := make(chan string)
	settleNext := func(partnerID string) {
		size := sizeOfGroup(lanes[partnerID])
		group := lanes[partnerID][:size:size]
		lanes[partnerID] = lanes[partnerID][size:]
		c.done.Go(func() {
			c.settle(group)
			settled <- partnerID
		})
	}
	add := func(w *waiting) {
		partnerID := partnerOf(w.command)
		gathered, busy := lanes[partnerID]
		lanes[partnerID] = append(gathered, w)
		if !busy {
			settleNext(partnerID)
		}
	}
	for closing := c.closing; closing != nil || len(lanes) > 0; {
		select {
		case next := <-c.queue:
			add(next)
		case partnerID := <-settled:
			if len(lanes[partnerID]) == 0 {
				delete(lanes, partnerID)
			} else {
				settleNext(partnerID)
			}
		case <-closing:
			closing = nil
			for range len(c.queue) { // still waiting
				add(<-c.queue)
			}
		}
	}
}

// partnerOf tells whose command it is: all that a command touches is one
// partner's, and it touches an idempotency key or an order.
func partnerOf(cmd command) string {
	if batch, ok := cmd.(*batchCommand); ok {
		return batch.key.PartnerID
	}
	var touched Needs
	cmd.needs(&touched)
	if len(touched.Receipts) > 0 {
		return touched.Receipts[0].PartnerID
	}
	return touched.Orders[0].PartnerID
}

// sizeOfGroup is how many of those who wait go into one transaction: as many as
// gather would take.
func sizeOfGroup(queue []*waiting) (size int) {
	for weight := 0; size < len(queue) && weight < maxGroup; size++ {
		weight += weightOf(queue[size].command)
	}
	return size
}
