package recipient

import (
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/mail"
)

// TestFailedPickupCausesNoMail: a recipient gets a mail about attempts at the door only.
func TestFailedPickupCausesNoMail(t *testing.T) {
	t.Parallel()
	for from, want := range map[delivery.Status]mail.Kind{
		delivery.StatusCourierAssigned: "", delivery.StatusPickedUp: mail.Failed, delivery.StatusOutForDelivery: mail.Failed,
	} {
		if got := kindOf(&delivery.Order{Status: from}, delivery.StatusFailed); got != want {
			t.Errorf("failed after %s: got the mail %q, want %q", from, got, want)
		}
	}
}
