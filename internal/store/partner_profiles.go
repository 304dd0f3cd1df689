package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/partner"
)

// profileRow is how a partner appears to recipients. It is a row of its own, so that
// nothing else reads the logo.
type profileRow struct {
	partnerID string
	partner.Profile
	format picture.Format
	logo   []byte
}

var (
	partnerProfiles = newTable("partner_profiles",
		key(text("partner_id", func(p *profileRow) *string { return &p.partnerID })),
		text("public_name", func(p *profileRow) *string { return &p.PublicName }),
		text("support_url", func(p *profileRow) *string { return &p.SupportURL }),
		text("language", func(p *profileRow) *string { return (*string)(&p.Language) }),
		flag("recipient_mail", func(p *profileRow) *bool { return &p.RecipientMail }),
		text("logo_version", func(p *profileRow) *string { return &p.LogoVersion }),
		text("logo_format", func(p *profileRow) *string { return (*string)(&p.format) }),
		blob("logo", func(p *profileRow) *[]byte { return &p.logo }),
	)
	shownProfiles = partnerProfiles.only("public_name", "support_url", "language", "recipient_mail", "logo_version")
	addProfiles   = partnerProfiles.insert()
	saveProfiles  = shownProfiles.update()
	findProfiles  = lookUpBy(byID("partner_id"), shownProfiles)
	lockProfiles  = lockBy(byID("partner_id"), shownProfiles)
	findLogos     = lookUpBy(byID("partner_id"), partnerProfiles)
	saveLogos     = updateOf(partnerProfiles, partnerProfiles.key, partnerProfiles.pick("logo_version", "logo_format", "logo"))
)

// Profile returns how a partner appears to recipients.
func (tx partnerTx) Profile(ctx context.Context, partnerID string) (partner.Profile, error) {
	return profileOf(findOne(ctx, tx.conn, findProfiles, partnerID))
}

// profileOf returns the profile of a row; the zero value of none.
func profileOf(row *profileRow, err error) (partner.Profile, error) {
	if err != nil || row == nil {
		return partner.Profile{}, err
	}
	return row.Profile, nil
}

// LockProfile returns a partner's profile, locked until the transaction ends. A
// partner that has none gets an empty one.
func (tx partnerTx) LockProfile(ctx context.Context, partnerID string) (partner.Profile, error) {
	if _, err := writeNow(ctx, tx.conn, addProfiles, &profileRow{partnerID: partnerID}); err != nil {
		return partner.Profile{}, err
	}
	return profileOf(findOne(ctx, tx.conn, lockProfiles, partnerID))
}

// SaveProfile writes a profile that the same transaction has locked.
func (tx partnerTx) SaveProfile(ctx context.Context, partnerID string, profile partner.Profile) error {
	_, err := writeNow(ctx, tx.conn, saveProfiles, &profileRow{partnerID: partnerID, Profile: profile})
	return err
}

// Logo returns a partner's logo; nil if there is none.
func (tx partnerTx) Logo(ctx context.Context, partnerID string) (*partner.Logo, error) {
	row, err := findOne(ctx, tx.conn, findLogos, partnerID)
	if err != nil || row == nil || row.LogoVersion == "" {
		return nil, err
	}
	return &partner.Logo{Version: row.LogoVersion, Picture: picture.Picture{Format: row.format, Data: row.logo}}, nil
}

// SaveLogo writes the logo of a profile that the same transaction has locked.
func (tx partnerTx) SaveLogo(ctx context.Context, partnerID string, logo *partner.Logo) error {
	row := &profileRow{partnerID: partnerID, format: logo.Picture.Format, logo: logo.Picture.Data}
	row.LogoVersion = logo.Version
	_, err := writeNow(ctx, tx.conn, saveLogos, row)
	return err
}
