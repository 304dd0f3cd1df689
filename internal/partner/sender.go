package partner

import (
	"cmp"
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Sender is a partner as its recipients see it.
type Sender struct {
	PartnerID string
	Name      string // the public name, or else that of the account
	Email     string // of the account
	Profile
}

// Sender returns the partner that sends an order, as it was at most keyFreshness ago. The
// sender of a test account is that of its live account. An unknown partner has an empty name.
func (s *Service) Sender(ctx context.Context, partnerID string) (Sender, error) {
	partnerID = delivery.LiveAccount(partnerID)
	return s.senders.get(partnerID, s.config.Now(), func() (Sender, error) { return s.lookUpSender(ctx, partnerID) })
}

func (s *Service) lookUpSender(ctx context.Context, partnerID string) (sender Sender, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		account, err := tx.Partner(ctx, partnerID)
		if err != nil || account == nil {
			return err
		}
		profile, err := tx.Profile(ctx, partnerID)
		sender = Sender{
			PartnerID: partnerID, Name: cmp.Or(profile.PublicName, account.Name), Email: account.Email, Profile: profile,
		}
		return err
	})
	return sender, err
}
