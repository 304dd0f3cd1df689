package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

// settingsRow is what operators have set for a partner.
type settingsRow struct {
	partnerID string
	partner.Settings
}

var (
	partnerSettings = newTable("partner_settings",
		key(text("partner_id", func(s *settingsRow) *string { return &s.partnerID })),
		moment("suspended_at", func(s *settingsRow) *time.Time { return &s.SuspendedAt }),
		moment("pending_since", func(s *settingsRow) *time.Time { return &s.PendingSince }),
		moment("new_since", func(s *settingsRow) *time.Time { return &s.NewSince }),
		text("suspended_reason", func(s *settingsRow) *string { return &s.SuspendedReason }),
		count("rate_limit", func(s *settingsRow) *int { return &s.RateLimit }),
		text("rate_card", func(s *settingsRow) *string { return &s.RateCard }),
		integer("orders_per_day", func(s *settingsRow) *int64 { return &s.OrdersPerDay }),
		integer("stored_bytes", func(s *settingsRow) *int64 { return &s.StoredBytes }),
	)
	findSettings = lookUpBy(byID("partner_id"), partnerSettings)
	lockSettings = lockBy(byID("partner_id"), partnerSettings)
	addSettings  = partnerSettings.insert()
	saveSettings = partnerSettings.update()
)

// settingsOrDefault returns what was read, or the settings of a partner for which
// nothing was set.
func settingsOrDefault(row *settingsRow) partner.Settings {
	if row == nil {
		return partner.DefaultSettings
	}
	return row.Settings
}
