package api

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signature"
)

var (
	errV2Required = unauthorized(reasonV2Required,
		`this key requires signatures of version 2: X-Signature must begin with "v2=" and cover query, headers and X-Nonce as well`)
	errNonceUsed = unauthorized(reasonNonceUsed, "this X-Nonce was used already: sign the request again with a new one")
	errNoNonce   = refusal.New(refusal.CodeBadRequest, "the header X-Nonce must have 16 to 64 visible characters")
)

// isV2 reports whether the request says that its signature is of version 2.
func (c *call) isV2() bool { return signature.IsV2(c.Header.Get("X-Signature")) }

// asV2 returns a request with what version 2 signs besides.
func (c *call) asV2(request signature.Request) signature.RequestV2 {
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
func (c *call) repeatedHeader(names []string) string {
	for _, name := range names {
		if len(c.Header[name]) > 1 {
			return name
		}
	}
	return ""
}

// refuseRepeated refuses a request in which a header was sent more than once that has one
// value. In a request whose signature covers the header, namedKey or verify refuses it.
func (c *call) refuseRepeated() error {
	for _, names := range [][]string{signingHeaders, singleHeaders} {
		if name := c.repeatedHeader(names); name != "" {
			return refusal.New(refusal.CodeBadRequest, "the header "+name+" was sent more than once")
		}
	}
	return nil
}

// changesNothingSigned are the signed routes that change nothing although their method is
// that of a change.
var changesNothingSigned = map[string]bool{"/v1/rates/quote": true, "/v1/orders/validate": true}

// useNonce uses up the nonce of a request with a signature of version 2 that may change
// something. It comes last before the handler: a request that is refused for its rate, say,
// can be sent again as it is. A change that fails has used its nonce, and its retry has
// another one.
func (s *Server) useNonce(c *call, route Route) error {
	if !c.isV2() || c.Method == http.MethodGet || c.Method == http.MethodHead || changesNothingSigned[route.Pattern] {
		return nil
	}
	nonce := c.Header.Get("X-Nonce")
	switch {
	case nonce == "":
		return unauthorized(reasonMissingHeader, "the header X-Nonce is missing")
	case !signature.IsNonce(nonce):
		return errNoNonce
	}
	isNew, err := s.config.Partners.UseNonce(c.Context(), partner.Nonce{
		PartnerID: c.partnerID, KeyID: c.keyID, Text: nonce, SignedAt: signature.Time(c.Header.Get("X-Timestamp")),
	})
	if err != nil || isNew {
		return err
	}
	if err := s.limitUnauthenticated(c); err != nil {
		return err
	}
	return errNonceUsed
}
