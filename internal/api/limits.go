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

// PartnerRate is the rate of so many requests a minute, which may come all at
// once.
func PartnerRate(perMinute int) throttle.Rate {
	return throttle.Rate{Limit: perMinute, Burst: perMinute, Per: time.Minute}
}

// admitPartner spends one request of the partner's rate, and tells in the
// headers what is left (IETF draft-ietf-httpapi-ratelimit-headers). Then it
// refuses a partner who is suspended.
func (s *Server) admitPartner(c *call) error {
	settings, err := s.Partners.Settings(c.Context(), c.partnerID)
	if err != nil {
		return err
	}
	if err := s.limitPartner(c, settings); err != nil {
		return err
	}
	return settings.Refusal()
}

func (s *Server) limitPartner(c *call, settings partner.Settings) error {
	perMinute := s.RateLimit
	if settings.RateLimit != partner.DefaultRate {
		perMinute = settings.RateLimit
	}
	if perMinute == 0 {
		return nil
	}
	verdict := s.takePartner(c, PartnerRate(perMinute))
	s.Observer.Limited(LimitPartner, verdict.Allowed)
	c.header.Set("RateLimit-Policy", fmt.Sprintf(`"partner";q=%d;w=60`, perMinute))
	c.header.Set("RateLimit", fmt.Sprintf(`"partner";r=%d;t=%s`, verdict.Remaining, wholeSeconds(verdict.Reset)))
	if !verdict.Allowed {
		return tooMany(fmt.Sprintf("more than %d requests a minute", perMinute), verdict.RetryAfter)
	}
	return nil
}

func (s *Server) takePartner(c *call, rate throttle.Rate) throttle.Verdict {
	if s.SharedRates != nil {
		return s.SharedRates.TakeAt(c.Context(), c.partnerID, rate)
	}
	return s.partners.TakeAt(c.partnerID, rate)
}

// limitStranger bounds, per network, what those do whom nobody vouches for.
func (s *Server) limitStranger(c *call) error {
	verdict := s.strangers.Take(throttle.Network(s.address(c)))
	s.Observer.Limited(LimitAddress, verdict.Allowed)
	if !verdict.Allowed {
		return tooMany("too many requests from this address", verdict.RetryAfter)
	}
	return nil
}

// limitTracking bounds public tracking per network.
func (s *Server) limitTracking(c *call) error {
	verdict := s.trackers.Take(throttle.Network(s.address(c)))
	s.Observer.Limited(LimitTracking, verdict.Allowed)
	if !verdict.Allowed {
		return tooMany("too many tracking requests", verdict.RetryAfter)
	}
	return nil
}

// address is where the request came from: the peer, or, where that is a proxy of
// ours, whoever the nearest proxy that is not ours names.
func (s *Server) address(c *call) string {
	peer, _, err := net.SplitHostPort(c.RemoteAddr)
	if err != nil {
		return c.RemoteAddr
	}
	forwarded := strings.Split(strings.Join(c.Header.Values("X-Forwarded-For"), ","), ",")
	for _, before := range slices.Backward(forwarded) {
		if !s.trusts(peer) || before == "" {
			break
		}
		peer = strings.TrimSpace(before)
	}
	return peer
}

func (s *Server) trusts(peer string) bool {
	address, err := netip.ParseAddr(peer)
	return err == nil && slices.ContainsFunc(s.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address.Unmap()) })
}
