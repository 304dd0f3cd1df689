package store

import (
	"context"
	"time"
)

// Node is a process that serves on the database.
type Node struct {
	NodeID    string
	Version   string
	StartedAt time.Time
	SeenAt    time.Time // when it last wrote that it is there
	Keys      string    // the fingerprints of its master keys, with a space between two; it seals under the first
}

var (
	serviceNodes = newTable("nodes",
		key(text("node_id", func(n *Node) *string { return &n.NodeID })),
		text("version", func(n *Node) *string { return &n.Version }),
		moment("started_at", func(n *Node) *time.Time { return &n.StartedAt }),
		moment("seen_at", func(n *Node) *time.Time { return &n.SeenAt }),
		text("keys", func(n *Node) *string { return &n.Keys }),
	)
	setServiceNodes = serviceNodes.upsert()
)

// SaveNode writes that a node is there, and removes those not seen since a time.
func (s *Store) SaveNode(ctx context.Context, node Node, forgotten time.Time) error {
	return s.engine.write(ctx, func(c conn) error {
		if _, err := c.exec(ctx, "DELETE FROM nodes WHERE seen_at < $1", forgotten); err != nil {
			return err
		}
		_, err := writeNow(ctx, c, setServiceNodes, &node)
		return err
	})
}

// RemoveNode removes a node that stops.
func (s *Store) RemoveNode(ctx context.Context, nodeID string) error {
	return s.engine.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, "DELETE FROM nodes WHERE node_id = $1", nodeID)
		return err
	})
}

// Nodes lists the nodes except one, the one seen last first.
func (s *Store) Nodes(ctx context.Context, except string) (nodes []Node, err error) {
	err = s.engine.read(ctx, func(c conn) error {
		found, err := serviceNodes.all(ctx, c, "WHERE node_id <> $1 ORDER BY seen_at DESC, node_id", except)
		nodes = values(found)
		return err
	})
	return nodes, err
}

// Engine returns the name of the engine: sqlite, postgres or citus.
func (s *Store) Engine() string {
	switch {
	case !s.Shared():
		return "sqlite"
	case s.Sharded():
		return "citus"
	default:
		return "postgres"
	}
}
