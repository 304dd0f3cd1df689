package order

// deal settles commands in lanes, one for each partner that has commands waiting.
// So a transaction concerns one partner and stays on one node of a sharded
// database, and a node that is slow or down does not hold up the partners of other
// nodes. In each lane, as in run, the next group gathers while one is on its way to
// disk. The store's connections bound how many lanes commit at the same time.
func (c *committer) deal() {
	// lanes holds the commands that gather, by partner. A partner stays in it,
	// perhaps without commands, while a group of its commands is being settled.
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

// partnerOf returns the partner of a command: everything that a command touches
// belongs to one partner, and it touches an idempotency key or an order.
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

// sizeOfGroup returns how many of the waiting commands go into one transaction: as
// many as gather would take.
func sizeOfGroup(queue []*waiting) (size int) {
	for weight := 0; size < len(queue) && weight < maxGroup; size++ {
		weight += weightOf(queue[size].command)
	}
	return size
}
