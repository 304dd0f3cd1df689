package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

var (
	partners = newTable("partners",
		key(text("partner_id", func(p *partner.Partner) *string { return &p.PartnerID })),
		text("name", func(p *partner.Partner) *string { return &p.Name }),
		text("email", func(p *partner.Partner) *string { return &p.Email }),
		moment("created_at", func(p *partner.Partner) *time.Time { return &p.CreatedAt }),
	)
	addPartners  = partners.insert()
	findPartners = lookUpBy(byID("partner_id"), partners)
	lockPartners = lockBy(byID("partner_id"), partners)
)

// partnerIDs lists all partners by id.
func partnerIDs(ctx context.Context, c conn) ([]string, error) {
	return ids(ctx, c, "SELECT partner_id FROM partners ORDER BY partner_id")
}
