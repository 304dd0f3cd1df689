package signin

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Listed is a user of a partner as operators see them.
type Listed struct {
	Person
	Enrolled         bool      // signs in with a code as well
	ResetRequestedAt time.Time // zero unless the user waits for a new password
}

// PeopleOf lists the users of a partner, oldest first. It refuses with not_found if
// there are none.
func (s *Service) PeopleOf(ctx context.Context, partnerID string) (listed []*Listed, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		listed = nil
		people, err := tx.PeopleOf(ctx, partnerID)
		if err != nil {
			return err
		}
		for _, p := range people {
			factor, err := tx.Factor(ctx, p.PersonID)
			if err != nil {
				return err
			}
			listed = append(listed, &Listed{*p, factor.Enrolled(), factor.ResetRequestedAt})
		}
		return nil
	})
	if err == nil && len(listed) == 0 {
		err = refusal.NotFound("the partner")
	}
	return listed, err
}
