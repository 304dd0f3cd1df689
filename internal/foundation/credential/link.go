package credential

import (
	"context"
	"io"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// LinkKind says what a one-time link is for.
type LinkKind string

// The kinds of links.
const (
	LinkInvitation LinkKind = "invitation" // into the team of a partner
	LinkReset      LinkKind = "reset"      // sets a new password
	LinkEmail      LinkKind = "email"      // proves that its user reads an e-mail address
)

// linkLives holds how long a link of each kind can be used.
var linkLives = map[LinkKind]time.Duration{
	LinkInvitation: 7 * 24 * time.Hour,
	LinkReset:      time.Hour,
	LinkEmail:      24 * time.Hour,
}

// linkPrefixes holds the prefix of the ids of each kind.
var linkPrefixes = map[LinkKind]string{LinkInvitation: "inv_", LinkReset: "rst_", LinkEmail: "eml_"}

// ErrNoLink is the refusal of a link that is unknown, was used, or has expired. It
// does not say which.
var ErrNoLink = refusal.New(refusal.CodeNotFound, "this link does not exist, was used already, or has expired")

// Link is a one-time link as it is stored: under the hash of its token, so that read
// access to the database does not suffice to use it.
type Link struct {
	TokenHash []byte
	LinkID    string // names the link where its token must not be seen
	Kind      LinkKind
	// UserID or OperatorID is the person that the link is for; an invitation has
	// neither.
	UserID     string
	OperatorID string
	PartnerID  string // the partner of the user, or of the team; empty for an operator
	Email      string // the address of an invitation or the new address, as given
	EmailKey   string // the same as it is compared
	Role       string // of an invitation
	CreatedBy  string // the id of the user or operator who made the link
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// NewLink returns a link of a kind that begins now, and its token, which is stored
// nowhere. The caller sets the person that it is for.
func NewLink(random io.Reader, kind LinkKind, now time.Time) (token string, link *Link, err error) {
	id, err := identifier.New(random, linkPrefixes[kind])
	if err != nil {
		return "", nil, err
	}
	if token, err = Token(random, ""); err != nil {
		return "", nil, err
	}
	return token, &Link{
		TokenHash: HashToken(token), LinkID: id, Kind: kind, CreatedAt: now, ExpiresAt: now.Add(linkLives[kind]),
	}, nil
}

// LinkFilter selects links. An empty field selects all.
type LinkFilter struct {
	LinkID     string
	Kind       LinkKind
	UserID     string
	OperatorID string
	PartnerID  string
	EmailKey   string
	CreatedBy  string
}

// LinkReader is what packages that have one-time links need to read of storage.
type LinkReader interface {
	// Link returns a link of a kind that can be used at a time; nil if there is none.
	Link(ctx context.Context, kind LinkKind, tokenHash []byte, now time.Time) (*Link, error)
	// Links lists links that can be used at a time, oldest first.
	Links(ctx context.Context, filter LinkFilter, now time.Time) ([]*Link, error)
}

// LinkWriter is what packages that have one-time links need to change in storage.
type LinkWriter interface {
	LinkReader
	AddLink(ctx context.Context, link *Link) error
	// TakeLink returns what Link does, and removes the link. Of several transactions
	// that take a link, one gets it.
	TakeLink(ctx context.Context, kind LinkKind, tokenHash []byte, now time.Time) (*Link, error)
	// RemoveLinks removes the links that any of the filters selects, and returns how many.
	RemoveLinks(ctx context.Context, filters ...LinkFilter) (int64, error)
	RemoveExpiredLinks(ctx context.Context, now time.Time) error
}
