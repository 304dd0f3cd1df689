package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signature"
)

// authenticate checks the signature of a request (interface section 5.1), and then
// the partner's rate and suspension. A request whose signature is refused counts
// against the rate of its network, never against a partner's.
func (s *Server) authenticate(c *call) error {
	key, refused, err := s.verify(c)
	if err != nil {
		return err
	}
	if refused != nil {
		if err := s.limitUnauthenticated(c); err != nil {
			return err
		}
		return refused
	}
	c.partnerID, c.secret = key.PartnerID, key.Secret
	return s.admitPartner(c)
}

// authenticatePartner accepts a signed request or one in a session; both count
// against the partner's rate. A key wins over the session: a client sends it on
// purpose, a browser sends its cookie always.
func (s *Server) authenticatePartner(c *call) error {
	if c.Header.Get("X-Api-Key") != "" || c.sessionToken() == "" {
		return s.authenticate(c)
	}
	if err := s.refuseCrossSite(c); err != nil {
		return err
	}
	found, err := s.sessionPartner(c)
	if err != nil {
		return err
	}
	c.partnerID = found.PartnerID
	return s.admitPartner(c)
}

type reason string

const (
	reasonMissingHeader     reason = "missing_header"
	reasonUnknownKey        reason = "unknown_key"
	reasonTimestampSkew     reason = "timestamp_skew"
	reasonSignatureMismatch reason = "signature_mismatch"
)

type unauthorizedDetails struct {
	Reason     reason    `json:"reason"`
	ServerTime time.Time `json:"server_time,omitzero"`
}

func unauthorized(why reason, message string) *refusal.Error {
	return &refusal.Error{Code: refusal.CodeUnauthorized, Message: message, Details: unauthorizedDetails{Reason: why}}
}

// verify returns the key that the request is signed with, or the refusal if the
// signature does not hold.
func (s *Server) verify(c *call) (key *partner.SigningKey, refused *refusal.Error, err error) {
	for _, name := range []string{"X-Api-Key", "X-Timestamp", "X-Signature"} {
		if c.Header.Get(name) == "" {
			return nil, unauthorized(reasonMissingHeader, "the header "+name+" is missing"), nil
		}
	}
	sentAt, signed := c.Header.Get("X-Timestamp"), c.Header.Get("X-Signature")
	if publicKey := c.Header.Get("X-Api-Key"); isText(publicKey) { // PostgreSQL fails on other bytes
		key, err = s.config.Partners.SigningKey(c.Context(), publicKey)
	}
	if err != nil {
		return nil, nil, err
	}
	if key == nil {
		return nil, unauthorized(reasonUnknownKey, "this API key does not exist or has been revoked"), nil
	}
	request := signature.Request{Timestamp: sentAt, Method: c.Method, Path: c.sentPath(), Body: c.body}
	if !request.Verify(key.Secret, signed) {
		return nil, unauthorized(reasonSignatureMismatch, "X-Signature does not match this request and key"), nil
	}
	if now := s.config.Now(); !signature.Fresh(sentAt, now) {
		return nil, &refusal.Error{
			Code:    refusal.CodeUnauthorized,
			Message: fmt.Sprintf("X-Timestamp must be Unix seconds within %.0f s of the server's clock", signature.MaxSkew.Seconds()),
			Details: unauthorizedDetails{Reason: reasonTimestampSkew, ServerTime: timestamp.Truncate(now)},
		}, nil
	}
	s.config.Partners.Used(key)
	return key, nil, nil
}

// sentPath returns the path as it was sent, with its escapes, because that is what
// is signed. Only a request to a proxy has a RequestURI that is more than a path.
func (c *call) sentPath() string {
	if !strings.HasPrefix(c.RequestURI, "/") {
		return c.URL.EscapedPath()
	}
	sent, _, _ := strings.Cut(c.RequestURI, "?")
	return sent
}
