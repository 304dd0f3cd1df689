package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
)

var (
	operatorSessions = db.NewTable("operator_sessions",
		db.Key(db.Blob("token_hash", func(s *operator.Session) *[]byte { return &s.TokenHash })),
		db.Text("session_id", func(s *operator.Session) *string { return &s.SessionID }),
		db.Text("operator_id", func(s *operator.Session) *string { return &s.Operator.OperatorID }),
		db.Text("address", func(s *operator.Session) *string { return &s.Address }),
		db.Text("agent", func(s *operator.Session) *string { return &s.Agent }),
		db.Flag("vouched", func(s *operator.Session) *bool { return &s.Vouched }),
		db.Moment("created_at", func(s *operator.Session) *time.Time { return &s.CreatedAt }),
		db.Moment("last_seen_at", func(s *operator.Session) *time.Time { return &s.LastSeenAt }),
	)
	addOperatorSessions = operatorSessions.Insert()
)
