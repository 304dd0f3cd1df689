// Package outbound is the HTTP client that posts to partners' webhook endpoints
// and reaches nobody else. Partners choose the URLs, so each is a chance to make
// this service speak to machines that only it can reach. URLs are judged when
// they are set and when they are used, and every address when it is dialled:
// what a name means may change in between.
package outbound

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Policy says which endpoints may be reached.
type Policy struct {
	// Networks are reached although they are internal. With any, names that
	// only an internal resolver knows can be endpoints too.
	Networks []netip.Prefix
	// Insecure also lets in http:// URLs and the loopback addresses; for
	// development.
	Insecure bool
}

// maxURL is how many characters a URL may have.
const maxURL = 2048

// expectedError says what a URL ought to be: its text fits after "expected".
type expectedError string

func (e expectedError) Error() string { return string(e) }

// What is expected of a URL.
const (
	errHTTPS     expectedError = "an https URL such as https://hooks.example.com/dropyard"
	errHTTP      expectedError = "an http or https URL such as https://hooks.example.com/dropyard"
	errLength    expectedError = "a URL of at most 2048 characters"
	errASCII     expectedError = "a URL of ASCII characters without spaces; others percent-encoded, and in the host as xn--"
	errAnonymous expectedError = "a URL without a user name or password"
	errFragment  expectedError = "a URL without a fragment (#)"
	errHost      expectedError = "a URL whose host is a public domain name or a public IP address in its usual form"
	errPort      expectedError = "a URL whose port is 443 or from 1024 to 65535"
)

// CheckURL tells why a URL can be no endpoint; nil if it can. Names are judged
// by their form: what they resolve to is judged whenever it is dialled.
func (p Policy) CheckURL(text string) error {
	parsed, err := url.Parse(text)
	if err != nil {
		parsed = &url.URL{} // which has no scheme that is allowed
	}
	return p.check(text, parsed)
}

// check does the same with a URL that has been parsed.
func (p Policy) check(text string, parsed *url.URL) error {
	switch {
	case len(text) > maxURL:
		return errLength
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errASCII
	case parsed.Host == "" || !p.allowsScheme(parsed.Scheme):
		return p.schemeError()
	case parsed.User != nil:
		return errAnonymous
	case strings.Contains(text, "#"): // even an empty one
		return errFragment
	}
	return p.checkHost(parsed.Host)
}

func (p Policy) allowsScheme(scheme string) bool {
	return scheme == "https" || scheme == "http" && p.Insecure
}

func (p Policy) schemeError() error {
	if p.Insecure {
		return errHTTP
	}
	return errHTTPS
}

// checkHost judges a host and its port, as a URL has them.
func (p Policy) checkHost(hostport string) error {
	host, port, hasPort := splitHost(hostport)
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	loopback := p.Insecure && (ip.IsLoopback() || isUnder(host, "localhost"))
	switch {
	case err == nil && (!isUsual(ip, host) || !p.allows(ip)):
		return errHost
	case err != nil && !p.allowsName(host):
		return errHost
	case !hasPort:
		return nil
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || port != strconv.FormatUint(number, 10) || !p.allowsPort(uint16(number), loopback) {
		return errPort
	}
	return nil
}

// splitHost parts a host from its port; brackets stay with the host.
func splitHost(hostport string) (host, port string, hasPort bool) {
	if end := strings.LastIndexByte(hostport, ']'); end >= 0 {
		port, hasPort = strings.CutPrefix(hostport[end+1:], ":")
		return hostport[:end+1], port, hasPort
	}
	return strings.Cut(hostport, ":")
}

// isUsual tells whether an address is written in its one usual way: IPv6 in
// brackets, without a zone, and not an IPv4 address in disguise.
func isUsual(ip netip.Addr, host string) bool {
	if ip.Is4() {
		return host == ip.String()
	}
	return !ip.Is4In6() && ip.Zone() == "" && strings.EqualFold(host, "["+ip.String()+"]")
}

// allowsPort keeps out the services that the well-known ports belong to.
func (p Policy) allowsPort(port uint16, loopback bool) bool {
	return port == 443 || port >= 1024 || p.Insecure && (port == 80 || loopback)
}

// isOpen tells whether more than the public Internet may be reached.
func (p Policy) isOpen() bool { return p.Insecure || len(p.Networks) > 0 }

// internalDomains are names that are no public ones (RFC 6761, RFC 6762, and
// ICANN's reservation of 2024).
var internalDomains = []string{"localhost", "local", "internal"}

// allowsName tells whether a host is a domain name, and a public one unless
// internal ones may be reached.
func (p Policy) allowsName(host string) bool {
	labels := strings.Split(host, ".")
	if len(host) > 253 || slices.ContainsFunc(labels, isNoLabel) {
		return false
	}
	// Hosts that end in a number are IPv4 addresses in some notation to a
	// resolver: 127.1, 0x7f.1, 0177.0.0.1, 2130706433.
	if first := labels[len(labels)-1][0]; '0' <= first && first <= '9' {
		return false
	}
	if p.isOpen() {
		return true
	}
	return len(labels) > 1 && !slices.ContainsFunc(internalDomains, func(domain string) bool { return isUnder(host, domain) })
}

// isUnder tells whether a name is a domain or in it.
func isUnder(host, domain string) bool {
	host = strings.ToLower(host)
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// isNoLabel tells whether a text cannot be part of a domain name. Underscores
// are not for hosts, but some have them.
func isNoLabel(label string) bool {
	return label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
		strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
}
