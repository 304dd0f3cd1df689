// Package requestlog has what is kept of partners' signed requests: the entries, how
// they are packed into segments, and what of a path and of a refused body may be kept.
// An entry holds nothing that identifies a person, and no secret.
package requestlog

import (
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Kept is how long entries are kept.
const Kept = 7 * 24 * time.Hour

// Entry describes a signed request and how it was answered.
type Entry struct {
	PartnerID string
	RequestID string
	At        time.Time     // when it arrived
	Took      time.Duration // until its answer was written
	Method    string
	// Pattern is the path of the route, with {name} for what varies. Clean needs it; it
	// is not stored.
	Pattern string
	Path    string // without the query, which may hold what a person is searched by
	Status  int    // of the answer
	Code    string // of the error; empty if the request was not refused
	KeyID   string // the API key that signed it
	OrderID string // the order that it concerned; empty if that was none or several
	// Body is the beginning of the body of a refused request; empty for others. Clean
	// redacts it.
	Body []byte
}

// Clean removes from an entry what must not be stored: everything in the body but its
// structure and harmless values, and what varies in the path unless it is an id. It
// takes the id of the order from the path.
func (e *Entry) Clean() {
	if e.Pattern != "" && e.Path != e.Pattern {
		e.cleanPath()
	}
	if e.OrderID != "" && !IsID(e.OrderID) {
		e.OrderID = ""
	}
	if len(e.Body) > 0 {
		e.Body = Redact(e.Body)
	}
}

// cleanPath replaces each part of the path that varies and is not an id by its name in
// the pattern.
func (e *Entry) cleanPath() {
	path, pattern, clean := e.Path, e.Pattern, true
	for more := true; more; {
		var name, part string
		var longer bool
		name, pattern, more = strings.Cut(pattern, "/")
		part, path, longer = strings.Cut(path, "/")
		switch {
		case more != longer, name != part && (!strings.HasPrefix(name, "{") || !IsID(part)):
			clean = false
		case name == "{order_id}":
			e.OrderID = part
		}
	}
	if !clean {
		e.Path = e.Pattern
	}
}

// IsID reports whether a text can only be an id that the service has made: a UUID, or a
// few letters, "_", and Crockford's base32.
func IsID(text string) bool {
	const shortest, longest, uuidLength = 8, 40, 36
	prefix, random, found := strings.Cut(text, "_")
	if !found {
		return len(text) == uuidLength && consistsOf(text, isHexOrHyphen)
	}
	return len(prefix) == 3 && consistsOf(prefix, isLower) &&
		len(random) >= shortest && len(random) <= longest && consistsOf(random, isBase32)
}

func consistsOf(text string, allowed func(byte) bool) bool {
	for i := range len(text) {
		if !allowed(text[i]) {
			return false
		}
	}
	return true
}

func isLower(c byte) bool       { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool       { return '0' <= c && c <= '9' }
func isHexOrHyphen(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || c == '-' }
func isBase32(c byte) bool {
	return isDigit(c) || isLower(c) && c != 'i' && c != 'l' && c != 'o' && c != 'u'
}

// Matches reports whether an entry is one of those that the filter selects.
func (f *Filter) Matches(e *Entry) bool {
	return (f.RequestID == "" || f.RequestID == e.RequestID) &&
		(!f.Refused || e.Code != "") &&
		(f.Status == 0 || f.Status == e.Status) &&
		(f.Method == "" || f.Method == e.Method) &&
		(f.OrderID == "" || f.OrderID == e.OrderID) &&
		(f.From.IsZero() || !e.At.Before(f.From)) &&
		(f.To.IsZero() || e.At.Before(f.To))
}

// Filter selects entries of a partner. Zero fields do not restrict.
type Filter struct {
	PartnerID string
	RequestID string
	Refused   bool // only requests that were refused
	Status    int
	Method    string
	OrderID   string
	From, To  time.Time // arrived at From or later, and before To
}

// longestRequest is longer than any request takes.
const longestRequest = time.Minute

// Since returns a time before which no entry that the filter selects can have arrived;
// zero if it knows none. No request concerns an order before that of its creation.
func (f *Filter) Since() time.Time {
	created, ok := delivery.TimeOfOrder(f.OrderID)
	if since := created.Add(-longestRequest); ok && since.After(f.From) {
		return since
	}
	return f.From
}
