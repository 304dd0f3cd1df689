package login

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// maxNext is the length of the longest address that is remembered, in bytes.
const maxNext = 2000

// plainPath accepts what browsers send of a path and a query: no spaces, controls,
// backslashes or characters beyond ASCII.
var plainPath = regexp.MustCompile(`^/[A-Za-z0-9_~.%!$&'()*+,;=:@/?-]+$`)

// within returns the address of a page below one of the paths that a visitor wants to go
// to after signing in. It returns an empty text for anything else: another site, another
// audience, or a page of the login itself.
func within(wanted string, paths ...string) string {
	if len(wanted) > maxNext || !plainPath.MatchString(wanted) {
		return ""
	}
	address, err := url.Parse(wanted)
	if err != nil || address.Host != "" || address.Scheme != "" || address.Path != path.Clean(address.Path) {
		return ""
	}
	for _, below := range paths {
		rest, found := strings.CutPrefix(address.Path, below)
		if found && (rest == "" || strings.HasPrefix(rest, "/")) && !ofLogin(rest) {
			return address.RequestURI()
		}
	}
	return ""
}

// ofLogin reports whether a path below that of a door is a page of the login.
func ofLogin(rest string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	switch first {
	case "login", "logout", "register", "reset", "invitations", "email", "signin":
		return true
	}
	return false
}
