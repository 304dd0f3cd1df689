package ops

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
)

// dayCursor accepts the day before which a page of days is.
var dayCursor = form.TextRule{Rule: httpd.CursorRule, Allows: func(text string) bool {
	_, ok := date.Parse(text)
	return ok
}}

// exportsShown is how many days the answer to a request has that begins an export.
const exportsShown = 50

func (s *Server) handleExports(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	before, _ := date.Parse(q.OneOf("cursor", dayCursor))
	limit := q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	list, err := s.config.Exports(c.Context(), before, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(list)
}

// handleExportBegin begins the export of all days that have ended, and responds before its end.
func (s *Server) handleExportBegin(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.BeginExport(c.Context()); err != nil {
		return httpd.Reply{}, err
	}
	list, err := s.config.Exports(c.Context(), 0, exportsShown)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Answer(http.StatusAccepted, list)
}
