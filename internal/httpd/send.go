package httpd

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
)

// send writes the reply, or the response to err if that is not nil. The reply is
// counted as bytes in flight until the client has taken it.
func (s *Server) send(w http.ResponseWriter, c *Call, answer Reply, err error) {
	// couriers' phones go by it when they say when something happened
	if c.Route.Access == AccessOperator && c.Principal != nil {
		c.ReplyHeader.Set("Date", s.config.Now().UTC().Format(http.TimeFormat))
	}
	body := c.Content
	c.Content = nil
	if err == nil {
		err = c.holdAnswer(answer.size())
	}
	if err != nil {
		s.unwatch(c) // a refusal is sent in any case
		answer = s.refusal(c, err)
		c.keepRefused(body, answer.Status)
		c.mustHold(answer.size())
	}
	c.Status = answer.Status
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
		h["Content-Security-Policy"] = inert
	}
	s.setProtection(h)
	if answer.Stream != nil {
		s.sendStream(w, c, answer)
		return
	}
	answer.Body = c.compress(h, answer.Body)
	h.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	w.WriteHeader(answer.Status)
	n, _ := watchedWriter{w, c}.Write(answer.Body) // fails only if the client has gone, or must go
	c.sent = int64(n)
}

// keepRefused keeps the beginning of the body of a signed request that was refused for
// what it says, for the log of signed requests.
func (c *Call) keepRefused(body []byte, status int) {
	if c.Key == nil || status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		return
	}
	c.Refused = bytes.Clone(body[:min(len(body), c.server.config.MaxLogged)])
}

// public sets the headers of every tracking response, refusals too: search
// engines must not keep it, and scripts of other sites may read it, so that
// a shop can show it on a page of its own. No other response may be read across
// origins.
func public(h http.Header) {
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Access-Control-Allow-Origin", "*")
}

// The values of headers that guard responses.
var (
	nosniff = []string{"nosniff"}
	noStore = []string{"no-store"}
	// inert is the policy of JSON that a browser shows as a page.
	inert = []string{"default-src 'none'; frame-ancestors 'none'"}
	// onlyHTTPS is for a year, and for this host only: others of its domain may differ.
	onlyHTTPS = []string{"max-age=31536000"}
)

// setProtection sets the headers by which browsers and caches guard a response. No cache may
// store it, unless its handler has said how long.
func (s *Server) setProtection(h http.Header) {
	h["X-Content-Type-Options"] = nosniff
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = noStore
	}
	if s.config.SecureCookies {
		h["Strict-Transport-Security"] = onlyHTTPS
	}
}

// sendStream writes a body in pieces. If it cannot be finished the connection is
// aborted, so that the client does not take it for complete.
func (s *Server) sendStream(w http.ResponseWriter, c *Call, answer Reply) {
	w.WriteHeader(answer.Status)
	if c.Method == http.MethodHead {
		return
	}
	if err := answer.Stream(&counted{watchedWriter{w, c}, &c.sent}); err != nil {
		s.config.Log.ErrorContext(c.Context(), "response aborted", "request_id", c.RequestID, "path", c.loggedPath(), "error",
			err)
		panic(http.ErrAbortHandler)
	}
}

// counted adds up the bytes that are written.
type counted struct {
	io.Writer
	bytes *int64
}

func (w *counted) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	*w.bytes += int64(n)
	return n, err
}
