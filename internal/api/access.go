package api

import (
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/accesslog"
)

// logAccess writes the request into the access log.
func (s *Server) logAccess(route Route, c *call, began time.Time, took time.Duration) {
	if s.config.AccessLog == nil {
		return
	}
	s.config.AccessLog.Add(&accesslog.Entry{
		Time: began.UTC(), RequestID: c.id, Method: c.Method, Route: route.Pattern, Path: c.accessPath(), Status: c.status, Bytes: c.sent,
		Micros: took.Microseconds(), Address: s.address(c), PartnerID: c.partnerID, KeyID: c.keyID, PersonID: c.personID,
		TraceID: s.config.Tracer.Of(c.Context()).TraceID(),
	})
}

// accessPath returns the path as the access log holds it: without the token of a link
// and the name of a picture, either of which gives access to what it names.
func (c *call) accessPath() string {
	if strings.HasPrefix(c.Pattern, "/proofs/") {
		return c.Pattern
	}
	path := c.loggedPath()
	return path[:min(len(path), longestPath)]
}
