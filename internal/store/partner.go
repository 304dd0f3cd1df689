package store

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/picture"
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

var (
	users = db.NewTable("users",
		db.Key(db.Text("user_id", func(a *partner.Account) *string { return &a.UserID })),
		db.Text("partner_id", func(a *partner.Account) *string { return &a.PartnerID }),
		db.Text("email", func(a *partner.Account) *string { return &a.Email }),
		db.Text("email_key", func(a *partner.Account) *string { return &a.EmailKey }),
		db.Text("name", func(a *partner.Account) *string { return &a.Name }),
		db.Text("role", func(a *partner.Account) *string { return (*string)(&a.Role) }),
		db.Text("password_hash", func(a *partner.Account) *string { return &a.PasswordHash }),
		db.Moment("created_at", func(a *partner.Account) *time.Time { return &a.CreatedAt }),
		db.Moment("unproven_since", func(a *partner.Account) *time.Time { return &a.UnprovenSince }),
	)
	addUsers  = users.Insert()
	findUsers = db.LookUpBy(db.ByID("user_id"), users)
	lockUsers = db.LockBy(db.ByID("user_id"), users)
	saveUsers = db.UpdateOf(users,
		db.Key(db.Text("user_id", func(u *partner.User) *string { return &u.UserID })),
		db.Key(
			db.Text("name", func(u *partner.User) *string { return &u.Name }),
			db.Text("role", func(u *partner.User) *string { return (*string)(&u.Role) })))
)

// keyRow is an API key. A key that is revoked stays, so that its id is never
// used again.
type keyRow struct {
	partner.SealedKey
	revokedAt time.Time // zero while the key is active
}

var (
	apiKeys = db.NewTable("api_keys",
		db.Key(db.Text("key_id", func(k *keyRow) *string { return &k.KeyID })),
		db.Text("partner_id", func(k *keyRow) *string { return &k.PartnerID }),
		db.Text("name", func(k *keyRow) *string { return &k.Name }),
		db.Text("public_key", func(k *keyRow) *string { return &k.PublicKey }),
		db.Blob("secret", func(k *keyRow) *[]byte { return &k.Secret }),
		db.Moment("created_at", func(k *keyRow) *time.Time { return &k.CreatedAt }),
		db.Moment("revoked_at", func(k *keyRow) *time.Time { return &k.revokedAt }),
		db.Moment("last_used_at", func(k *keyRow) *time.Time { return &k.LastUsedAt }),
		db.Text("created_by", func(k *keyRow) *string { return &k.CreatedBy.UserID }),
		db.Text("creator_name", func(k *keyRow) *string { return &k.CreatedBy.Name }),
		db.Encoded("scopes", writeScopes, readScopes),
		db.Text("mode", func(k *keyRow) *string { return (*string)(&k.Mode) }),
		db.Flag("require_v2", func(k *keyRow) *bool { return &k.RequireV2 }),
	)
	addAPIKeys = apiKeys.Insert()
	useAPIKeys = db.UpdateOf(apiKeys,
		db.Key(db.Text("key_id", func(u *partner.KeyUse) *string { return &u.KeyID })),
		db.Key(db.Moment("last_used_at", func(u *partner.KeyUse) *time.Time { return &u.At })))
)

// writeScopes returns the scopes of a key as text, with a space between two.
func writeScopes(k *keyRow) (string, error) {
	words := make([]string, len(k.Scopes))
	for i, scope := range k.Scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, " "), nil
}

func readScopes(k *keyRow, stored string) error {
	k.Scopes = nil
	for word := range strings.FieldsSeq(stored) {
		k.Scopes = append(k.Scopes, partner.Scope(word))
	}
	return nil
}

var (
	nonces = db.NewTable("nonces",
		db.Key(
			db.Text("partner_id", func(n *partner.Nonce) *string { return &n.PartnerID }),
			db.Text("key_id", func(n *partner.Nonce) *string { return &n.KeyID }),
			db.Text("nonce", func(n *partner.Nonce) *string { return &n.Text })),
		db.Moment("signed_at", func(n *partner.Nonce) *time.Time { return &n.SignedAt }),
	)
	addNonces = nonces.Insert()
)

// AddNonce keeps a nonce. It is false if the key has used it already.
func (tx partnerTx) AddNonce(ctx context.Context, nonce *partner.Nonce) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addNonces, nonce)
	return rows == 1, err
}

// ForgetSignatures removes what is kept of requests that were signed before a time.
func (tx partnerTx) ForgetSignatures(ctx context.Context, signedBefore time.Time) error {
	for _, table := range []string{nonces.Name, endpointChanges.Name} {
		if _, err := tx.conn.Exec(ctx, "DELETE FROM "+table+" WHERE signed_at < $1", signedBefore); err != nil {
			return err
		}
	}
	return nil
}

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
	saveLogos     = db.UpdateOf(partnerProfiles, partnerProfiles.Key,
		partnerProfiles.Pick("logo_version", "logo_format", "logo"))
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
