package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
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
	serviceNodes = db.NewTable("nodes",
		db.Key(db.Text("node_id", func(n *Node) *string { return &n.NodeID })),
		db.Text("version", func(n *Node) *string { return &n.Version }),
		db.Moment("started_at", func(n *Node) *time.Time { return &n.StartedAt }),
		db.Moment("seen_at", func(n *Node) *time.Time { return &n.SeenAt }),
		db.Text("keys", func(n *Node) *string { return &n.Keys }),
	)
	setServiceNodes = serviceNodes.Upsert()
)

// SaveNode writes that a node is there, and removes those not seen since a time.
func (s *Store) SaveNode(ctx context.Context, node Node, forgotten time.Time) error {
	return s.Write(ctx, func(c db.Conn) error {
		if _, err := c.Exec(ctx, "DELETE FROM nodes WHERE seen_at < $1", forgotten); err != nil {
			return err
		}
		_, err := db.WriteNow(ctx, c, setServiceNodes, &node)
		return err
	})
}

// RemoveNode removes a node that stops.
func (s *Store) RemoveNode(ctx context.Context, nodeID string) error {
	return s.Write(ctx, func(c db.Conn) error {
		_, err := c.Exec(ctx, "DELETE FROM nodes WHERE node_id = $1", nodeID)
		return err
	})
}

// Nodes lists the nodes except one, the one seen last first.
func (s *Store) Nodes(ctx context.Context, except string) (nodes []Node, err error) {
	err = s.Read(ctx, func(c db.Conn) error {
		found, err := serviceNodes.All(ctx, c, "WHERE node_id <> $1 ORDER BY seen_at DESC, node_id", except)
		nodes = db.Values(found)
		return err
	})
	return nodes, err
}
