package dispatch

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Settings describe how a partner's orders are dispatched.
type Settings struct {
	PartnerID string
	// AutoAccept means that orders are accepted without a dispatcher: those that
	// are pending now, and each new one right after its creation.
	AutoAccept bool
}

// Settings returns a partner's settings. The error may be not_found.
func (s *Service) Settings(ctx context.Context, partnerID string) (found *Settings, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Settings(ctx, partnerID)
		return err
	})
	if err == nil && found == nil {
		err = refusal.NotFound("partner")
	}
	return found, err
}

// settingsFacts is what the audit log holds of settings.
type settingsFacts struct {
	AutoAccept bool `json:"auto_accept"`
}

// ReadSettings reads settings, without the partner.
func ReadSettings(f *form.Form) Settings {
	if f != nil && !f.Has("auto_accept") {
		f.Fault("auto_accept", form.TrueOrFalse)
	}
	return Settings{AutoAccept: f.Flag("auto_accept")}
}

// SetSettings changes a partner's settings and returns them. The error may be not_found.
func (s *Service) SetSettings(ctx context.Context, settings Settings) (*Settings, error) {
	return s.SetSettingsFrom(ctx, nil, settings)
}

// SetSettingsFrom does the same, but refuses with form.ErrStale unless the settings are
// the basis of the change.
func (s *Service) SetSettingsFrom(
	ctx context.Context, basis form.Basis[*Settings], settings Settings,
) (*Settings, error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), audit.ActionPartnerChanged)
	if err != nil {
		return nil, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		before, err := tx.LockSettings(ctx, settings.PartnerID)
		if err == nil && before == nil {
			err = refusal.NotFound("partner")
		}
		if err == nil {
			err = basis.Check(before)
		}
		if err != nil || *before == settings {
			return err // unchanged settings are not logged
		}
		if err := tx.SaveSettings(ctx, &settings); err != nil {
			return err
		}
		entry.PartnerID, entry.ObjectID = settings.PartnerID, settings.PartnerID
		entry.Before, entry.After = settingsFacts{before.AutoAccept}, settingsFacts{settings.AutoAccept}
		return tx.AddAudit(ctx, entry)
	})
	if err != nil {
		return nil, err
	}
	if s.config.SettingsChanged != nil {
		s.config.SettingsChanged()
	}
	return &settings, nil
}
