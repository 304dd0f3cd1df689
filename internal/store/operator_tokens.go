package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operatorTokens = db.NewTable("operator_tokens",
		db.Key(db.Text("token_id", func(t *operator.Token) *string { return &t.TokenID })),
		db.Blob("token_hash", func(t *operator.Token) *[]byte { return &t.TokenHash }),
		db.Text("operator_id", func(t *operator.Token) *string { return &t.OperatorID }),
		db.Text("name", func(t *operator.Token) *string { return &t.Name }),
		db.Moment("created_at", func(t *operator.Token) *time.Time { return &t.CreatedAt }),
		db.Moment("expires_at", func(t *operator.Token) *time.Time { return &t.ExpiresAt }),
	)
	addOperatorTokens = operatorTokens.Insert()
)
