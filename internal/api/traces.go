package api

import (
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// endSpan ends the span of the request. It has neither the path nor the query, which may
// have ids that give access, and nothing that the request says.
func (c *call) endSpan(span *tracing.Span) {
	if span == nil {
		return
	}
	span.Set("dropyard.request_id", c.id)
	span.Set("dropyard.partner_id", c.partnerID)
	span.Set("dropyard.error.code", string(c.code))
	if c.status == 0 {
		span.Fail("aborted") // its connection was closed without a response
	} else {
		span.SetNumber("http.response.status_code", c.status)
	}
	if c.status >= http.StatusInternalServerError {
		span.Fail(strconv.Itoa(c.status))
	}
	span.End()
}
