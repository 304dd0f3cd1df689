package httpd

import (
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/accesslog"
)

// logAccess writes the request into the access log.
func (s *Server) logAccess(c *Call, began time.Time, took time.Duration) {
	if s.config.AccessLog == nil {
		return
	}
	s.config.AccessLog.Add(&accesslog.Entry{
		Time: began.UTC(), RequestID: c.RequestID, Method: c.Method, Route: c.Route.Pattern, Path: c.accessPath(),
		Status: c.Status, Bytes: c.sent, Micros: took.Microseconds(), Address: c.Address(), PartnerID: c.Account,
		KeyID: c.keyID(), PersonID: c.PersonID, TraceID: s.config.Tracer.Of(c.Context()).TraceID(),
	})
}

// accessPath returns the path as the access log holds it: without the token of a link
// and the name of a picture, either of which gives access to what it names.
func (c *Call) accessPath() string {
	if c.Route.Secret {
		return c.Pattern
	}
	path := c.loggedPath()
	return path[:min(len(path), LongestPath)]
}

// shortestSecret is the length from which on letters and digits in a row count as a secret,
// in bytes. The token of a link has 43 (credential.Token) and the name of a picture 32
// (proof.NewName); what is left of a token beside a piece that is shorter than this holds
// more than 128 random bits.
const shortestSecret = 20

// maskedSecret stands in logs for what looks like a secret.
const maskedSecret = "{token}"

// LongestPath is how long a path may be to be logged as it was sent, in bytes. All
// paths with ids that exist are shorter.
const LongestPath = 128

// maskSecrets returns a path without what looks like a token or the name of a picture,
// wherever it stands, whole or cut, and whatever is around it. Ids that the service has
// made and the words of the pattern remain.
func (s *Server) maskSecrets(path, pattern string) string {
	var masked strings.Builder
	for rest := path; rest != ""; {
		run := rest[:wordLength(rest)]
		if s.looksSecret(run) && !slices.Contains(strings.Split(pattern, "/"), run) {
			masked.WriteString(maskedSecret)
		} else {
			masked.WriteString(run)
		}
		rest = rest[len(run):]
		if rest != "" { // the byte that ended the run
			masked.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	return masked.String()
}

// looksSecret reports whether a text of letters, digits, "-" and "_" may be a secret: it is
// long, it is not an id, and it is not just words in lower case.
func (s *Server) looksSecret(text string) bool {
	isWord := func(r rune) bool { return 'a' <= r && r <= 'z' || r == '-' }
	return len(text) >= shortestSecret && !s.config.IsID(text) &&
		strings.ContainsFunc(text, func(r rune) bool { return !isWord(r) })
}

// wordLength returns how many bytes of base64url a text begins with.
func wordLength(text string) int {
	length := strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
	if length < 0 {
		return len(text)
	}
	return length
}
