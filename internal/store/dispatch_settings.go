package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/dispatch"
)

var (
	dispatchSettings = db.NewTable("dispatch_settings",
		db.Key(db.Text("partner_id", func(s *dispatch.Settings) *string { return &s.PartnerID })),
		db.Flag("auto_accept", func(s *dispatch.Settings) *bool { return &s.AutoAccept }),
	)
	findDispatchSettings = db.LookUpBy(db.ByID("partner_id"), dispatchSettings)
	lockDispatchSettings = db.LockBy(db.ByID("partner_id"), dispatchSettings)
	addDispatchSettings  = dispatchSettings.Insert()
	saveDispatchSettings = dispatchSettings.Upsert()
)

// autoAccepting lists the partners whose orders are accepted automatically.
func autoAccepting(ctx context.Context, c db.Conn) ([]string, error) {
	return db.IDs(ctx, c, "SELECT partner_id FROM dispatch_settings WHERE auto_accept = 1 ORDER BY partner_id")
}
