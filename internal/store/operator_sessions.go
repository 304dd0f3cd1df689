package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operatorSessions = newTable("operator_sessions",
		key(blob("token_hash", func(s *operator.Session) *[]byte { return &s.TokenHash })),
		text("session_id", func(s *operator.Session) *string { return &s.SessionID }),
		text("operator_id", func(s *operator.Session) *string { return &s.Operator.OperatorID }),
		text("address", func(s *operator.Session) *string { return &s.Address }),
		text("agent", func(s *operator.Session) *string { return &s.Agent }),
		flag("vouched", func(s *operator.Session) *bool { return &s.Vouched }),
		moment("created_at", func(s *operator.Session) *time.Time { return &s.CreatedAt }),
		moment("last_seen_at", func(s *operator.Session) *time.Time { return &s.LastSeenAt }),
	)
	addOperatorSessions = operatorSessions.insert()
)
