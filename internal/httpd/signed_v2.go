package httpd

import (
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signature"
)

var (
	errV2Required = unauthorized(reasonV2Required,
		`this key requires signatures of version 2: X-Signature must begin with "v2=" and cover query, headers and X-Nonce as well`)
	errNonceUsed = unauthorized(reasonNonceUsed, "this X-Nonce was used already: sign the request again with a new one")
	errNoNonce   = refusal.New(refusal.CodeBadRequest, "the header X-Nonce must have 16 to 64 visible characters")
)

// isV2 reports whether the request says that its signature is of version 2.
func (c *Call) isV2() bool { return signature.IsV2(c.Header.Get("X-Signature")) }

// asV2 returns a request with what version 2 signs besides.
func (c *Call) asV2(request signature.Request) signature.RequestV2 {
	return signature.RequestV2{
		Request: request, Query: c.URL.RawQuery, IdempotencyKey: c.Header.Get("Idempotency-Key"),
		ContentType: c.Header.Get("Content-Type"), Nonce: c.Header.Get("X-Nonce"),
	}
}

// signingHeaders are the headers that a signature consists of, or that version 2 signs.
var signingHeaders = []string{"X-Api-Key", "X-Timestamp", "X-Signature", "X-Nonce", "Idempotency-Key", "Content-Type"}

// singleHeaders are the other headers of which the service reads one value.
var singleHeaders = []string{"Authorization", "Content-Encoding", "X-Partner-Email", "X-Partner-Password"}

// repeatedHeader returns the first of the headers that was sent more than once; empty if
// none was. The service reads the first value, and a proxy in front of it may go by the last.
func (c *Call) repeatedHeader(names []string) string {
	for _, name := range names {
		if len(c.Header[name]) > 1 {
			return name
		}
	}
	return ""
}

// refuseRepeated refuses a request in which a header was sent more than once that has one
// value. In a request whose signature covers the header, namedKey or verify refuses it.
func (c *Call) refuseRepeated() error {
	for _, names := range [][]string{signingHeaders, singleHeaders} {
		if name := c.repeatedHeader(names); name != "" {
			return refusal.New(refusal.CodeBadRequest, "the header "+name+" was sent more than once")
		}
	}
	return nil
}

// useNonce uses up the nonce of a request with a signature of version 2 that may change
// something. It comes last before the handler: a request that is refused for its rate, say,
// can be sent again as it is. A change that fails has used its nonce, and its retry has
// another one.
func (s *Server) useNonce(c *Call) error {
	if !c.isV2() || c.Route.changesNothing() {
		return nil
	}
	nonce := c.Header.Get("X-Nonce")
	switch {
	case nonce == "":
		return unauthorized(reasonMissingHeader, "the header X-Nonce is missing")
	case !signature.IsNonce(nonce):
		return errNoNonce
	}
	isNew, err := s.config.Callers.UseNonce(c.Context(), c.Key, nonce, signature.Time(c.Header.Get("X-Timestamp")))
	if err != nil || isNew {
		return err
	}
	if err := c.LimitStranger(); err != nil {
		return err
	}
	return errNonceUsed
}
