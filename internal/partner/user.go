package partner

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// User is a person of a partner.
type User struct {
	UserID    string
	PartnerID string
	Email     string // as given
	Name      string
	Role      Role
	CreatedAt time.Time
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

// Origin is where a login comes from.
type Origin struct {
	Address string
	Agent   string // the client's User-Agent, as Session holds it; may be empty
}

// maxAgent is how many characters are kept of a User-Agent.
const maxAgent = 200

// NewOrigin returns an origin with as much of the agent as a session holds.
func NewOrigin(address, agent string) Origin {
	agent = strings.ReplaceAll(strings.ToValidUTF8(agent, ""), "\x00", "")
	if utf8.RuneCountInString(agent) > maxAgent {
		agent = string([]rune(agent)[:maxAgent])
	}
	return Origin{address, agent}
}

// Session is a login. It is stored under the hash of its token, so that read access
// to the database does not suffice to take it over.
type Session struct {
	TokenHash []byte
	SessionID string // names the session in lists
	Member
	Origin
	credential.SessionTimes
}
