package api

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/partner"
)

func tooMany(message string, after time.Duration) *refusal.Error {
	return &refusal.Error{Code: refusal.CodeRateLimited, Message: message, RetryAfter: after}
}

// PartnerRate returns the rate of a partner that may make so many requests a
// minute.
func PartnerRate(requests int) throttle.Rate { return perMinute(requests) }

// perMinute returns the rate of so many requests a minute. All of them may come in
// one burst.
func perMinute(requests int) throttle.Rate {
	return throttle.Rate{Limit: requests, Burst: requests, Per: time.Minute}
}

// perDay returns the rate of a limit per day, all of which may be used together.
func perDay(times int) throttle.Rate {
	return throttle.Rate{Limit: times, Burst: times, Per: 24 * time.Hour}
}

// limitRegistrations runs a registration if the network may register another account, and
// counts it unless it is refused. registered reports whether an account was registered.
func (s *Server) limitRegistrations(c *call, register func() (answer reply, registered bool, err error)) (reply, error) {
	address := s.address(c)
	if verdict := s.registrations.Peek(address); !verdict.Allowed {
		s.config.Observer.Limited(LimitAddress, false)
		return reply{}, tooMany("too many accounts have been registered from this address", verdict.RetryAfter)
	}
	answer, registered, err := register()
	if registered {
		s.registrations.Take(address)
	}
	return answer, err
}

// admitPartner takes one request from the partner's rate, and refuses if none is
// left, the partner is suspended, or too many of its requests are in flight. The
// headers of the response say what is left
// (IETF draft-ietf-httpapi-ratelimit-headers).
func (s *Server) admitPartner(c *call) error {
	c.payer = c.partnerID
	settings, err := s.config.Partners.Settings(c.Context(), c.partnerID)
	if err != nil {
		return err
	}
	if err := s.limitPartner(c, settings); err != nil {
		return err
	}
	if err := settings.Refusal(); err != nil {
		return err
	}
	if err := s.limitNewcomer(c, settings); err != nil {
		return err
	}
	return s.enter(c)
}

// limitNewcomer limits the changes of a new account, each of which may leave an entry in
// the audit log or an event for good. Programs' orders and quotes are not counted: the
// quota of stored bytes limits them.
func (s *Server) limitNewcomer(c *call, settings partner.Settings) error {
	if c.Method == http.MethodGet || c.Method == http.MethodHead || settings.Established(s.config.Now()) ||
		strings.HasPrefix(c.Pattern, "/v1/orders") || strings.HasPrefix(c.Pattern, "/v1/rates") {
		return nil
	}
	verdict := s.newcomers.Take(delivery.LiveAccount(c.partnerID))
	if !verdict.Allowed {
		s.config.Observer.Limited(LimitPartner, false)
		return tooMany("this account is new, and has made too many changes today", verdict.RetryAfter)
	}
	return nil
}

// limitPartner takes one request from the partner's rate.
func (s *Server) limitPartner(c *call, settings partner.Settings) error {
	if perMinute := s.perMinute(settings); perMinute > 0 {
		return s.charge(c, perMinute, 1)
	}
	return nil
}

// chargePartner takes what a request counts as beyond the one that was taken when
// it was admitted; it takes all or nothing. A request that counts as more than the
// rate allows in a burst takes the whole burst.
func (s *Server) chargePartner(c *call, requests int) error {
	settings, err := s.config.Partners.Settings(c.Context(), c.partnerID)
	if err != nil {
		return err
	}
	perMinute := s.perMinute(settings)
	if more := min(requests, perMinute) - 1; more > 0 {
		return s.charge(c, perMinute, more)
	}
	return nil
}

// perMinute returns how many requests a minute a partner may make; 0 means no
// limit.
func (s *Server) perMinute(settings partner.Settings) int {
	if settings.RateLimit != partner.DefaultRate {
		return settings.RateLimit
	}
	return s.config.RateLimit
}

func (s *Server) charge(c *call, perMinute, requests int) error {
	return s.judge(c, perMinute, s.takePartner(c, PartnerRate(perMinute), int64(requests)))
}

