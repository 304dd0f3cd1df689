package httpd

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
)

// pageAccess is what a page must prove, by its audience.
var pageAccess = map[web.Audience]Access{
	web.Anyone: AccessPublic, web.Partners: AccessPage, web.Operators: AccessOperator,
}

// pageRoute returns the route of a page. Its requests get what all others get: an id,
// limits of size and time, authentication, metrics, and a refusal where something
// fails. It is not part of the interfaces that the OpenAPI documents describe.
func pageRoute(r web.Route) Route {
	route := Route{
		Method: r.Method, Pattern: r.Pattern, Access: pageAccess[r.For], Needs: r.Needs,
		Long: r.Long, Reads: r.ChangesNothing, Page: r.For,
	}
	route.Handle = func(c *Call) (Reply, error) {
		if !form.IsText(c.URL.Path) {
			return Reply{}, errNoSuchPath
		}
		if _, err := c.Query(); err != nil {
			return Reply{}, err
		}
		if r.Counted {
			if err := c.LimitStranger(); err != nil {
				return Reply{}, err
			}
		}
		switch {
		case r.Method == http.MethodGet || r.ChangesNothing:
			if r.For == web.Anyone {
				c.ActAs("") // what happens and is logged has the request's id
			}
			return c.Page(r.Serve)
		case r.For == web.Anyone:
			return c.strangersForm(r)
		default:
			return c.formOnce(r)
		}
	}
	if r.LargeBody {
		handle := route.Handle
		route.Largest = MaxLargeBody
		route.Handle = func(c *Call) (Reply, error) {
			if err := c.BeginWork(); err != nil {
				return Reply{}, err
			}
			return handle(c)
		}
	}
	if r.Compressed {
		route.Handle = compressed(route.Handle)
	}
	if r.Heavy {
		route.Handle = Heavy(route.Handle)
	}
	return route
}

// strangersForm handles a form of a person who has not signed in. It counts against
// the rate of the network, unless the route says otherwise.
func (c *Call) strangersForm(r web.Route) (Reply, error) {
	if !r.Uncounted {
		if err := c.LimitStranger(); err != nil {
			return Reply{}, err
		}
	}
	c.ActAs("") // unknown until the form has been read
	if !r.Registers {
		return c.Page(r.Serve)
	}
	return c.LimitRegistrations(func() (Reply, bool, error) {
		answer, err := c.Page(r.Serve)
		return answer, err == nil && answer.Status == http.StatusSeeOther, err
	})
}

// Page returns what a page responds.
func (c *Call) Page(serve web.Serve) (Reply, error) {
	status, body, err := serve(c.pageRequest())
	return Reply{Status: status, Body: body}, err
}

// visit returns the request as pages take it.
func (c *Call) pageRequest() *web.PageRequest {
	c.Body = io.NopCloser(bytes.NewReader(c.Content))
	return &web.PageRequest{
		Request: c.Request, Header: c.ReplyHeader, Principal: c.Principal, PersonID: c.PersonID,
		Account: c.Account, Address: c.Address(), Door: door{c},
		Report: func(err error) { _ = c.Public(err) },
	}
}

// wantsPage reports whether a refusal must be a page: a browser asked for one, or only
// browsers come here.
func (s *Server) wantsPage(c *Call) bool {
	audience, isPage := s.pages[c.Pattern]
	if !isPage && (c.Pattern != "/" || s.isInterface(c.URL.Path)) {
		return false
	}
	return s.config.RefusedPage != nil && (isPage && audience != web.Anyone || web.WantsPage(c.Request))
}

// isInterface reports whether a path is one of the interfaces for programs, where a
// refusal is JSON even if no route has the path.
func (s *Server) isInterface(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return slices.Contains(s.config.Interfaces, first)
}

// door keeps the sessions of visitors in cookies.
type door struct{ call *Call }

func (d door) Origin() (credential.Origin, error) { return d.call.Origin() }

func (d door) SignIn(a web.Audience, token string, from credential.Origin) error {
	return d.call.SignedIn(a, token, from)
}

func (d door) Token(a web.Audience) string { return d.call.Token(a) }

func (d door) KeepTicket(path, ticket string, life time.Duration) {
	d.call.KeepTicket(path, ticket, life)
}

func (d door) Ticket() string { return d.call.Ticket() }

func (d door) SignOut(a web.Audience) { d.call.setCookie(sessionCookies[a], "", -1) }

// refusedPage returns the page of a refusal.
func (s *Server) refusedPage(c *Call, status int, refused *refusal.Error) (Reply, error) {
	other, body, err := s.config.RefusedPage(c.pageRequest(), refused)
	if other != 0 {
		status = other
	}
	return Reply{Status: status, Body: body}, err
}
