package app

import (
	"context"
	"regexp"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// firstMinor matches the releases whose nodes do not know that orders can be edited: they
// would answer replays of creations with edited records, and move such orders as they were.
var firstMinor = regexp.MustCompile(`^v?0\.1\.[0-9]+$`)

// errOlderNode refuses what a node of an earlier release would get wrong.
var errOlderNode = refusal.New(refusal.CodeUnavailable,
	"this is not possible while the service is being upgraded; try again later")

// editable returns an error while a node of release 0.1 shares the database.
func (n *nodes) editable(ctx context.Context) error {
	if !n.app.store.Shared() {
		return nil
	}
	others, err := n.app.store.Nodes(ctx, n.self.NodeID)
	for _, node := range others {
		if firstMinor.MatchString(node.Version) && n.app.trust.Now().Sub(node.SeenAt) < nodeForgotten {
			return errOlderNode
		}
	}
	return err
}
