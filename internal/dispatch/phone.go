package dispatch

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// ServiceSettings are the settings of the service that its admins set.
type ServiceSettings struct {
	// DispatchPhone is the number at which couriers reach the desk; empty for none.
	DispatchPhone string `json:"dispatch_phone"`
}

// ServiceSettingsChange is a change of settings; what is nil stays.
type ServiceSettingsChange struct{ DispatchPhone *string }

// ReadServiceSettingsChange reads a change of settings: null removes a value.
func ReadServiceSettingsChange(f *form.Form) (change ServiceSettingsChange) {
	if f.Has("dispatch_phone") || f.IsNull("dispatch_phone") {
		change.DispatchPhone = new(f.Text("dispatch_phone", form.Optional, delivery.PhoneRule))
	}
	return change
}

// ServiceSettings returns the settings of the service.
func (s *Service) ServiceSettings(ctx context.Context) (found ServiceSettings, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found.DispatchPhone, err = tx.Phone(ctx)
		return err
	})
	return found, err
}

// ChangeServiceSettings changes the settings of the service, and returns them. It refuses with form.ErrStale
// unless the basis is what they were.
func (s *Service) ChangeServiceSettings(
	ctx context.Context, basis form.Basis[ServiceSettings], change ServiceSettingsChange,
) (changed ServiceSettings, err error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), audit.ActionSettingsChanged)
	if err != nil {
		return changed, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		var before ServiceSettings
		if before.DispatchPhone, err = tx.LockPhone(ctx); err == nil {
			err = basis.Check(before)
		}
		if err != nil {
			return err
		}
		if changed = before; change.DispatchPhone != nil {
			changed.DispatchPhone = *change.DispatchPhone
		}
		if changed == before {
			return nil // unchanged settings are not logged
		}
		if err := tx.SetPhone(ctx, changed.DispatchPhone); err != nil {
			return err
		}
		entry.Before, entry.After = before, changed
		return tx.AddAudit(ctx, entry)
	})
	return changed, err
}
