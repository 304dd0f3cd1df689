package entrance

import (
	"cmp"
	"context"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// visitor is a person who is signed in.
type visitor struct {
	name string
	role string
}

// visitor returns who is signed in among the people of a kind; nil if no one is.
func (room *Room) visitor(v *visit.Visit, kind visit.Audience) (*visitor, error) {
	token := v.Door.Token(kind)
	if token == "" {
		return nil, nil
	}
	if kind == visit.Partners {
		found, err := room.config.Partners.BySession(v.Context(), token)
		if err != nil || found == nil {
			return nil, err
		}
		return &visitor{cmp.Or(found.User.Name, found.User.Email), string(found.User.Role)}, nil
	}
	found, err := room.config.Operators.BySession(v.Context(), token)
	if err != nil || found == nil {
		return nil, err
	}
	return &visitor{found.Operator.Email, string(found.Operator.Role)}, nil
}

// holder returns the caller that the visitor is, among partners' people, and a context with
// that authority.
func (s *sheet) holder() (context.Context, signin.Caller, error) {
	ctx := s.Context()
	from, err := s.Door.Origin()
	if err != nil {
		return ctx, signin.Caller{}, err
	}
	by := signin.Caller{Address: from.Address}
	found, err := s.room.config.Partners.BySession(ctx, s.Door.Token(visit.Partners))
	if err != nil || found == nil {
		return ctx, by, err
	}
	return actor.With(ctx, &actor.Actor{
		Person: found.User.Actor(), Credential: actor.Credential{Session: string(found.TokenHash)},
	}), found.Caller(from.Address), nil
}

// SignedIn returns the name of the visitor among the people of a kind, and the first page
// of that person; empty texts if no one is signed in.
func (room *Room) SignedIn(v *visit.Visit, kind visit.Audience) (name, home string, err error) {
	found, err := room.visitor(v, kind)
	if err != nil || found == nil {
		return "", "", err
	}
	return found.name, homeOf(kind, found.role), nil
}
