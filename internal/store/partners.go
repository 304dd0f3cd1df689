package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

var (
	partners = newTable("partners",
		key(text("partner_id", func(a *partner.Account) *string { return &a.PartnerID })),
		text("name", func(a *partner.Account) *string { return &a.Name }),
		text("email", func(a *partner.Account) *string { return &a.Email }),
		text("email_key", func(a *partner.Account) *string { return &a.EmailKey }),
		text("password_hash", func(a *partner.Account) *string { return &a.PasswordHash }),
		moment("created_at", func(a *partner.Account) *time.Time { return &a.CreatedAt }),
	)
	addPartners  = partners.insert()
	findPartners = lookUpBy(byID("partner_id"), partners)
	lockPartners = lockBy(byID("partner_id"), partners)
)

// partnerIDs lists all partners by id.
func partnerIDs(ctx context.Context, c conn) ([]string, error) {
	return ids(ctx, c, "SELECT partner_id FROM partners ORDER BY partner_id")
}
