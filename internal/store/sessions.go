package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

var (
	sessions = newTable("sessions",
		key(blob("token_hash", func(s *partner.Session) *[]byte { return &s.TokenHash })),
		text("session_id", func(s *partner.Session) *string { return &s.SessionID }),
		text("partner_id", func(s *partner.Session) *string { return &s.Partner.PartnerID }),
		text("user_id", func(s *partner.Session) *string { return &s.User.UserID }),
		text("address", func(s *partner.Session) *string { return &s.Address }),
		text("agent", func(s *partner.Session) *string { return &s.Agent }),
		moment("created_at", func(s *partner.Session) *time.Time { return &s.CreatedAt }),
		moment("last_seen_at", func(s *partner.Session) *time.Time { return &s.LastSeenAt }),
	)
	addSessions = sessions.insert()
)
