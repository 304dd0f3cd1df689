package login

import (
	"context"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
)

// visitor returns who is signed in among the people of a kind; nil if no one is.
func (pages *Pages) visitor(v *web.PageRequest, kind web.Audience) (signin.Holder, error) {
	found, err := pages.signIns(kind).BySession(v.Context(), v.Door.Token(kind))
	if err != nil || found == nil {
		return nil, err
	}
	return found.Holder, nil
}

// holder returns the caller that the visitor is, among partners' people, and a context with
// that authority.
func (s *sheet) holder() (context.Context, signin.Caller, error) {
	ctx := s.Context()
	from, err := s.Door.Origin()
	if err != nil {
		return ctx, signin.Caller{}, err
	}
	found, err := s.pages.config.UserSignIns.BySession(ctx, s.Door.Token(web.Partners))
	if err != nil || found == nil {
		return ctx, signin.Caller{Address: from.Address}, err
	}
	return actor.With(ctx, found.Actor()), found.Caller(from.Address), nil
}

// SignedIn returns the name of the visitor among the people of a kind, and the first page
// of that person; empty texts if no one is signed in.
func (pages *Pages) SignedIn(v *web.PageRequest, kind web.Audience) (name, home string, err error) {
	found, err := pages.visitor(v, kind)
	if err != nil || found == nil {
		return "", "", err
	}
	return found.DisplayName(), homeOf(kind, found.Actor().Role), nil
}
