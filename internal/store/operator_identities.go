package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operatorIdentities = db.NewTable("operator_identities",
		db.Key(db.Text("issuer", func(i *operator.Identity) *string { return &i.Issuer }),
			db.Text("subject", func(i *operator.Identity) *string { return &i.Subject })),
		db.Text("operator_id", func(i *operator.Identity) *string { return &i.OperatorID }),
		db.Moment("created_at", func(i *operator.Identity) *time.Time { return &i.CreatedAt }),
	)
	addOperatorIdentities = operatorIdentities.Insert()
)

// Identity returns the identity of a person at a provider; nil if the person has not
// signed in before.
func (tx operatorTx) Identity(ctx context.Context, issuer, subject string) (*operator.Identity, error) {
	return operatorIdentities.One(ctx, tx.conn, "WHERE issuer = $1 AND subject = $2", issuer, subject)
}

// HasIdentity reports whether an operator is tied to a person at a provider.
func (tx operatorTx) HasIdentity(ctx context.Context, operatorID, issuer string) (bool, error) {
	return db.Exists(ctx, tx.conn, "SELECT subject FROM operator_identities WHERE operator_id = $1 AND issuer = $2", operatorID, issuer)
}

// AddIdentity adds an identity. It is false if the person has one.
func (tx operatorTx) AddIdentity(ctx context.Context, identity *operator.Identity) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addOperatorIdentities, identity)
	return rows == 1, err
}
