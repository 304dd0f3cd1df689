package api

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/partner"
)

func tooMany(message string, after time.Duration) *refusal.Error {
	return &refusal.Error{Code: refusal.CodeRateLimited, Message: message, RetryAfter: after}
}

// PartnerRate returns the rate of so many requests a minute. All of them may come
// in one burst.
func PartnerRate(perMinute int) throttle.Rate {
	return throttle.Rate{Limit: perMinute, Burst: perMinute, Per: time.Minute}
}

// admitPartner takes one request from the partner's rate, and refuses if none is
// left or the partner is suspended. The headers of the response say what is left
// (IETF draft-ietf-httpapi-ratelimit-headers).
func (s *Server) admitPartner(c *call) error {
	settings, err := s.config.Partners.Settings(c.Context(), c.partnerID)
	if err != nil {
		return err
	}
	if err := s.limitPartner(c, settings); err != nil {
		return err
	}
	return settings.Refusal()
}

func (s *Server) limitPartner(c *call, settings partner.Settings) error {
	perMinute := s.config.RateLimit
	if settings.RateLimit != partner.DefaultRate {
		perMinute = settings.RateLimit
	}
	if perMinute == 0 {
		return nil
	}
	verdict := s.takePartner(c, PartnerRate(perMinute))
	s.config.Observer.Limited(LimitPartner, verdict.Allowed)
	c.header.Set("RateLimit-Policy", fmt.Sprintf(`"partner";q=%d;w=60`, perMinute))
	c.header.Set("RateLimit", fmt.Sprintf(`"partner";r=%d;t=%s`, verdict.Remaining, wholeSeconds(verdict.Reset)))
	if !verdict.Allowed {
		return tooMany(fmt.Sprintf("more than %d requests a minute", perMinute), verdict.RetryAfter)
	}
	return nil
}

func (s *Server) takePartner(c *call, rate throttle.Rate) throttle.Verdict {
	if s.config.SharedRates != nil {
		return s.config.SharedRates.TakeAt(c.Context(), c.partnerID, rate)
	}
	return s.partners.TakeAt(c.partnerID, rate)
}

// limitUnauthenticated limits, per network, registrations and requests whose
// signature is refused.
func (s *Server) limitUnauthenticated(c *call) error {
	verdict := s.unauthenticated.Take(throttle.Network(s.address(c)))
	s.config.Observer.Limited(LimitAddress, verdict.Allowed)
	if !verdict.Allowed {
		return tooMany("too many requests from this address", verdict.RetryAfter)
	}
	return nil
}

// limitTracking limits public tracking per network.
func (s *Server) limitTracking(c *call) error {
	verdict := s.tracking.Take(throttle.Network(s.address(c)))
	s.config.Observer.Limited(LimitTracking, verdict.Allowed)
	if !verdict.Allowed {
		return tooMany("too many tracking requests from this address", verdict.RetryAfter)
	}
	return nil
}

// address returns the client's address. It follows X-Forwarded-For from right to
// left, starting at the peer, as long as the address so far is a trusted proxy.
func (s *Server) address(c *call) string {
	peer, _, err := net.SplitHostPort(c.RemoteAddr)
	if err != nil {
		return c.RemoteAddr
	}
	forwarded := strings.Split(strings.Join(c.Header.Values("X-Forwarded-For"), ","), ",")
	for _, previous := range slices.Backward(forwarded) {
		if !s.trusts(peer) || previous == "" {
			break
		}
		peer = strings.TrimSpace(previous)
	}
	return peer
}

func (s *Server) trusts(peer string) bool {
	address, err := netip.ParseAddr(peer)
	return err == nil && slices.ContainsFunc(s.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address.Unmap()) })
}
