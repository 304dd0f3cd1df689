package webhook

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/mail"
)

// mailReasons has how mails name the reasons for which the sender disables endpoints.
var mailReasons = map[string]string{ReasonGone: mail.ReasonGone, ReasonPatience: mail.ReasonFailing}

// reportDisabled writes a mail that an endpoint was disabled to each person who looks
// after it, in the transaction that disables it.
func (s *Sender) reportDisabled(ctx context.Context, tx Writer, endpoint *Endpoint, at time.Time) error {
	if s.config.Post == nil {
		return nil
	}
	partnerID := delivery.LiveAccount(endpoint.PartnerID)
	people, err := tx.Maintainers(ctx, partnerID)
	if err != nil {
		return err
	}
	for _, email := range people.Emails {
		err := s.config.Post.Send(ctx, tx, &mail.Message{
			Kind: mail.Disabled, To: email, PartnerID: partnerID, Team: people.Partner, At: at,
			Reason: mailReasons[endpoint.DisabledReason], Endpoint: endpoint.URL, EndpointID: endpoint.EndpointID,
			Test: delivery.IsTest(endpoint.PartnerID),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
