// Package outbound is the HTTP client that posts to partners' webhook endpoints.
// Partners choose the URLs, so they could make this service send requests to
// machines that they cannot reach themselves. The client therefore refuses
// internal addresses. It checks URLs when they are set and when they are used, and
// each address when it is dialled, because a name may resolve to another one by
// then.
package outbound

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Policy says which endpoints may be reached. The zero value allows https URLs at
// public addresses.
type Policy struct {
	// Networks may be reached although they are internal. If there are any,
	// hosts may also be names that only an internal resolver knows.
	Networks []netip.Prefix
	// Insecure allows http URLs and loopback addresses, for development.
	Insecure bool
}

// maxURL is how many characters a URL may have.
const maxURL = 2048

// URLError means that a URL cannot be an endpoint.
type URLError struct {
	Rule form.Rule // the URL that was expected
}

func (e *URLError) Error() string { return e.Rule.Expected() }

func expect(code, english string) *URLError { return &URLError{Rule: form.Define(code, english)} }

// The errors of CheckURL.
var (
	errHTTPS  = expect("url_https", "an https URL such as https://hooks.example.com/dropyard")
	errHTTP   = expect("url_http", "an http or https URL such as https://hooks.example.com/dropyard")
	errLength = &URLError{Rule: form.Define("url_length", "a URL of at most {most} characters").With("most", maxURL)}
	errASCII  = expect("url_ascii",
		"a URL of ASCII characters without spaces; others percent-encoded, and in the host as xn--")
	errCharacter = expect("url_character", "a URL without any of the characters \"<>\\^`{|}, or with them percent-encoded")
	errEscape    = expect("url_escape",
		"a URL with two hexadecimal digits after each %, and with [ and ] in the host only")
	errAnonymous = expect("url_anonymous", "a URL without a user name or password")
	errFragment  = expect("url_fragment", "a URL without a fragment (#)")
	errHost      = expect("url_host", "a URL whose host is a public domain name or a public IP address in its usual form")
	errPort      = expect("url_port", "a URL whose port is 443 or from 1024 to 65535")
)

// CheckURL returns a *URLError if a URL cannot be an endpoint, and nil otherwise. It
// checks only the form of names; the addresses that they resolve to are checked
// whenever they are dialled.
func (p Policy) CheckURL(text string) error {
	parsed, err := url.Parse(text)
	if err != nil {
		parsed = &url.URL{} // check rejects its scheme
	}
	return p.check(text, parsed)
}

// check does the same with a URL and its parsed form.
func (p Policy) check(text string, parsed *url.URL) error {
	switch {
	case len(text) > maxURL:
		return errLength
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errASCII
	// RFC 3986 has no place for them, and clients disagree about a backslash
	case strings.ContainsAny(text, "\"<>\\^`{|}"):
		return errCharacter
	case parsed.Host == "" || !p.allowsScheme(parsed.Scheme):
		return p.schemeError()
	case parsed.User != nil:
		return errAnonymous
	case strings.Contains(text, "#"): // also an empty fragment, which parsed does not show
		return errFragment
	case malformed.MatchString(parsed.RequestURI()): // RFC 3986; url.Parse does not check the query
		return errEscape
	}
	return p.checkHost(parsed.Host)
}

// malformed matches what a path and query must not hold.
var malformed = regexp.MustCompile(`[\[\]]|%($|[^0-9A-Fa-f]|.$|.[^0-9A-Fa-f])`)

func (p Policy) allowsScheme(scheme string) bool {
	return scheme == "https" || scheme == "http" && p.Insecure
}

func (p Policy) schemeError() error {
	if p.Insecure {
		return errHTTP
	}
	return errHTTPS
}

// checkHost checks the host and port of a URL.
func (p Policy) checkHost(hostport string) error {
	host, port, hasPort := splitHost(hostport)
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	loopback := p.Insecure && (ip.IsLoopback() || isUnder(host, "localhost"))
	switch {
	case err == nil && (!isCanonical(ip, host) || !p.allows(ip)):
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

// splitHost splits a host from its port. Brackets stay with the host.
func splitHost(hostport string) (host, port string, hasPort bool) {
	if end := strings.LastIndexByte(hostport, ']'); end >= 0 {
		port, hasPort = strings.CutPrefix(hostport[end+1:], ":")
		return hostport[:end+1], port, hasPort
	}
	return strings.Cut(hostport, ":")
}

// isCanonical reports whether a host is an address in its usual form: IPv6 in
// brackets, without a zone, and not IPv4-mapped.
func isCanonical(ip netip.Addr, host string) bool {
	if ip.Is4() {
		return host == ip.String()
	}
	return !ip.Is4In6() && ip.Zone() == "" && strings.EqualFold(host, "["+ip.String()+"]")
}

// allowsPort reports whether a port may be reached. Most well-known ports may not,
// as other services than HTTP use them.
func (p Policy) allowsPort(port uint16, loopback bool) bool {
	return port == 443 || port >= 1024 || p.Insecure && (port == 80 || loopback)
}

// allowsInternal reports whether more than the public Internet may be reached.
func (p Policy) allowsInternal() bool { return p.Insecure || len(p.Networks) > 0 }

// internalDomains are the top-level domains of names that are not public (RFC 6761,
// RFC 6762, and ICANN's reservation of 2024).
var internalDomains = []string{"localhost", "local", "internal"}

// allowsName reports whether a host is a domain name, and a public one unless
// internal addresses may be reached.
func (p Policy) allowsName(host string) bool {
	labels := strings.Split(host, ".")
	if len(host) > 253 || slices.ContainsFunc(labels, func(label string) bool { return !isLabel(label) }) {
		return false
	}
	// Some resolvers read hosts that end in a number as IPv4 addresses: 127.1,
	// 0x7f.1, 0177.0.0.1, 2130706433.
	if first := labels[len(labels)-1][0]; '0' <= first && first <= '9' {
		return false
	}
	if p.allowsInternal() {
		return true
	}
	return len(labels) > 1 &&
		!slices.ContainsFunc(internalDomains, func(domain string) bool { return isUnder(host, domain) })
}

// isUnder reports whether a host is a domain or is in it.
func isUnder(host, domain string) bool {
	host = strings.ToLower(host)
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// isLabel reports whether a text may be a part of a domain name. It allows
// underscores, which hosts should not have but some do.
func isLabel(label string) bool {
	return label != "" && len(label) <= 63 && label[0] != '-' && label[len(label)-1] != '-' &&
		!strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
}
