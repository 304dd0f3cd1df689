package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/partner"
)

// settingsRow is what operators have set for a partner.
type settingsRow struct {
	partnerID string
	partner.Settings
}

var (
	partnerSettings = db.NewTable("partner_settings",
		db.Key(db.Text("partner_id", func(s *settingsRow) *string { return &s.partnerID })),
		db.Moment("suspended_at", func(s *settingsRow) *time.Time { return &s.SuspendedAt }),
		db.Moment("pending_since", func(s *settingsRow) *time.Time { return &s.PendingSince }),
		db.Moment("new_since", func(s *settingsRow) *time.Time { return &s.NewSince }),
		db.Text("suspended_reason", func(s *settingsRow) *string { return &s.SuspendedReason }),
		db.Count("rate_limit", func(s *settingsRow) *int { return &s.RateLimit }),
		db.Text("rate_card", func(s *settingsRow) *string { return &s.RateCard }),
		db.Integer("orders_per_day", func(s *settingsRow) *int64 { return &s.OrdersPerDay }),
		db.Integer("stored_bytes", func(s *settingsRow) *int64 { return &s.StoredBytes }),
	)
	findSettings = db.LookUpBy(db.ByID("partner_id"), partnerSettings)
	lockSettings = db.LockBy(db.ByID("partner_id"), partnerSettings)
	addSettings  = partnerSettings.Insert()
	saveSettings = partnerSettings.Update()
)

// settingsOrDefault returns what was read, or the settings of a partner for which
// nothing was set.
func settingsOrDefault(row *settingsRow) partner.Settings {
	if row == nil {
		return partner.DefaultSettings
	}
	return row.Settings
}
