package order

import (
	"context"
	"time"
)

// A transaction that another one blocks would make all partners of its group wait: for a
// node that is frozen until the server ends its transaction, for a person who has locked
// rows by hand for an unlimited time. So when a group is blocked, its partners are set
// aside: the commands of each are committed in a transaction of their own, beside the
// common groups. A partner that is not blocked is back after its first transaction. The
// others stay aside until they are no longer blocked; so nothing of theirs makes the
// common groups wait.

const (
	// asideLockWait is how long a transaction of a partner that is set aside waits for one
	// lock, each time. It is short because of asideAtOnce.
	asideLockWait = 50 * time.Millisecond
	// asideAtOnce is how many transactions of partners that are set aside run at the same
	// time: the smallest pool of connections has four, and reads and the common groups need
	// theirs.
	asideAtOnce = 2
)

// setAside settles the commands of each partner of a group beside the common groups.
func (c *committer) setAside(group []*waiting) {
	var partnerIDs []string // in the order of the group
	own := map[string][]*waiting{}
	for _, w := range group {
		if own[w.partnerID] == nil {
			partnerIDs = append(partnerIDs, w.partnerID)
		}
		own[w.partnerID] = append(own[w.partnerID], w)
	}
	for _, partnerID := range partnerIDs {
		c.setBusy(partnerID, true)
		c.done.Go(func() { c.alone(partnerID, own[partnerID]) })
	}
}

// alone settles the groups of a partner that is set aside, until one was not blocked.
func (c *committer) alone(partnerID string, group []*waiting) {
	defer c.setBusy(partnerID, false)
	c.settleTogether(group, aside)
	for next := c.nextBlocked(partnerID); len(next) > 0; next = c.nextBlocked(partnerID) {
		c.settle(next, aside)
	}
	c.setBlocked(partnerID, false)
}

// nextBlocked returns the next group of a partner whose last one was blocked, without
// waiting for one. It returns nil if there is none, or the last one was not blocked.
func (c *committer) nextBlocked(partnerID string) []*waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blocked[partnerID].IsZero() {
		return nil
	}
	return c.gatherOf(func(of string, _ []*waiting) bool { return of == partnerID })
}

// tryBy is try, for which a group that is set aside waits for a place.
func (c *committer) tryBy(
	ctx context.Context, by way, commands []command, needs *Needs, limit time.Duration,
) ([]outcome, error) {
	if by == aside {
		c.tries <- struct{}{}
		defer func() { <-c.tries }()
	}
	return c.try(ctx, commands, needs, limit)
}

// setBlocked notes whether a partner that is set aside is blocked.
func (c *committer) setBlocked(partnerID string, isBlocked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !isBlocked:
		delete(c.blocked, partnerID)
	case c.blocked[partnerID].IsZero():
		c.blocked[partnerID] = time.Now()
	}
}

// abandonedAll reports whether no caller of a group waits any longer.
func abandonedAll(group []*waiting) bool {
	for _, w := range group {
		if !w.abandoned() {
			return false
		}
	}
	return true
}

// Delays says what keeps orders from being settled on this node.
type Delays struct {
	// Group is how long the common group has been under way, which all partners wait for; 0
	// if there is none.
	Group time.Duration
	// Blocked is how many partners are set aside because other transactions have locked
	// their rows.
	Blocked int
	// Longest is for how long one of them has been blocked.
	Longest time.Duration
}

// Delays returns what keeps orders from being settled now.
func (s *Service) Delays() Delays { return s.committer.delays(time.Now()) }

func (c *committer) delays(now time.Time) (d Delays) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.began.IsZero() {
		d.Group = now.Sub(c.began)
	}
	d.Blocked = len(c.blocked)
	for _, since := range c.blocked {
		d.Longest = max(d.Longest, now.Sub(since))
	}
	return d
}
