package partner

import (
	"cmp"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/signin"
)

// User is a person of a partner.
type User struct {
	UserID    string
	PartnerID string
	Email     string // as given
	Name      string
	Role      Role
	CreatedAt time.Time
	// UnprovenSince is when the user got an address that no mailed link has proven yet;
	// zero once one has, and for all who came without mail.
	UnprovenSince time.Time
}

// Confirmed reports whether the user has confirmed the address, or need not.
func (u *User) Confirmed() bool { return u.UnprovenSince.IsZero() }

// Actor returns what the user's authority rests on.
func (u *User) Actor() actor.Person {
	return actor.Person{Kind: actor.User, PersonID: u.UserID, PartnerID: u.PartnerID, Role: string(u.Role)}
}

// Account is a user with what only signing in needs.
type Account struct {
	User
	EmailKey     string // the e-mail address in the form in which it is compared
	PasswordHash string
}

// Member is a user together with the partner that the user belongs to.
type Member struct {
	Partner Partner
	User    User
}

// Person returns the user as package signin takes people.
func (a *Account) Person() *signin.Person {
	return &signin.Person{
		PersonID: a.UserID, PartnerID: a.PartnerID, Name: a.Name, Email: a.Email, EmailKey: a.EmailKey,
		PasswordHash: a.PasswordHash, Role: string(a.Role), CreatedAt: a.CreatedAt, UnprovenSince: a.UnprovenSince,
	}
}

// Actor returns what the user's authority rests on.
func (m *Member) Actor() actor.Person { return m.User.Actor() }

// DisplayName returns what pages call the user.
func (m *Member) DisplayName() string { return cmp.Or(m.User.Name, m.User.Email) }

// MemberOf returns the user whose session sends a request; nil for any other sender.
func MemberOf(principal any) *Member {
	session, _ := principal.(*signin.Session)
	if session == nil {
		return nil
	}
	member, _ := session.Holder.(*Member)
	return member
}
