// Package actor has the person on whose authority something is done, as authentication has
// found that person. The context carries the actor, and every transaction that changes
// something reads it again, under a lock.
package actor

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Kind is a kind of people.
type Kind string

// The kinds of people.
const (
	Operator Kind = "operator"
	User     Kind = "user" // of a partner
)

// Actor is a person who was authenticated.
type Actor struct {
	Person
	Credential
}

// Person is what the authority of a person rests on.
type Person struct {
	Kind      Kind
	PersonID  string // the id of an operator or user
	PartnerID string // the partner of a user; empty for an operator
	Role      string
	CourierID string // the courier that an operator is; empty if the operator is none
}

// Credential is what a person has shown. One of its fields is set.
type Credential struct {
	Session  string // the hash of the token of a session
	Token    string // the hash of an operator's bearer token
	Password string // the hash with which a user's password was compared
}

type actorKey struct{}

// With returns a context that carries the actor.
func With(ctx context.Context, a *Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// Without returns a context that carries no actor: for what follows from a change that has
// been committed, and for what is done for several people together.
func Without(ctx context.Context) context.Context {
	if Of(ctx) == nil {
		return ctx
	}
	return With(ctx, nil)
}

// Of returns the actor that a context carries. It is nil in the background, on the command
// line, and for signed requests, whose API keys are cached for seconds.
func Of(ctx context.Context) *Actor {
	a, _ := ctx.Value(actorKey{}).(*Actor)
	return a
}

// The refusals of actors who have lost their authority since they were authenticated.
var (
	// ErrEnded is that of one who was removed or deactivated, or whose session, token or
	// password has ended.
	ErrEnded = refusal.New(refusal.CodeUnauthorized, "this account, session or token ended while the request ran")
	// ErrChanged is that of one who has another role, or is another courier.
	ErrChanged = refusal.New(refusal.CodeForbidden, "the role of this account was changed while the request ran")
	// ErrSuspended is that of a user who has shown a password, and whose partner was
	// suspended.
	ErrSuspended = refusal.New(refusal.CodeForbidden, "this account was suspended while the request ran")
)

// Refuses reports whether an error is the refusal of an actor.
func Refuses(err error) bool {
	return errors.Is(err, ErrEnded) || errors.Is(err, ErrChanged) || errors.Is(err, ErrSuspended)
}

// Standing is what a store has found of actors. What it has not found does not exist.
type Standing struct {
	People    map[string]Person // by id; of operators only those that are active
	Passwords map[string]string // the hashes of users' passwords, by user id
	Sessions  map[string]string // the ids of the people of sessions, by the hashes of their tokens
	Tokens    map[string]string // the ids of the operators of bearer tokens, in the same way
	Suspended map[string]bool   // the partners that are suspended or await approval
}

// NewStanding returns a standing in which nothing has been found.
func NewStanding() *Standing {
	return &Standing{
		People: map[string]Person{}, Passwords: map[string]string{}, Suspended: map[string]bool{},
		Sessions: map[string]string{}, Tokens: map[string]string{},
	}
}

// Refusal returns nil if an actor may still act, and otherwise the refusal.
func (s *Standing) Refusal(a *Actor) error {
	now, exists := s.People[a.PersonID]
	switch {
	case !exists || now.Kind != a.Kind || now.PartnerID != a.PartnerID || !s.holds(a):
		return ErrEnded
	case s.Suspended[a.PartnerID] && a.Session != "": // it ends sessions
		return ErrEnded
	case s.Suspended[a.PartnerID]:
		return ErrSuspended
	case now != a.Person:
		return ErrChanged
	}
	return nil
}

// holds reports whether the credential of an actor is still the actor's.
func (s *Standing) holds(a *Actor) bool {
	switch {
	case a.Session != "":
		return s.Sessions[a.Session] == a.PersonID
	case a.Token != "":
		return s.Tokens[a.Token] == a.PersonID
	default:
		return a.Password != "" && s.Passwords[a.PersonID] == a.Password
	}
}
