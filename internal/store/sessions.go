package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/partner"
)

var (
	sessions = db.NewTable("sessions",
		db.Key(db.Blob("token_hash", func(s *partner.Session) *[]byte { return &s.TokenHash })),
		db.Text("session_id", func(s *partner.Session) *string { return &s.SessionID }),
		db.Text("partner_id", func(s *partner.Session) *string { return &s.Partner.PartnerID }),
		db.Text("user_id", func(s *partner.Session) *string { return &s.User.UserID }),
		db.Text("address", func(s *partner.Session) *string { return &s.Address }),
		db.Text("agent", func(s *partner.Session) *string { return &s.Agent }),
		db.Moment("created_at", func(s *partner.Session) *time.Time { return &s.CreatedAt }),
		db.Moment("last_seen_at", func(s *partner.Session) *time.Time { return &s.LastSeenAt }),
	)
	addSessions = sessions.Insert()
)
