package store

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/retention"
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

// The settings in which a database says where it comes from, beside NoteSetting.
const (
	LineageSetting = "lineage"
	HoldSetting    = "hold"
)

// The margins by which numbers are raised that may have been given out after the state
// that a database was put back to.
const (
	ProductMargin  = 10_000
	MovementMargin = 1_000_000
	SequenceMargin = 10_000 // of the versions of couriers' sequences
)

// afterRestore are the statements that make an older state of the data safe to go on from.
// No number is given out twice. All people have to sign in again, because their sessions may
// have ended since. Links are void, with the mails that hold them: they may have been used or
// withdrawn since.
var afterRestore = []string{
	fmt.Sprintf("UPDATE partner_counters SET last_product = last_product + %d, last_movement = last_movement + %d",
		ProductMargin, MovementMargin),
	fmt.Sprintf("UPDATE courier_sequences SET version = version + %d", SequenceMargin),
	"DELETE FROM sessions",
	"DELETE FROM operator_sessions",
	"DELETE FROM one_time_links",
	"DELETE FROM mails WHERE kind IN ('invitation', 'reset', 'email', 'proof')",
	// Leases of nodes that are not there.
	"DELETE FROM nodes",
}

// Branching begins a new epoch of a database that was put back, copied or moved.
type Branching struct {
	Before, After string // the setting LineageSetting; Before is empty if there is none
	Hold          string // the setting HoldSetting; empty to leave it as it is
	// Older is set if the data may be older than what was in use before.
	Older bool
	// New is set if no service has noted a time in the database. Unless it has partners, it begins with
	// money.Beginning: release 0.1 notes the time once a minute, and may have been killed before.
	New   bool
	Entry *audit.Entry // nil if nothing is held
}

// Branch writes the lineage and all that follows from it in one transaction. It is false,
// and nothing is written, if another node has changed the lineage since it was read.
func (s *Store) Branch(ctx context.Context, b Branching) (done bool, err error) {
	err = s.Write(ctx, func(c db.Conn) error {
		if done, err = replaceOrAddSetting(ctx, c, LineageSetting, b.Before, b.After); err != nil || !done {
			return err
		}
		if b.Older {
			for _, statement := range afterRestore {
				if _, err := c.Exec(ctx, statement); err != nil {
					return err
				}
			}
		}
		if b.New {
			used, err := db.Exists(ctx, c, "SELECT partner_id FROM partners LIMIT 1")
			if err == nil && !used {
				err = (accountingTx{auditing{c}, mailing{c}}).SaveSettings(ctx, money.Beginning)
			}
			if err != nil {
				return err
			}
		}
		if b.Hold != "" {
			if err := db.SettingsIn(c).Set(ctx, HoldSetting, b.Hold); err != nil {
				return err
			}
		}
		if err := db.SettingsIn(c).Remove(ctx, db.NoteSetting); err != nil || b.Entry == nil {
			return err
		}
		return auditing{c}.AddAudit(ctx, b.Entry)
	})
	return done && err == nil, err
}

func replaceOrAddSetting(ctx context.Context, c db.Conn, name, before, value string) (bool, error) {
	if before != "" {
		return db.SettingsIn(c).Replace(ctx, name, before, value)
	}
	return db.SettingsIn(c).Add(ctx, name, value)
}

// ChangeHold writes the setting HoldSetting, if it still has the value before, together with
// an entry of the audit log, and reports whether it had. An empty value means none.
func (s *Store) ChangeHold(ctx context.Context, before, value string, entry *audit.Entry) (changed bool, err error) {
	err = s.Retention().Write(ctx, func(tx retention.Writer) error {
		c := tx.(retentionTx).conn
		if changed, err = replaceOrAddSetting(ctx, c, HoldSetting, before, value); err != nil || !changed {
			return err
		}
		if value == "" {
			if err := db.SettingsIn(c).Remove(ctx, HoldSetting); err != nil {
				return err
			}
		}
		return tx.AddAudit(ctx, entry)
	})
	return changed, err
}
