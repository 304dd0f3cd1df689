package signin

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Listed is a user of a partner as operators see them.
type Listed struct {
	Person
	State
}

// State is what others may know of a person's sign-in.
type State struct {
	Enrolled         bool      // signs in with a code as well
	ResetRequestedAt time.Time // zero unless the person waits for a new password
}

func stateOf(f Factor) State { return State{f.Enrolled(), f.ResetRequestedAt} }

// PeopleOf lists the users of a partner, oldest first. It refuses with not_found if
// there are none.
func (s *Service) PeopleOf(ctx context.Context, partnerID string) (listed []*Listed, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		listed = nil
		people, err := tx.PeopleOf(ctx, partnerID)
		if err != nil {
			return err
		}
		factors, err := tx.Factors(ctx, idsOf(people))
		for _, p := range people {
			listed = append(listed, &Listed{*p, stateOf(factors[p.PersonID])})
		}
		return err
	})
	if err == nil && len(listed) == 0 {
		err = refusal.NotFound("the partner")
	}
	return listed, err
}

func idsOf(people []*Person) []string {
	ids := make([]string, len(people))
	for i, p := range people {
		ids[i] = p.PersonID
	}
	return ids
}

// States returns what others may know of people's sign-ins, by their ids.
func (s *Service) States(ctx context.Context, personIDs []string) (states map[string]State, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		factors, err := tx.Factors(ctx, personIDs)
		states = make(map[string]State, len(factors))
		for id, factor := range factors {
			states[id] = stateOf(factor)
		}
		return err
	})
	return states, err
}
