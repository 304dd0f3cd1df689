package partner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Language is a language in which recipients are addressed.
type Language string

// The languages.
const (
	LanguageEnglish Language = "en"
	LanguageFrench  Language = "fr"
)

// Languages lists all languages.
var Languages = []Language{LanguageEnglish, LanguageFrench}

// Profile is how a partner appears to recipients.
type Profile struct {
	PublicName    string   // empty for the name of the account
	SupportURL    string   // empty if there is none
	Language      Language // empty for that of the recipient's browser
	RecipientMail bool     // whether recipients get mail about their orders
	// LogoVersion changes with every logo, so that caches can keep each for ever; it is
	// empty without a logo.
	LogoVersion string
}

// Logo is a partner's logo.
type Logo struct {
	Version string
	Picture picture.Picture
}

// logoWanted is what is kept of a logo, and which files are accepted: logos of printers,
// but nothing that keeps a processor busy, because anyone who registers may send them.
// They wait for proofs of delivery.
var logoWanted = picture.Wanted{
	Field: "logo", Side: 512, Bytes: 256 << 10, Yields: true,
	Accepted: picture.Limits{Bytes: 1 << 20, Side: 4_000, Pixels: 4_000_000, Scans: 16},
}

// supportURLRule accepts a link that is safe on a page: https, without user name and
// fragment.
var supportURLRule = form.TextRule{
	Rule: form.Define("support_url", "an https URL of at most 2048 characters, such as https://shop.example/help"),
	Allows: func(text string) bool {
		return len(text) <= 2048 && supportURL.MatchString(text)
	},
}

var supportURL = regexp.MustCompile(
	`^https://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?$`,
)

// Profile returns the profile of a partner. A test account has that of its partner.
func (s *Service) Profile(ctx context.Context, partnerID string) (profile Profile, err error) {
	partnerID = delivery.LiveAccount(partnerID)
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		profile, err = tx.Profile(ctx, partnerID)
		return err
	})
	return profile, err
}

// ProfileChange is what changes of a profile. What is nil stays as it is.
type ProfileChange struct {
	PublicName    *string // empty for the name of the account
	SupportURL    *string // empty for none
	Language      *Language
	RecipientMail *bool
}

// ReadProfileChange reads what changes of a profile; null clears a member.
func ReadProfileChange(f *form.Form) ProfileChange {
	change := ProfileChange{
		PublicName:    f.NullableText("public_name", delivery.OwnNameRule),
		SupportURL:    f.NullableText("support_url", supportURLRule),
		Language:      (*Language)(f.NullableText("language", form.OneOf(Languages...))),
		RecipientMail: f.FlagIfSent("recipient_mail"),
	}
	if f.IsNull("recipient_mail") {
		change.RecipientMail = new(false)
	}
	return change
}

// apply returns the profile after the change.
func (c ProfileChange) apply(p Profile) Profile {
	if c.PublicName != nil {
		p.PublicName = *c.PublicName
	}
	if c.SupportURL != nil {
		p.SupportURL = *c.SupportURL
	}
	if c.Language != nil {
		p.Language = *c.Language
	}
	if c.RecipientMail != nil {
		p.RecipientMail = *c.RecipientMail
	}
	return p
}

// ChangeProfile changes the profile of a partner.
func (s *Service) ChangeProfile(ctx context.Context, partnerID string, change ProfileChange) (Profile, error) {
	return s.ChangeProfileFrom(ctx, partnerID, nil, change)
}

// ChangeProfileFrom does the same, but refuses with form.ErrStale unless the profile is
// the basis of the change.
func (s *Service) ChangeProfileFrom(
	ctx context.Context, partnerID string, basis form.Basis[Profile], change ProfileChange,
) (Profile, error) {
	return s.saveProfile(ctx, partnerID, func(_ Writer, p Profile) (Profile, error) {
		if err := basis.Check(p); err != nil {
			return p, err
		}
		return change.apply(p), nil
	})
}

// SetLogo cleans a picture, which must be a PNG, JPEG or WebP, and makes it the logo of
// a partner. It refuses with validation_error.
func (s *Service) SetLogo(ctx context.Context, partnerID string, data []byte) (Profile, error) {
	cleaned, err := s.config.Cleaner.Clean(ctx, partnerID, data, logoWanted)
	if err != nil {
		return Profile{}, err
	}
	digest := sha256.Sum256(cleaned.Data)
	logo := &Logo{Version: hex.EncodeToString(digest[:8]), Picture: cleaned}
	return s.saveProfile(ctx, partnerID, func(tx Writer, p Profile) (Profile, error) {
		p.LogoVersion = logo.Version
		return p, tx.SaveLogo(ctx, partnerID, logo)
	})
}

// RemoveLogo removes the logo of a partner, if there is one.
func (s *Service) RemoveLogo(ctx context.Context, partnerID string) (Profile, error) {
	return s.saveProfile(ctx, partnerID, func(tx Writer, p Profile) (Profile, error) {
		p.LogoVersion = ""
		return p, tx.SaveLogo(ctx, partnerID, &Logo{})
	})
}

// profileFacts is what the audit log holds of a profile.
type profileFacts struct {
	PublicName    string   `json:"public_name"`
	SupportURL    string   `json:"support_url"`
	Language      Language `json:"language"`
	RecipientMail bool     `json:"recipient_mail"`
	Logo          string   `json:"logo"` // its version
}

func factsOfProfile(p Profile) profileFacts {
	return profileFacts{p.PublicName, p.SupportURL, p.Language, p.RecipientMail, p.LogoVersion}
}

// saveProfile writes what change makes of the profile, unless nothing changes.
func (s *Service) saveProfile(
	ctx context.Context, partnerID string, change func(Writer, Profile) (Profile, error),
) (changed Profile, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		before, err := tx.LockProfile(ctx, partnerID)
		if err != nil {
			return err
		}
		if changed, err = change(tx, before); err != nil || changed == before {
			return err
		}
		if err := tx.SaveProfile(ctx, partnerID, changed); err != nil {
			return err
		}
		return s.note(ctx, tx, audit.ActionAccountChanged, partnerID, partnerID, factsOfProfile(before),
			factsOfProfile(changed))
	})
	s.senders.forget(partnerID)
	return changed, err
}

// Logo returns a version of a partner's logo. It refuses with not_found if that is not
// the logo, without saying whether there is another or a partner at all.
func (s *Service) Logo(ctx context.Context, partnerID, version string) (logo *Logo, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		logo, err = tx.Logo(ctx, partnerID)
		return err
	})
	if err == nil && (logo == nil || version == "" || logo.Version != version) {
		return nil, refusal.NotFound("this logo")
	}
	return logo, err
}
