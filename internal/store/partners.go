package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/partner"
)

var (
	partners = db.NewTable("partners",
		db.Key(db.Text("partner_id", func(p *partner.Partner) *string { return &p.PartnerID })),
		db.Text("name", func(p *partner.Partner) *string { return &p.Name }),
		db.Text("email", func(p *partner.Partner) *string { return &p.Email }),
		db.Moment("created_at", func(p *partner.Partner) *time.Time { return &p.CreatedAt }),
	)
	addPartners  = partners.Insert()
	findPartners = db.LookUpBy(db.ByID("partner_id"), partners)
	lockPartners = db.LockBy(db.ByID("partner_id"), partners)
)

// partnerIDs lists all partners by id.
func partnerIDs(ctx context.Context, c db.Conn) ([]string, error) {
	return db.IDs(ctx, c, "SELECT partner_id FROM partners ORDER BY partner_id")
}
