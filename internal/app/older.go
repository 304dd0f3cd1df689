package app

import (
	"context"
	"regexp"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/store"
)

// firstMinor matches the releases whose nodes do not know that orders can be edited: they
// would answer replays of creations with edited records, and move such orders as they were.
// Nor do they know accountants: their page of operators would fail.
var firstMinor = regexp.MustCompile(`^v?0\.1\.[0-9]+$`)

// errOlderNode refuses what a node of an earlier release would get wrong.
var errOlderNode = refusal.New(refusal.CodeUnavailable,
	"this is not possible while the service is being upgraded; try again later")

// editable returns an error while a node of release 0.1 shares the database.
func (n *nodes) editable(ctx context.Context) error {
	return noOlderNode(ctx, n.app.store, n.self.NodeID, n.app.trust.Now())
}

// admits returns an error while operators cannot get a role.
func (n *nodes) admits(ctx context.Context, role operator.Role) error {
	return admitsRole(ctx, n.app.store, n.self.NodeID, n.app.trust.Now(), role)
}

func admitsRole(ctx context.Context, db *store.Store, self string, now time.Time, role operator.Role) error {
	if role != operator.RoleAccountant {
		return nil
	}
	return noOlderNode(ctx, db, self, now)
}

// olderGone is how long ago a node of release 0.1 was last seen that has ended: it cannot be started again on the
// schema of this release. It is much longer than nodes are silent, for one that is frozen and goes on.
const olderGone = 10 * time.Minute

// noOlderNode returns an error while a node of release 0.1 other than self shares the database.
func noOlderNode(ctx context.Context, db *store.Store, self string, now time.Time) error {
	if !db.Shared() {
		return nil
	}
	others, err := db.Nodes(ctx, self)
	for _, node := range others {
		if firstMinor.MatchString(node.Version) && now.Sub(node.SeenAt) < olderGone {
			return errOlderNode
		}
	}
	return err
}
