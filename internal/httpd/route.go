package httpd

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
)

// Route is one row of a table of routes.
type Route struct {
	Method  string
	Pattern string // as http.ServeMux reads it
	Access  Access
	// Needs is what the caller must be permitted, as Callers understands it.
	Needs  any
	Handle Handler

	// Largest is the size of the largest body, in bytes; 0 for the usual one.
	Largest int64
	// Long is set if a request may run for longTimeout.
	Long bool
	// Reads is set if requests only read, although their method is not GET.
	Reads bool
	// Repeated says what happens to requests of operators that are sent again under a key.
	Repeated Repetition
	// Quota is set if what a new account may change by the route is limited by a quota of
	// the room, and not by the number of changes.
	Quota bool
	// Secret is set if the path gives access to what it names, so that no log may have it.
	Secret bool
	// Page is the audience of a page for people; empty for what programs call.
	Page web.Audience
}

// Public returns a route that anybody may call.
func Public(method, pattern string, handle Handler) Route {
	return Route{Method: method, Pattern: pattern, Access: AccessPublic, Handle: handle}
}

// Handler handles the calls of a route.
type Handler func(*Call) (Reply, error)

// Access says what a request must prove before the route's handler is called.
type Access string

// The kinds of access.
const (
	AccessPublic   Access = "public"   // nothing; the handler may check more
	AccessTracking Access = "tracking" // nothing, but limited per network
	AccessSigned   Access = "signed"   // a signature with an API key
	AccessPartner  Access = "partner"  // a signature with an API key, or a user's session
	AccessSession  Access = "session"  // a user's session
	AccessPage     Access = "page"     // a user's session, on a page
	AccessOperator Access = "operator" // an operator's bearer token or session
	accessNone     Access = "none"     // nothing: the handler only refuses or redirects
)

// MaxBody returns the size of the largest body that the route allows, in bytes.
func (r Route) MaxBody() int64 {
	switch {
	case r.Largest != 0:
		return r.Largest
	case r.Access == AccessPublic, r.Access == AccessTracking, r.Access == accessNone:
		return maxStrangerBody
	default:
		return MaxBody
	}
}

// clean reports whether a path is in the form that routes match. Other paths are
// not found; http.ServeMux would redirect them.
func clean(p string) bool {
	return strings.HasPrefix(p, "/") && p == path.Clean(p)
}

var errNoSuchPath = refusal.NotFound("this path")

// unrouted returns a route that refuses every request with err.
func unrouted(err error) Route {
	return Route{Access: accessNone, Handle: func(*Call) (Reply, error) { return Reply{}, err }}
}

// redirect returns a route that leads every request to another address.
func redirect(to string) Route {
	return Route{Access: accessNone, Handle: func(c *Call) (Reply, error) {
		c.ReplyHeader.Set("Location", to)
		return Reply{Status: http.StatusPermanentRedirect}, nil
	}}
}

// methods are the handlers of one path, by method.
type methods map[string]http.Handler

// allowed returns the methods as the header Allow has them.
func (m methods) allowed() string {
	names := slices.Collect(maps.Keys(m))
	if m[http.MethodGet] != nil {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// dispatch returns the handler of a path. It refuses other methods than those of
// the path itself, even if a more general path has them.
func (s *Server) dispatch(m methods) http.Handler {
	allowed := m.allowed()
	refuse := s.serve(unrouted(refusal.New(refusal.CodeMethodNotAllowed, "this path accepts "+allowed)), s.unmatched)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if handler := m[method]; handler != nil {
			handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", allowed)
		refuse.ServeHTTP(w, r)
	})
}
