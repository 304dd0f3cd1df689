package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operatorSessions = newTable("operator_sessions",
		key(blob("token_hash", func(s *operator.Session) *[]byte { return &s.TokenHash })),
		text("operator_id", func(s *operator.Session) *string { return &s.Operator.OperatorID }),
		moment("created_at", func(s *operator.Session) *time.Time { return &s.CreatedAt }),
		moment("last_seen_at", func(s *operator.Session) *time.Time { return &s.LastSeenAt }),
	)
	addOperatorSessions = operatorSessions.insert()
)
