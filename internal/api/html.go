package api

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// TrackingPages are the pages of recipients, which are a part of the interface.
type TrackingPages struct {
	Order visit.Serve // of an order
	Mail  visit.Serve // on which the mails about an order are stopped
}

// The paths of pages that are in the table of routes.
const (
	trackPagePath = "/track/{order_id}/html"
	mailPagePath  = "/track/{order_id}/mail"
)

// handleTrackPage serves the recipient's page of an order.
func (s *Server) handleTrackPage(c *call) (reply, error) {
	return s.trackingPage(c, s.config.TrackingPages.Order)
}

// handleMailPage serves the page of the mails about an order. Mail programs stop them
// by a POST of their own (RFC 8058).
func (s *Server) handleMailPage(c *call) (reply, error) {
	return s.trackingPage(c, s.config.TrackingPages.Mail)
}

func (s *Server) trackingPage(c *call, serve visit.Serve) (reply, error) {
	c.header.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	return s.page(c, serve)
}

// pageAccess is what a page must prove, by its audience.
var pageAccess = map[visit.Audience]Access{
	visit.Anyone: AccessPublic, visit.Partners: accessPage, visit.Operators: AccessOperator,
}

// pageRoute returns the route of a page. Its requests get what all others get: an id,
// limits of size and time, authentication, metrics, and a refusal where something
// fails. It is not part of the interfaces that the OpenAPI documents describe.
func pageRoute(r visit.Route) Route {
	route := Route{Method: r.Method, Pattern: r.Pattern, Access: pageAccess[r.For], Allowed: Allowed{Roles: r.Roles, Permission: r.Permission, Long: r.Long, Large: r.LargeBody, Reads: r.ChangesNothing}}
	route.handle = func(s *Server, c *call) (reply, error) {
		if !form.IsText(c.URL.Path) {
			return reply{}, errNoSuchPath
		}
		if _, err := c.query(); err != nil {
			return reply{}, err
		}
		switch {
		case r.Method == http.MethodGet || r.ChangesNothing:
			return s.page(c, r.Serve)
		case r.For == visit.Anyone:
			return s.strangersForm(c, r)
		default:
			return s.formOnce(c, r)
		}
	}
	if r.LargeBody {
		handle := route.handle
		route.handle = func(s *Server, c *call) (reply, error) {
			if err := c.beginWork(); err != nil {
				return reply{}, err
			}
			return handle(s, c)
		}
	}
	if r.Compressed {
		route.handle = compressed(route.handle)
	}
	if r.Heavy {
		route.handle = heavy(route.handle)
	}
	return route
}

// strangersForm handles a form of a person who has not signed in. It counts against
// the rate of the network, unless the route says otherwise.
func (s *Server) strangersForm(c *call, r visit.Route) (reply, error) {
	if !r.Uncounted {
		if err := s.limitUnauthenticated(c); err != nil {
			return reply{}, err
		}
	}
	c.actAs("") // unknown until the form has been read
	if !r.Registers {
		return s.page(c, r.Serve)
	}
	return s.limitRegistrations(c, func() (reply, bool, error) {
		answer, err := s.page(c, r.Serve)
		return answer, err == nil && answer.status == http.StatusSeeOther, err
	})
}

// page returns what a page responds.
func (s *Server) page(c *call, serve visit.Serve) (reply, error) {
	status, body, err := serve(s.visit(c))
	return reply{status: status, body: body}, err
}

// visit returns the request as pages take it.
func (s *Server) visit(c *call) *visit.Visit {
	c.Body = io.NopCloser(bytes.NewReader(c.body))
	v := &visit.Visit{
		Request: c.Request, Header: c.header, Session: c.session, Account: c.partnerID, Operator: c.operator, Vouched: c.vouched, Door: door{s, c},
	}
	if v.Session != nil || v.Operator != nil {
		v.Caller = s.caller(c)
	}
	return v
}

// wantsPage reports whether a refusal must be a page: a browser asked for one, or only
// browsers come here.
func (s *Server) wantsPage(c *call) bool {
	audience, isPage := s.pages[c.Pattern]
	if !isPage && (c.Pattern != "/" || isInterface(c.URL.Path)) {
		return false
	}
	return s.config.RefusedPage != nil && (isPage && audience != visit.Anyone || visit.WantsPage(c.Request))
}

// isInterface reports whether a path is one of the interfaces for programs, where a
// refusal is JSON even if no route has the path.
func isInterface(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains([]string{"v1", "ops", "track", "proofs", "logos"}, first)
}

// door keeps the sessions of visitors in cookies.
type door struct {
	server *Server
	call   *call
}

func (d door) Origin() (credential.Origin, error) { return d.server.origin(d.call) }

// cookies are the names of the session cookies of those who sign in.
var cookies = map[visit.Audience]string{visit.Partners: sessionCookie, visit.Operators: operatorCookie}

func (d door) SignIn(a visit.Audience, token string, from credential.Origin) error {
	return d.server.signedIn(d.call, cookies[a], token, from)
}

func (d door) Token(a visit.Audience) string { return d.call.cookie(cookies[a]) }

func (d door) SignOut(a visit.Audience) { d.server.setCookie(d.call, cookies[a], "", -1) }

// refusedPage returns the page of a refusal.
func (s *Server) refusedPage(c *call, status int, refused *refusal.Error) (reply, error) {
	other, body, err := s.config.RefusedPage(s.visit(c), refused)
	if other != 0 {
		status = other
	}
	return reply{status: status, body: body}, err
}
