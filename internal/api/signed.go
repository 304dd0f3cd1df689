package api

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/throttle"
	"github.com/google/uuid"
)

// authenticate checks the signature of a request (interface section 5.1) and
// then spends one of the partner's requests. A request that fails to sign is
// counted against its address, never against a partner.
func (s *Server) authenticate(c *call) error {
	partnerID, refusal, err := s.verify(c)
	if err != nil {
		return err
	}
	if refusal != nil {
		if err := s.limitStranger(c); err != nil {
			return err
		}
		return refusal
	}
	c.partnerID = partnerID
	return s.limitPartner(c)
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

func unauthorized(why reason, message string) *delivery.Error {
	return &delivery.Error{Code: delivery.CodeUnauthorized, Message: message, Details: unauthorizedDetails{Reason: why}}
}

// verify finds out who signed the request, or why nobody did.
func (s *Server) verify(c *call) (partnerID string, refusal *delivery.Error, err error) {
	for _, name := range []string{"X-Api-Key", "X-Timestamp", "X-Signature"} {
		if c.Header.Get(name) == "" {
			return "", unauthorized(reasonMissingHeader, "the header "+name+" is missing"), nil
		}
	}
	timestamp, signed := c.Header.Get("X-Timestamp"), c.Header.Get("X-Signature")
	key, err := s.Partners.SigningKey(c.Context(), c.Header.Get("X-Api-Key"))
	if err != nil {
		return "", nil, err
	}
	if key == nil {
		return "", unauthorized(reasonUnknownKey, "this API key does not exist or has been revoked"), nil
	}
	request := signature.Request{Timestamp: timestamp, Method: c.Method, Path: c.URL.EscapedPath(), Body: c.body}
	if !request.Verify(key.Secret, signed) {
		return "", unauthorized(reasonSignatureMismatch, "X-Signature does not fit this request and key"), nil
	}
	if now := s.Now(); !signature.Fresh(timestamp, now) {
		return "", &delivery.Error{
			Code:    delivery.CodeUnauthorized,
			Message: fmt.Sprintf("X-Timestamp must be Unix seconds within %v of the server's clock", signature.MaxSkew),
			Details: unauthorizedDetails{Reason: reasonTimestampSkew, ServerTime: now.UTC().Truncate(time.Millisecond)},
		}, nil
	}
	s.Partners.Used(key)
	return key.PartnerID, nil, nil
}

func tooMany(message string, after time.Duration) *delivery.Error {
	return &delivery.Error{Code: delivery.CodeRateLimited, Message: message, RetryAfter: after}
}

// limitPartner spends one request of the partner's rate, and tells in the
// headers what is left (IETF draft-ietf-httpapi-ratelimit-headers).
func (s *Server) limitPartner(c *call) error {
	if s.RateLimit == 0 {
		return nil
	}
	verdict := s.partners.Take(c.partnerID)
	c.header.Set("RateLimit-Policy", fmt.Sprintf(`"partner";q=%d;w=60`, s.RateLimit))
	c.header.Set("RateLimit", fmt.Sprintf(`"partner";r=%d;t=%s`, verdict.Remaining, wholeSeconds(verdict.Reset)))
	if !verdict.Allowed {
		return tooMany(fmt.Sprintf("more than %d requests a minute", s.RateLimit), verdict.RetryAfter)
	}
	return nil
}

// limitStranger bounds, per network, what those do whom nobody vouches for.
func (s *Server) limitStranger(c *call) error {
	if verdict := s.strangers.Take(throttle.Network(c.address())); !verdict.Allowed {
		return tooMany("too many requests from this address", verdict.RetryAfter)
	}
	return nil
}

// limitTracking bounds public tracking per network.
func (s *Server) limitTracking(c *call) error {
	if verdict := s.trackers.Take(throttle.Network(c.address())); !verdict.Allowed {
		return tooMany("too many tracking requests", verdict.RetryAfter)
	}
	return nil
}

// authenticateOperator checks the bearer token of an operator and its role.
func (s *Server) authenticateOperator(c *call, roles []operator.Role) error {
	token, ok := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return delivery.Refuse(delivery.CodeUnauthorized, "send a token of POST /ops/v1/tokens as Authorization: Bearer")
	}
	found, err := s.Operators.ByToken(c.Context(), token)
	if err != nil {
		return err
	}
	if found == nil {
		return delivery.Refuse(delivery.CodeUnauthorized, "this token does not exist or has expired")
	}
	if !slices.Contains(roles, found.Role) {
		return delivery.Refuse(delivery.CodeForbidden, fmt.Sprintf("the role %s may not do this", found.Role))
	}
	c.operator = found
	return nil
}

// idempotencyKey reads the header that makes a retry safe: a bare UUID of any
// version.
func (c *call) idempotencyKey() (uuid.UUID, error) {
	const bare = 36
	header := c.Header.Get("Idempotency-Key")
	key, err := uuid.Parse(header)
	if err != nil || len(header) != bare {
		return uuid.UUID{}, delivery.Refuse(delivery.CodeBadRequest, "the header Idempotency-Key must be a UUID")
	}
	return key, nil
}

var errWebhookNotConfigured = delivery.Refuse(delivery.CodeWebhookNotConfigured, "no webhook endpoint is configured")

// optionalJSON parses a body that may be left out; nil if it is.
func (c *call) optionalJSON() (delivery.Source, error) {
	if len(c.body) == 0 {
		return nil, nil
	}
	return c.json()
}
