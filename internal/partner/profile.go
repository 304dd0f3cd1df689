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

var supportURL = regexp.MustCompile(`^https://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?$`)

// Profile returns the profile of a partner. A test account has that of its partner.
func (s *Service) Profile(ctx context.Context, partnerID string) (profile Profile, err error) {
	partnerID = delivery.LiveAccount(partnerID)
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		profile, err = tx.Profile(ctx, partnerID)
		return err
	})
	return profile, err
}

// profileChange is what a request sets. What it leaves out stays as it is.
type profileChange struct {
	profile Profile
	sets    map[string]bool // the members that the request has, null or not
}

var profileMembers = []string{"public_name", "support_url", "language", "recipient_mail"}

func readProfileChange(root form.Source) (profileChange, error) {
	var problems form.Problems
	f := form.New(root, &problems)
	c := profileChange{
		profile: Profile{
			PublicName:    f.Text("public_name", form.Optional, delivery.OwnNameRule),
			SupportURL:    f.Text("support_url", form.Optional, supportURLRule),
			Language:      Language(f.Text("language", form.Optional, form.OneOf(Languages...))),
			RecipientMail: f.Flag("recipient_mail"),
		},
		sets: map[string]bool{},
	}
	for _, name := range profileMembers {
		c.sets[name] = f.Has(name) || f.IsNull(name)
	}
	return c, problems.Err()
}

// apply returns the profile after the change.
func (c profileChange) apply(p Profile) Profile {
	if c.sets["public_name"] {
		p.PublicName = c.profile.PublicName
	}
	if c.sets["support_url"] {
		p.SupportURL = c.profile.SupportURL
	}
	if c.sets["language"] {
		p.Language = c.profile.Language
	}
	if c.sets["recipient_mail"] {
		p.RecipientMail = c.profile.RecipientMail
	}
	return p
}

// ChangeProfile changes the profile of a partner as a request asks; null clears a
// member. It refuses with validation_error.
func (s *Service) ChangeProfile(ctx context.Context, partnerID string, root form.Source) (Profile, error) {
	return s.ChangeProfileFrom(ctx, partnerID, nil, root)
}

// ChangeProfileFrom does the same, but refuses with form.ErrStale unless the profile is
// the basis of the change.
func (s *Service) ChangeProfileFrom(ctx context.Context, partnerID string, basis form.Basis[Profile], root form.Source) (Profile, error) {
	change, err := readProfileChange(root)
	if err != nil {
		return Profile{}, err
	}
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
func (s *Service) saveProfile(ctx context.Context, partnerID string, change func(Writer, Profile) (Profile, error)) (changed Profile, err error) {
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
		return s.note(ctx, tx, audit.ActionAccountChanged, partnerID, partnerID, factsOfProfile(before), factsOfProfile(changed))
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
