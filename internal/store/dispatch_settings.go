package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/dispatch"
)

var (
	dispatchSettings = newTable("dispatch_settings",
		key(text("partner_id", func(s *dispatch.Settings) *string { return &s.PartnerID })),
		flag("auto_accept", func(s *dispatch.Settings) *bool { return &s.AutoAccept }),
	)
	findDispatchSettings = lookUpBy(byID("partner_id"), dispatchSettings)
	lockDispatchSettings = lockBy(byID("partner_id"), dispatchSettings)
	addDispatchSettings  = dispatchSettings.insert()
	saveDispatchSettings = dispatchSettings.upsert()
)

// autoAccepting lists the partners whose orders are accepted automatically.
func autoAccepting(ctx context.Context, c conn) ([]string, error) {
	return ids(ctx, c, "SELECT partner_id FROM dispatch_settings WHERE auto_accept = 1 ORDER BY partner_id")
}
