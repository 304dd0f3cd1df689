package httpd

import "time"

// Observer receives what happens at the interface, for metrics. Its methods are on
// the path of every request: they must be fast and safe for concurrent use.
type Observer interface {
	// Route returns the observer of one route's requests. It is called once for
	// each route, and once with an empty pattern for requests that match no route.
	Route(pattern string) RouteObserver
	// Limited is called when a request was counted against a rate limit.
	Limited(limit Limit, allowed bool)
	// Permit is called when a request has waited for a permit, whether it got one or not.
	Permit(permit Permit, waited time.Duration, taken bool)
}

// RouteObserver is called at the start and the end of each request of a route.
type RouteObserver interface {
	Started()
	// Finished is called when the response has been written. The method is what
	// the client sent.
	Finished(method string, status int, took time.Duration)
}

// Limit names a rate limit.
type Limit string

// The rate limits.
const (
	LimitPartner    Limit = "partner"    // of signed requests, by partner
	LimitConcurrent Limit = "concurrent" // of requests in flight, by partner; only refusals are reported
	LimitAddress    Limit = "address"    // of unauthenticated requests, by network
	LimitTracking   Limit = "tracking"   // of public tracking, by network
)

// Limits lists the rate limits.
var Limits = []Limit{LimitPartner, LimitConcurrent, LimitAddress, LimitTracking}

// unobserved is the Observer of a server without metrics.
type unobserved struct{}

func (unobserved) Route(string) RouteObserver          { return unobserved{} }
func (unobserved) Limited(Limit, bool)                 {}
func (unobserved) Permit(Permit, time.Duration, bool)  {}
func (unobserved) Started()                            {}
func (unobserved) Finished(string, int, time.Duration) {}