// peekPartner refuses a request of a partner whose rate is used up, and counts
// nothing.
func (s *Server) peekPartner(c *call, partnerID string) error {
	settings, err := s.config.Partners.Settings(c.Context(), partnerID)
	if err != nil {
		return err
	}
	perMinute := s.perMinute(settings)
	if perMinute == 0 {
		return nil
	}
	peek := s.partners.PeekAt
	if s.config.SharedRates != nil {
		peek = s.config.SharedRates.PeekAt
	}
	if verdict := peek(partnerID, PartnerRate(perMinute)); !verdict.Allowed {
		return s.judge(c, perMinute, verdict)
	}
	return nil
}

// judge reports a verdict in the headers of the response, and returns the refusal if
// it is one.
func (s *Server) judge(c *call, perMinute int, verdict throttle.Verdict) error {
	s.config.Observer.Limited(LimitPartner, verdict.Allowed)
	c.header.Set("RateLimit-Policy", fmt.Sprintf(`"partner";q=%d;w=60`, perMinute))
	c.header.Set("RateLimit", fmt.Sprintf(`"partner";r=%d;t=%s`, verdict.Remaining, wholeSeconds(verdict.Reset)))
	if !verdict.Allowed {
		return tooMany(fmt.Sprintf("more than %d requests a minute", perMinute), verdict.RetryAfter)
	}
	return nil
}

func (s *Server) takePartner(c *call, rate throttle.Rate, requests int64) throttle.Verdict {
	payee := cmp.Or(c.payee, c.partnerID)
	if s.config.SharedRates != nil {
		return s.config.SharedRates.TakeMany(c.Context(), payee, rate, requests)
	}
	return s.partners.TakeMany(payee, rate, requests)
}

// limitUnauthenticated limits, per network, registrations and requests whose
// signature is refused.
func (s *Server) limitUnauthenticated(c *call) error {
	verdict := s.unauthenticated.Take(s.address(c))
	s.config.Observer.Limited(LimitAddress, verdict.Allowed)
	if !verdict.Allowed {
		return tooManyFrom(verdict)
	}
	return nil
}

// tooManyFrom is the refusal of a network that has used up its limit.
func tooManyFrom(verdict throttle.Verdict) *refusal.Error {
	return tooMany("too many requests from this address", verdict.RetryAfter)
}

// limitTracking limits public tracking per network.
func (s *Server) limitTracking(c *call) error {
	verdict := s.tracking.Take(s.address(c))
	s.config.Observer.Limited(LimitTracking, verdict.Allowed)
	if !verdict.Allowed {
		return tooMany("too many tracking requests from this address", verdict.RetryAfter)
	}
	return nil
}

// address returns the client's IP address. It follows X-Forwarded-For from right to
// left, starting at the peer, as long as the address so far is a trusted proxy. It
// stops at an entry that is not an address, which would let the client choose the
// text that its requests are counted under.
func (s *Server) address(c *call) string {
	peer, err := netip.ParseAddrPort(c.RemoteAddr)
	if err != nil {
		return c.RemoteAddr
	}
	client := peer.Addr()
	forwarded := strings.Split(strings.Join(c.Header.Values("X-Forwarded-For"), ","), ",")
	for _, entry := range slices.Backward(forwarded) {
		previous, ok := forwardedAddress(strings.TrimSpace(entry))
		if !ok || !s.trusts(client) {
			break
		}
		client = previous
	}
	return client.String()
}

// forwardedAddress returns the address in an entry of X-Forwarded-For. Some proxies
// add the client's port, and some write IPv6 addresses in brackets.
func forwardedAddress(entry string) (address netip.Addr, ok bool) {
	if withPort, err := netip.ParseAddrPort(entry); err == nil {
		return withPort.Addr(), true
	}
	if strings.HasPrefix(entry, "[") && strings.HasSuffix(entry, "]") {
		entry = entry[1 : len(entry)-1]
	}
	address, err := netip.ParseAddr(entry)
	return address, err == nil
}

func (s *Server) trusts(peer netip.Addr) bool {
	peer = peer.Unmap().WithZone("")
	return slices.ContainsFunc(s.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(peer) })
}
