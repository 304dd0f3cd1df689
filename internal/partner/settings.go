package partner

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Settings is what operators have set for one partner.
type Settings struct {
	SuspendedAt     time.Time // zero unless the account is suspended
	SuspendedReason string    // empty if none was given
	PendingSince    time.Time // zero unless the account awaits approval
	NewSince        time.Time // since when it counts as new; zero once an operator has vouched for it
	RateLimit       int       // requests a minute; DefaultRate for the service's
	RateCard        string    // the name of a series of rate cards; empty for the default
	OrdersPerDay    int64     // orders a day, in UTC; 0 for no limit, DefaultQuota for the service's
	StoredBytes     int64     // bytes of the stored records of orders; likewise
}

// DefaultQuota stands for a quota of the service, which applies to partners without
// their own.
const DefaultQuota = -1

// DefaultRate stands for the rate limit of the service, which applies to partners
// without their own.
const DefaultRate = -1

// DefaultSettings are the settings of a partner without any.
var DefaultSettings = Settings{RateLimit: DefaultRate, OrdersPerDay: DefaultQuota, StoredBytes: DefaultQuota}

// Suspended reports whether the partner may not use the service.
func (s Settings) Suspended() bool { return !s.SuspendedAt.IsZero() }

// Refusal returns the error for a partner that is suspended or awaits approval; nil
// for any other.
func (s Settings) Refusal() error {
	switch {
	case s.Suspended():
		return ErrSuspended
	case s.Pending():
		return ErrPending
	default:
		return nil
	}
}

// ErrSuspended is the refusal of an account that an operator has suspended.
var ErrSuspended = refusal.New(refusal.CodeForbidden, "this account is suspended")

// Settings returns what is set for a partner, as it was at most keyFreshness ago. A
// test account has the settings of its partner. The settings of active partners are
// cached.
func (s *Service) Settings(ctx context.Context, partnerID string) (Settings, error) {
	partnerID = delivery.LiveAccount(partnerID)
	return s.settings.get(partnerID, s.config.Now(), func() (Settings, error) { return s.lookUpSettings(ctx, partnerID) })
}

func (s *Service) lookUpSettings(ctx context.Context, partnerID string) (settings Settings, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		settings, err = tx.Settings(ctx, partnerID)
		return err
	})
	return settings, err
}

// Listed is a partner as operators see it in lists.
type Listed struct {
	Partner
	Settings
}

// Overview is a partner as operators see it by itself.
type Overview struct {
	Listed
	ActiveKeys, RevokedKeys int64
	Usage                   Usage
}

// Usage is what a partner has used of its quotas.
type Usage struct {
	OrdersToday int64 // created today, in UTC
	StoredBytes int64 // of the stored records of orders
}

// Overview returns a partner with its settings and keys counted. It refuses with
// not_found.
func (s *Service) Overview(ctx context.Context, partnerID string) (found *Overview, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = overview(ctx, tx, partnerID, s.now())
		return err
	})
	return found, err
}

