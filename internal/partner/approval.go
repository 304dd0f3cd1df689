package partner

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Registration says who may open an account.
type Registration string

// The kinds of registration. The empty text is RegistrationOpen.
const (
	RegistrationOpen     Registration = "open"
	RegistrationApproval Registration = "approval" // an account can be used once an admin has approved it
	RegistrationClosed   Registration = "closed"
)

var (
	errClosed = refusal.New(refusal.CodeForbidden, "registration is closed")
	// ErrPending is the refusal of an account that awaits approval.
	ErrPending = refusal.New(refusal.CodeForbidden, "this account awaits approval")
)

// Pending reports whether the account awaits approval.
func (s Settings) Pending() bool { return !s.PendingSince.IsZero() }

// approvalFacts is what the audit log holds of an approval.
type approvalFacts struct {
	Pending bool `json:"pending"`
}

// Approve approves an account that awaits it, which is established from then on. It can be used on this node before
// Approve returns, and on others within keyFreshness. An account that is approved
// already stays as it is. Approve refuses with not_found.
func (s *Service) Approve(ctx context.Context, partnerID string) (approved *Overview, err error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), audit.ActionPartnerApproved)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID = partnerID, partnerID
	entry.Before, entry.After = approvalFacts{true}, approvalFacts{false}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		approved, err = approve(ctx, tx, partnerID, entry)
		return err
	})
	// After the commit, and even after an error: the commit may have succeeded.
	s.settings.forget(partnerID)
	if err != nil {
		return nil, err
	}
	return approved, nil
}

func approve(ctx context.Context, tx Writer, partnerID string, entry *audit.Entry) (*Overview, error) {
	found, err := overview(ctx, tx, partnerID, entry.At)
	if err != nil || !found.Pending() {
		return found, err
	}
	settings, err := tx.LockSettings(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	found.Settings = settings
	if !settings.Pending() { // another request was faster
		return found, nil
	}
	found.PendingSince, found.NewSince = DefaultSettings.PendingSince, DefaultSettings.NewSince
	if err := tx.SaveSettings(ctx, partnerID, found.Settings); err != nil {
		return nil, err
	}
	return found, tx.AddAudit(ctx, entry)
}
