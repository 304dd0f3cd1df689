package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operatorTokens = newTable("operator_tokens",
		key(text("token_id", func(t *operator.Token) *string { return &t.TokenID })),
		blob("token_hash", func(t *operator.Token) *[]byte { return &t.TokenHash }),
		text("operator_id", func(t *operator.Token) *string { return &t.OperatorID }),
		text("name", func(t *operator.Token) *string { return &t.Name }),
		moment("created_at", func(t *operator.Token) *time.Time { return &t.CreatedAt }),
		moment("expires_at", func(t *operator.Token) *time.Time { return &t.ExpiresAt }),
	)
	addOperatorTokens = operatorTokens.insert()
)
