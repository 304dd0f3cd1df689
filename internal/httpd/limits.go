package httpd

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// TooMany refuses a request that goes beyond a limit, until a time is over.
func TooMany(message string, after time.Duration) *refusal.Error {
	return &refusal.Error{Code: refusal.CodeRateLimited, Message: message, RetryAfter: after}
}

// PerMinute returns the rate of so many requests a minute. All of them may come in
// one burst.
func PerMinute(requests int) throttle.Rate {
	return throttle.Rate{Limit: requests, Burst: requests, Per: time.Minute}
}

// perDay returns the rate of a limit per day, all of which may be used together.
func perDay(times int) throttle.Rate {
	return throttle.Rate{Limit: times, Burst: times, Per: 24 * time.Hour}
}

// LimitRegistrations runs a registration if the network may register another account, and
// counts it unless it is refused. registered reports whether an account was registered.
func (c *Call) LimitRegistrations(register func() (answer Reply, registered bool, err error)) (Reply, error) {
	address := c.Address()
	if verdict := c.server.registrations.Peek(address); !verdict.Allowed {
		c.server.config.Observer.Limited(LimitAddress, false)
		return Reply{}, TooMany("too many accounts have been registered from this address", verdict.RetryAfter)
	}
	answer, registered, err := register()
	if registered {
		c.server.registrations.Take(address)
	}
	return answer, err
}

// admitAccount takes one request from the partner's rate, and refuses if none is
// left, the partner is suspended, or too many of its requests are in flight. The
// headers of the response say what is left
// (IETF draft-ietf-httpapi-ratelimit-headers).
func (s *Server) admitAccount(c *Call) error {
	c.Payer = c.Account
	terms, err := s.config.Callers.Terms(c.Context(), c.Account)
	if err != nil {
		return err
	}
	if terms.RateLimit > 0 {
		if err := s.charge(c, terms.RateLimit, 1); err != nil {
			return err
		}
	}
	if terms.Refused != nil {
		return terms.Refused
	}
	if err := s.limitNewcomer(c, terms.Newcomer); err != nil {
		return err
	}
	return s.enter(c)
}

// limitNewcomer limits the changes of a new account, each of which may leave an entry in
// the audit log or an event for good. What a quota limits is not counted.
func (s *Server) limitNewcomer(c *Call, newcomer string) error {
	if newcomer == "" || c.Method == http.MethodGet || c.Method == http.MethodHead || c.Route.Quota {
		return nil
	}
	verdict := s.newcomers.Take(newcomer)
	if !verdict.Allowed {
		s.config.Observer.Limited(LimitPartner, false)
		return TooMany("this account is new, and has made too many changes today", verdict.RetryAfter)
	}
	return nil
}

// Charge takes what a request counts as beyond the one that was taken when
// it was admitted; it takes all or nothing. A request that counts as more than the
// rate allows in a burst takes the whole burst.
func (c *Call) Charge(requests int) error {
	terms, err := c.server.config.Callers.Terms(c.Context(), c.Account)
	if err != nil {
		return err
	}
	if more := min(requests, terms.RateLimit) - 1; more > 0 {
		return c.server.charge(c, terms.RateLimit, more)
	}
	return nil
}

func (s *Server) charge(c *Call, perMinute, requests int) error {
	return s.judge(c, perMinute, s.take(c, PerMinute(perMinute), int64(requests)))
}

// peekAccount refuses a request of a partner whose rate is used up, and counts
// nothing.
func (s *Server) peekAccount(c *Call, account string) error {
	terms, err := s.config.Callers.Terms(c.Context(), account)
	if err != nil || terms.RateLimit == 0 {
		return err
	}
	peek := s.accounts.PeekAt
	if s.config.SharedRates != nil {
		peek = s.config.SharedRates.PeekAt
	}
	if verdict := peek(account, PerMinute(terms.RateLimit)); !verdict.Allowed {
		return s.judge(c, terms.RateLimit, verdict)
	}
	return nil
}

// judge reports a verdict in the headers of the response, and returns the refusal if
// it is one.
func (s *Server) judge(c *Call, perMinute int, verdict throttle.Verdict) error {
	s.config.Observer.Limited(LimitPartner, verdict.Allowed)
	c.ReplyHeader.Set("RateLimit-Policy", fmt.Sprintf(`"partner";q=%d;w=60`, perMinute))
	c.ReplyHeader.Set("RateLimit", fmt.Sprintf(`"partner";r=%d;t=%s`, verdict.Remaining, wholeSeconds(verdict.Reset)))
	if !verdict.Allowed {
		return TooMany(fmt.Sprintf("more than %d requests a minute", perMinute), verdict.RetryAfter)
	}
	return nil
}

func (s *Server) take(c *Call, rate throttle.Rate, requests int64) throttle.Verdict {
	payee := cmp.Or(c.payee, c.Account)
	if s.config.SharedRates != nil {
		return s.config.SharedRates.TakeMany(c.Context(), payee, rate, requests)
	}
	return s.accounts.TakeMany(payee, rate, requests)
}

// LimitStranger limits, per network, registrations and requests whose
// signature is refused.
func (c *Call) LimitStranger() error {
	verdict := c.server.unauthenticated.Take(c.Address())
	c.server.config.Observer.Limited(LimitAddress, verdict.Allowed)
	if !verdict.Allowed {
		return tooManyFrom(verdict)
	}
	return nil
}

// tooManyFrom is the refusal of a network that has used up its limit.
func tooManyFrom(verdict throttle.Verdict) *refusal.Error {
	return TooMany("too many requests from this address", verdict.RetryAfter)
}

// limitTracking limits public tracking per network.
func (s *Server) limitTracking(c *Call) error {
	verdict := s.tracking.Take(c.Address())
	s.config.Observer.Limited(LimitTracking, verdict.Allowed)
	if !verdict.Allowed {
		return TooMany("too many tracking requests from this address", verdict.RetryAfter)
	}
	return nil
}

// Address returns the client's IP address. It follows X-Forwarded-For from right to
// left, starting at the peer, as long as the address so far is a trusted proxy. It
// stops at an entry that is not an address, which would let the client choose the
// text that its requests are counted under.
func (c *Call) Address() string {
	peer, err := netip.ParseAddrPort(c.RemoteAddr)
	if err != nil {
		return c.RemoteAddr
	}
	client := peer.Addr()
	forwarded := strings.Split(strings.Join(c.Header.Values("X-Forwarded-For"), ","), ",")
	for _, entry := range slices.Backward(forwarded) {
		previous, ok := forwardedAddress(strings.TrimSpace(entry))
		if !ok || !c.server.trusts(client) {
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
