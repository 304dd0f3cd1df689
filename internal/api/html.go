package api

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// PageFunc serves a page for people: it sets the headers of the response and returns
// its status and body. The body of the request has been read and can be read again.
type PageFunc func(header http.Header, r *http.Request) (status int, body []byte, err error)

// Page is a page that another package writes. Its requests get what all others get:
// an id, limits of size and time, metrics, and a refusal where something fails. It is
// not part of the interfaces that the OpenAPI documents describe.
type Page struct {
	Method  string
	Pattern string // as http.ServeMux reads it
	Serve   PageFunc
}

// RefusedPage returns the page for a refusal, and sets its headers.
type RefusedPage func(header http.Header, r *http.Request, code refusal.Code) ([]byte, error)

// trackPagePath is the page that is part of the interface, and so in the table of
// routes.
const trackPagePath = "/track/{order_id}/html"

// route returns the route of a page.
func (p Page) route() Route {
	return Route{p.Method, p.Pattern, AccessPublic, anyone, func(_ *Server, c *call) (reply, error) { return c.page(p.Serve) }}
}

// page returns what a page responds.
func (c *call) page(serve PageFunc) (reply, error) {
	c.Body = io.NopCloser(bytes.NewReader(c.body))
	status, body, err := serve(c.header, c.Request)
	return reply{status: status, body: body}, err
}

// wantsPage reports whether a refusal must be a page: a browser asked for one.
func (s *Server) wantsPage(c *call) bool {
	return s.pages[c.Pattern] && s.config.RefusedPage != nil && strings.Contains(c.Header.Get("Accept"), "text/html")
}

// handleTrackPage serves the recipient's page of an order. If the order does not
// exist, a client that accepts HTML gets a page that says so; any other gets JSON.
func (s *Server) handleTrackPage(c *call) (reply, error) {
	c.header.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	return c.page(s.config.TrackingPage)
}
