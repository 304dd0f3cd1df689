package httpd

import (
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/foundation/tracing"
	"github.com/dropyard/dropyard/internal/signature"
)

// authenticateSigned checks the signature of a request (docs/contract.md, Signatures), and then
// the partner's rate and suspension, what the key permits, and the nonce. A request whose signature is refused
// counts against the rate of its network, never against a partner's.
func (s *Server) authenticateSigned(c *Call) error {
	_, span := s.config.Tracer.Start(c.Context(), "verify signature", tracing.Internal)
	key, err := s.verify(c)
	span.End()
	if refusal.HasCode(err, refusal.CodeUnauthorized) {
		c.unverified = err
		if err := c.LimitStranger(); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	c.Account, c.Key = key.Account, key
	if err := s.admitAccount(c); err != nil {
		return err
	}
	if err := s.config.Callers.PermitKey(c, key); err != nil {
		return err
	}
	return s.useNonce(c)
}

// authenticateSession accepts a request in a session whose user may use the route. It
// counts against the partner's rate like a signed one.
func (s *Server) authenticateSession(c *Call) error {
	if err := c.RefuseCrossSite(); err != nil {
		return err
	}
	if err := s.config.Callers.User(c); err != nil {
		return err
	}
	if c.Route.Access == AccessPage {
		c.payee = c.PersonID
	}
	return s.admitAccount(c)
}

type reason string

const (
	reasonMissingHeader     reason = "missing_header"
	reasonUnknownKey        reason = "unknown_key"
	reasonTimestampSkew     reason = "timestamp_skew"
	reasonSignatureMismatch reason = "signature_mismatch"
	reasonV2Required        reason = "v2_required"
	reasonNonceUsed         reason = "nonce_used"
)

type unauthorizedDetails struct {
	Reason     reason    `json:"reason"`
	ServerTime time.Time `json:"server_time,omitzero"`
}

func unauthorized(why reason, message string) *refusal.Error {
	return &refusal.Error{Code: refusal.CodeUnauthorized, Message: message, Details: unauthorizedDetails{Reason: why}}
}

var errUnknownKey = unauthorized(reasonUnknownKey, "this API key does not exist or has been revoked")

var errMismatch = unauthorized(reasonSignatureMismatch, "X-Signature does not match this request and key")

// signatureHeaders are the headers of every signed request.
var signatureHeaders = signingHeaders[:3]

// namedKey returns the key that the request says it is signed with. It refuses with
// unauthorized if there is none.
func (s *Server) namedKey(c *Call) (key *Key, err error) {
	for _, name := range signatureHeaders {
		if c.Header.Get(name) == "" {
			return nil, unauthorized(reasonMissingHeader, "the header "+name+" is missing")
		}
	}
	if c.repeatedHeader(signatureHeaders) != "" {
		return nil, mismatch(c)
	}
	if publicKey := c.Header.Get("X-Api-Key"); form.IsText(publicKey) { // PostgreSQL fails on other bytes
		key, err = s.config.Callers.Key(c.Context(), publicKey)
	}
	if err == nil && key == nil {
		err = errUnknownKey
	}
	return key, err
}

// verify returns the key that the request is signed with. It refuses with
// unauthorized if the signature does not hold.
func (s *Server) verify(c *Call) (*Key, error) {
	key, err := s.namedKey(c)
	if err != nil {
		return nil, err
	}
	c.namedKey = key
	sentAt := c.Header.Get("X-Timestamp")
	if !c.isSignedWith(key.Secret) {
		return nil, mismatch(c)
	}
	if now := s.config.MachineNow(); !signature.Fresh(sentAt, now) {
		return nil, &refusal.Error{
			Code: refusal.CodeUnauthorized,
			Message: fmt.Sprintf("X-Timestamp must be Unix seconds within %.0f s of the server's clock",
				signature.MaxSkew.Seconds()) + hint(c),
			Details: unauthorizedDetails{Reason: reasonTimestampSkew, ServerTime: timestamp.Truncate(now)},
		}
	}
	if key.RequireV2 && !c.isV2() {
		return nil, errV2Required
	}
	s.config.Callers.KeyUsed(key)
	return key, nil
}

// isSignedWith reports whether the request's signature is one with a secret.
func (c *Call) isSignedWith(secret []byte) bool {
	sent := c.Header.Get("X-Signature")
	request := signature.Request{
		Timestamp: c.Header.Get("X-Timestamp"), Method: c.Method, Path: c.sentPath(), Body: c.Content,
	}
	if c.isV2() {
		return c.repeatedHeader(signingHeaders) == "" && c.asV2(request).Verify(secret, sent)
	}
	return request.Verify(secret, sent) && !request.ReadsAsV2()
}

// mismatch returns errMismatch, with what is wrong with the form of the headers.
// That is known to the caller already.
func mismatch(c *Call) error {
	if found := hint(c); found != "" {
		return unauthorized(reasonSignatureMismatch, errMismatch.Message+found)
	}
	return errMismatch
}

// milliseconds is the number of digits of Unix time in milliseconds, until 2286.
const milliseconds = 13

// hint returns what is wrong with the form of the headers of a signature, as the
// end of a message; empty if nothing is.
func hint(c *Call) string {
	signed := signatureHeaders
	if c.isV2() {
		signed = signingHeaders
	}
	repeated := c.repeatedHeader(signed)
	switch {
	case repeated != "":
		return ": the header " + repeated + " was sent more than once"
	case !c.isV2() && !strings.HasPrefix(c.Header.Get("X-Signature"), "v1="):
		return `: X-Signature must begin with "v1=" or "v2="`
	case len(c.Header.Get("X-Timestamp")) == milliseconds:
		return ": X-Timestamp is in milliseconds, not seconds"
	default:
		return ""
	}
}

// keyID returns the id of the key that the request was signed with; empty in a session.
func (c *Call) keyID() string {
	if c.Key == nil {
		return ""
	}
	return c.Key.ID
}

// namedKeyID returns the id of the key that the request names; empty if there is none.
func (c *Call) namedKeyID() string {
	if c.namedKey == nil {
		return ""
	}
	return c.namedKey.ID
}

// sentPath returns the path as it was sent, with its escapes, because that is what
// is signed. Only a request to a proxy has a RequestURI that is more than a path.
func (c *Call) sentPath() string {
	if !strings.HasPrefix(c.RequestURI, "/") {
		return c.URL.EscapedPath()
	}
	sent, _, _ := strings.Cut(c.RequestURI, "?")
	return sent
}
