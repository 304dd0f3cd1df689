package httpd

import (
	"errors"
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
)

// noteSecurity writes a security event if a refusal can be part of an attack. status is
// that of the reply if err is nil.
func (s *Server) noteSecurity(c *Call, status int, err error) {
	event := securityEvent(c, status, err)
	if event == "" {
		return
	}
	s.config.Security.Report(c.Context(), event,
		"address", c.Address(), "key_id", c.namedKeyID(), "partner_id", c.Account, "person_id", c.PersonID,
		"method", c.Method, "route", c.Pattern, "request_id", c.RequestID)
}

// signatureEvents are the events of refused signatures. A request without the headers of
// one is no attack.
var signatureEvents = map[reason]securitylog.Event{
	reasonUnknownKey:        securitylog.SignatureUnknownKey,
	reasonSignatureMismatch: securitylog.SignatureForged,
	reasonTimestampSkew:     securitylog.SignatureStale,
	reasonNonceUsed:         securitylog.SignatureReplayed,
	reasonV2Required:        securitylog.SignatureWeak,
}

func securityEvent(c *Call, status int, err error) securitylog.Event {
	var refused *refusal.Error
	switch {
	case err == nil && status == http.StatusNotFound && strings.Contains(c.Pattern, "{token}"):
		return securitylog.LinkRefused // a page says so
	case err == nil, !errors.As(err, &refused):
		return ""
	case errors.Is(err, errOtherSite):
		return securitylog.CrossSiteRefused
	case errors.Is(err, credential.ErrNoLink):
		return securitylog.LinkRefused
	case refused.Code == refusal.CodeForbidden:
		return securitylog.AccessRefused
	}
	if c.unverified != nil { // the caller learns of the limit only, once the network has reached it
		_ = errors.As(c.unverified, &refused)
	}
	details, _ := refused.Details.(unauthorizedDetails)
	return signatureEvents[details.Reason]
}
