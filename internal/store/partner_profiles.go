package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/db"
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
	partnerProfiles = db.NewTable("partner_profiles",
		db.Key(db.Text("partner_id", func(p *profileRow) *string { return &p.partnerID })),
		db.Text("public_name", func(p *profileRow) *string { return &p.PublicName }),
		db.Text("support_url", func(p *profileRow) *string { return &p.SupportURL }),
		db.Text("language", func(p *profileRow) *string { return (*string)(&p.Language) }),
		db.Flag("recipient_mail", func(p *profileRow) *bool { return &p.RecipientMail }),
		db.Text("logo_version", func(p *profileRow) *string { return &p.LogoVersion }),
		db.Text("logo_format", func(p *profileRow) *string { return (*string)(&p.format) }),
		db.Blob("logo", func(p *profileRow) *[]byte { return &p.logo }),
	)
	shownProfiles = partnerProfiles.Only("public_name", "support_url", "language", "recipient_mail", "logo_version")
	addProfiles   = partnerProfiles.Insert()
	saveProfiles  = shownProfiles.Update()
	findProfiles  = db.LookUpBy(db.ByID("partner_id"), shownProfiles)
	lockProfiles  = db.LockBy(db.ByID("partner_id"), shownProfiles)
	findLogos     = db.LookUpBy(db.ByID("partner_id"), partnerProfiles)
	saveLogos     = db.UpdateOf(partnerProfiles, partnerProfiles.Key, partnerProfiles.Pick("logo_version", "logo_format", "logo"))
)

// Profile returns how a partner appears to recipients.
func (tx partnerTx) Profile(ctx context.Context, partnerID string) (partner.Profile, error) {
	return profileOf(db.FindOne(ctx, tx.conn, findProfiles, partnerID))
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
	if _, err := db.WriteNow(ctx, tx.conn, addProfiles, &profileRow{partnerID: partnerID}); err != nil {
		return partner.Profile{}, err
	}
	return profileOf(db.FindOne(ctx, tx.conn, lockProfiles, partnerID))
}

// SaveProfile writes a profile that the same transaction has locked.
func (tx partnerTx) SaveProfile(ctx context.Context, partnerID string, profile partner.Profile) error {
	_, err := db.WriteNow(ctx, tx.conn, saveProfiles, &profileRow{partnerID: partnerID, Profile: profile})
	return err
}

// Logo returns a partner's logo; nil if there is none.
func (tx partnerTx) Logo(ctx context.Context, partnerID string) (*partner.Logo, error) {
	row, err := db.FindOne(ctx, tx.conn, findLogos, partnerID)
	if err != nil || row == nil || row.LogoVersion == "" {
		return nil, err
	}
	return &partner.Logo{Version: row.LogoVersion, Picture: picture.Picture{Format: row.format, Data: row.logo}}, nil
}

// SaveLogo writes the logo of a profile that the same transaction has locked.
func (tx partnerTx) SaveLogo(ctx context.Context, partnerID string, logo *partner.Logo) error {
	row := &profileRow{partnerID: partnerID, format: logo.Picture.Format, logo: logo.Picture.Data}
	row.LogoVersion = logo.Version
	_, err := db.WriteNow(ctx, tx.conn, saveLogos, row)
	return err
}
