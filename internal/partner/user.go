package partner

import (
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/foundation/credential"
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

// Session is a login. It is stored under the hash of its token, so that read access
// to the database does not suffice to take it over.
type Session struct {
	TokenHash []byte
	SessionID string // names the session in lists
	Member
	credential.Origin
	credential.SessionTimes
}

// Caller returns the user as package signin takes people, who calls from an address.
func (s *Session) Caller(address string) signin.Caller {
	return signin.Caller{PersonID: s.User.UserID, Role: string(s.User.Role), Session: s.TokenHash, Address: address}
}
