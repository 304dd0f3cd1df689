package actor_test

import (
	"errors"
	"testing"

	"github.com/dropyard/dropyard/internal/actor"
)

// TestRefusal takes away, one after the other, everything that authority rests on.
func TestRefusal(t *testing.T) {
	t.Parallel()
	operator := actor.Person{Kind: actor.Operator, PersonID: "opr_1", Role: "courier", CourierID: "cou_1"}
	user := actor.Person{Kind: actor.User, PersonID: "usr_1", PartnerID: "par_1", Role: "owner"}
	byToken := &actor.Actor{Person: operator, Credential: actor.Credential{Token: "t"}}
	bySession := &actor.Actor{Person: user, Credential: actor.Credential{Session: "s"}}
	byPassword := &actor.Actor{Person: user, Credential: actor.Credential{Password: "h"}}
	for name, c := range map[string]struct {
		by   *actor.Actor
		lose func(*actor.Standing)
		want error
	}{
		"a token":          {byToken, func(*actor.Standing) {}, nil},
		"a session":        {bySession, func(*actor.Standing) {}, nil},
		"a password":       {byPassword, func(*actor.Standing) {}, nil},
		"no credential":    {&actor.Actor{Person: user}, func(*actor.Standing) {}, actor.ErrEnded},
		"deactivated":      {byToken, func(s *actor.Standing) { delete(s.People, "opr_1") }, actor.ErrEnded},
		"token revoked":    {byToken, func(s *actor.Standing) { delete(s.Tokens, "t") }, actor.ErrEnded},
		"token of another": {byToken, func(s *actor.Standing) { s.Tokens["t"] = "opr_2" }, actor.ErrEnded},
		"another courier": {byToken, func(s *actor.Standing) {
			s.People["opr_1"] = actor.Person{Kind: actor.Operator, PersonID: "opr_1", Role: "courier", CourierID: "cou_2"}
		}, actor.ErrChanged},
		"promoted": {byToken, func(s *actor.Standing) {
			s.People["opr_1"] = actor.Person{Kind: actor.Operator, PersonID: "opr_1", Role: "admin"}
		}, actor.ErrChanged},
		"another partner's": {bySession, func(s *actor.Standing) {
			s.People["usr_1"] = actor.Person{Kind: actor.User, PersonID: "usr_1", PartnerID: "par_2", Role: "owner"}
		}, actor.ErrEnded},
		"session ended":          {bySession, func(s *actor.Standing) { delete(s.Sessions, "s") }, actor.ErrEnded},
		"suspended, session":     {bySession, func(s *actor.Standing) { s.Suspended["par_1"] = true }, actor.ErrEnded},
		"suspended, password":    {byPassword, func(s *actor.Standing) { s.Suspended["par_1"] = true }, actor.ErrSuspended},
		"another password":       {byPassword, func(s *actor.Standing) { s.Passwords["usr_1"] = "g" }, actor.ErrEnded},
		"another partner's fate": {bySession, func(s *actor.Standing) { s.Suspended["par_2"] = true }, nil},
	} {
		s := actor.NewStanding()
		s.People["opr_1"], s.People["usr_1"] = operator, user
		s.Tokens["t"], s.Sessions["s"], s.Passwords["usr_1"] = "opr_1", "usr_1", "h"
		c.lose(s)
		got := s.Refusal(c.by)
		if !errors.Is(got, c.want) || actor.Refuses(got) != (c.want != nil) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestContext takes the actor off a context.
func TestContext(t *testing.T) {
	t.Parallel()
	by := &actor.Actor{}
	ctx := actor.With(t.Context(), by)
	if actor.Of(t.Context()) != nil || actor.Of(ctx) != by || actor.Of(actor.Without(ctx)) != nil {
		t.Error("got another actor than the context carries")
	}
	if actor.Without(t.Context()) != t.Context() {
		t.Error("got another context, want the same for one without an actor")
	}
}