func overview(ctx context.Context, tx Reader, partnerID string, now time.Time) (*Overview, error) {
	account, err := tx.Partner(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	if account == nil {
		return nil, refusal.NotFound("the partner")
	}
	found := &Overview{Listed: Listed{Partner: *account}}
	if found.Settings, err = tx.Settings(ctx, partnerID); err != nil {
		return nil, err
	}
	if found.Usage, err = tx.Usage(ctx, partnerID, now); err != nil {
		return nil, err
	}
	found.ActiveKeys, found.RevokedKeys, err = tx.CountAPIKeys(ctx, partnerID)
	return found, err
}

// Bounds of the settings.
const (
	maxOwnRate = 1_000_000 // requests a minute
	maxReason  = 500
	maxQuota   = 1 << 50 // orders a day, or bytes
	// DefaultCard names the rate cards of partners without their own.
	DefaultCard = "default"
)

// SettingsChange is what changes of a partner's settings. What is nil stays as it is.
type SettingsChange struct {
	Suspended       *bool
	SuspendedReason string  // of a suspension; empty for none
	Established     *bool   // true vouches for the account, false makes it new
	RateCard        *string // empty for the default
	OrdersPerDay    *int64  // 0 for no limit, DefaultQuota for the service's
	StoredBytes     *int64  // likewise
	RateLimit       *int64  // requests a minute; DefaultRate for the service's
}

var (
	noReason     = form.Define("no_reason", "no reason unless suspended is true")
	uploadedCard = form.Define("uploaded_card", "the name of rate cards that were uploaded, or null")
)

// ReadSettingsChange reads what changes of a partner's settings; null stands for what the
// service has.
func ReadSettingsChange(f *form.Form) SettingsChange {
	change := SettingsChange{
		Suspended:       f.FlagIfSent("suspended"),
		Established:     f.FlagIfSent("established"),
		SuspendedReason: f.Text("suspended_reason", form.Optional, form.Length(0, maxReason)),
		RateCard:        f.NullableText("rate_card", delivery.NameRule),
		OrdersPerDay:    readLimit(f, "orders_per_day", 0, maxQuota, DefaultQuota),
		StoredBytes:     readLimit(f, "stored_bytes", 0, maxQuota, DefaultQuota),
		RateLimit:       readLimit(f, "rate_limit", 1, maxOwnRate, DefaultRate),
	}
	if change.RateCard != nil && *change.RateCard == DefaultCard {
		change.RateCard = new("")
	}
	if suspends := change.Suspended != nil && *change.Suspended; f.Has("suspended_reason") && !suspends {
		f.Fault("suspended_reason", noReason)
	}
	return change
}

// readLimit reads a limit; it returns nil if there is none. null stands for the service's.
func readLimit(f *form.Form, name string, least, most, byDefault int64) *int64 {
	if limit, ok := f.Integer(name, form.Optional, least, most); ok {
		return &limit
	}
	if f.IsNull(name) {
		return &byDefault
	}
	return nil
}

// apply returns the settings after the change.
func (c SettingsChange) apply(s Settings, now time.Time) Settings {
	switch {
	case c.Suspended == nil:
	case !*c.Suspended:
		s.SuspendedAt, s.SuspendedReason = time.Time{}, ""
	case s.Suspended():
		s.SuspendedReason = c.SuspendedReason
	default:
		s.SuspendedAt, s.SuspendedReason = now, c.SuspendedReason
	}
	switch {
	case c.Established == nil || *c.Established == s.Established(now):
	case *c.Established:
		s.NewSince = time.Time{}
	default:
		s.NewSince = now
	}
	if c.RateLimit != nil {
		s.RateLimit = int(*c.RateLimit)
	}
	if c.RateCard != nil {
		s.RateCard = *c.RateCard
	}
	if c.OrdersPerDay != nil {
		s.OrdersPerDay = *c.OrdersPerDay
	}
	if c.StoredBytes != nil {
		s.StoredBytes = *c.StoredBytes
	}
	return s
}

// Change changes a partner's settings. It takes effect on this node before Change
// returns, and on others within keyFreshness. It ends the sessions of a partner that is
// suspended. It refuses with not_found, or with validation_error if there are no such rate
// cards.
func (s *Service) Change(ctx context.Context, partnerID string, change SettingsChange) (changed *Overview, err error) {
	return s.ChangeFrom(ctx, partnerID, nil, change)
}

// ChangeFrom does the same, but refuses with form.ErrStale unless the settings are the
// basis of the change.
func (s *Service) ChangeFrom(
	ctx context.Context, partnerID string, basis form.Basis[Settings], change SettingsChange,
) (changed *Overview, err error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), audit.ActionPartnerChanged)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID = partnerID, partnerID
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		changed, err = s.change(ctx, tx, partnerID, basis, change, entry)
		return err
	})
	// After the commit, and even after an error: the commit may have succeeded.
	s.settings.forget(partnerID)
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func (s *Service) change(ctx context.Context, tx Writer, partnerID string, basis form.Basis[Settings],
	change SettingsChange, entry *audit.Entry) (*Overview, error) {
	found, err := overview(ctx, tx, partnerID, entry.At)
	if err != nil {
		return nil, err
	}
	// What the partner's people change here locks the partner as well: there may be no row
	// of settings that it could lock.
	if err := tx.LockPartner(ctx, partnerID); err != nil {
		return nil, err
	}
	before, err := tx.LockSettings(ctx, partnerID)
	if err == nil {
		err = basis.Check(before)
	}
	if err != nil {
		return nil, err
	}
	found.Settings = change.apply(before, entry.At)
	if change.RateCard != nil && *change.RateCard != "" {
		known, err := tx.HasRateCards(ctx, *change.RateCard)
		if err != nil {
			return nil, err
		}
		if !known {
			return nil, form.Fault("rate_card", *change.RateCard, uploadedCard)
		}
	}
	if found.Settings == before {
		return found, nil // nothing changes, and so nothing is noted
	}
	entry.Before, entry.After = factsOf(before, entry.At), factsOf(found.Settings, entry.At)
	if err := tx.SaveSettings(ctx, partnerID, found.Settings); err != nil {
		return nil, err
	}
	err = tx.AddAudit(ctx, entry)
	if err == nil && found.Suspended() {
		err = tx.EndSessionsOf(ctx, partnerID)
	}
	return found, err
}

// settingsFacts is what the audit log holds of a partner's settings.
type settingsFacts struct {
	Suspended       bool    `json:"suspended"`
	SuspendedReason string  `json:"suspended_reason"`
	Established     bool    `json:"established"`
	RateLimit       *int    `json:"rate_limit"` // null for the service's
	RateCard        *string `json:"rate_card"`
	OrdersPerDay    *int64  `json:"orders_per_day"` // null for the service's
	StoredBytes     *int64  `json:"stored_bytes"`   // null for the service's
}

func factsOf(s Settings, now time.Time) settingsFacts {
	facts := settingsFacts{Suspended: s.Suspended(), SuspendedReason: s.SuspendedReason, Established: s.Established(now)}
	if s.RateLimit != DefaultRate {
		facts.RateLimit = &s.RateLimit
	}
	if s.RateCard != "" {
		facts.RateCard = &s.RateCard
	}
	if s.OrdersPerDay != DefaultQuota {
		facts.OrdersPerDay = &s.OrdersPerDay
	}
	if s.StoredBytes != DefaultQuota {
		facts.StoredBytes = &s.StoredBytes
	}
	return facts
}

// MayUse refuses an account that is suspended or awaits approval.
func (s *Service) MayUse(ctx context.Context, partnerID string) error {
	settings, err := s.Settings(ctx, partnerID)
	if err != nil {
		return err
	}
	return settings.Refusal()
}
