package order

// deal settles the groups of different partners at the same time, and those of one
// partner one after the other. So a transaction stays on one node of a sharded
// database, and a node that is slow or down does not hold up the partners of other
// nodes. As in run, the next group of a partner gathers while one is on its way to
// disk. The store's connections bound how many groups commit at the same time.
func (c *committer) deal() {
	for group := c.next(); group != nil; group = c.next() {
		partnerID := group[0].partnerID
		c.setBusy(partnerID, true)
		c.done.Go(func() {
			c.settle(group, common)
			c.setBusy(partnerID, false)
		})
	}
}

// setBusy notes whether a group of a partner is being settled. Only deal forms
// groups, so that none is formed between next and setBusy.
func (c *committer) setBusy(partnerID string, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if busy {
		c.busy[partnerID] = true
		return
	}
	delete(c.busy, partnerID)
	c.more.Signal()
}
