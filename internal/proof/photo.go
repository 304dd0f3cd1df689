package proof

import (
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Photo returns the name of the newest photo that proves the delivery of an order, for
// its recipient; empty if there is none. A signature is never shown to recipients.
func (s *Service) Photo(ctx context.Context, partnerID, orderID string) (name string, err error) {
	err = s.config.Records.ReadOnce(ctx, func(tx RecordReader) error {
		proofs, err := tx.Proofs(ctx, partnerID, orderID)
		for _, p := range proofs {
			if p.Kind == delivery.ProofPhoto {
				name = p.Name
			}
		}
		return err
	})
	return name, err
}

// List lists the proofs of an order, oldest first, for its partner.
func (s *Service) List(ctx context.Context, partnerID, orderID string) (proofs []*delivery.Proof, err error) {
	err = s.config.Records.Read(ctx, func(tx RecordReader) error {
		proofs, err = tx.Proofs(ctx, partnerID, orderID)
		return err
	})
	return proofs, err
}
