package api

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/recipient"
)

// MailPage serves the page on which a recipient stops the mails about an order, as a
// PageFunc does. A nil choice means that the order does not exist.
type MailPage func(header http.Header, r *http.Request, choice *recipient.Choice) (status int, body []byte, err error)

// handleMailPage shows what the recipient of an order has chosen.
func (s *Server) handleMailPage(c *call) (reply, error) { return s.mailPage(c, nil) }

// handleMailChoice stops the mails about an order, or has them sent again. Mail programs
// stop them by a POST of their own (RFC 8058), whose body says nothing else; they follow
// no redirect, so the page is the answer.
func (s *Server) handleMailChoice(c *call) (reply, error) {
	stopped := c.URL.Query().Get("choice") != "resume"
	return s.mailPage(c, &stopped)
}

// mailPage answers with the page, after the choice if there is one. If the order does
// not exist, a client that accepts HTML gets a page that says so; any other client gets
// JSON.
func (s *Server) mailPage(c *call, stopped *bool) (reply, error) {
	c.header.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	choice, err := s.mailChoice(c, stopped)
	if refusal.HasCode(err, refusal.CodeNotFound) && strings.Contains(c.Header.Get("Accept"), "text/html") {
		choice, err = nil, nil
	}
	if err != nil {
		return reply{}, err
	}
	status, body, err := s.config.MailPage(c.header, c.Request, choice)
	return reply{status: status, body: body}, err
}

// mailChoice writes the choice if there is one, and returns what is chosen. It refuses
// with not_found.
func (s *Server) mailChoice(c *call, stopped *bool) (*recipient.Choice, error) {
	order, err := s.config.Orders.Track(c.Context(), c.pathID("order_id"))
	if err != nil {
		return nil, err
	}
	if stopped != nil {
		if err := s.config.Recipients.Stop(c.Context(), order.OrderID, *stopped); err != nil {
			return nil, err
		}
	}
	return s.config.Recipients.Choice(c.Context(), order)
}
