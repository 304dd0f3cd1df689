package httpd

import (
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// endSpan ends the span of the request. It has neither the path nor the query, which may
// have ids that give access, and nothing that the request says.
func (c *Call) endSpan(span *tracing.Span) {
	if span == nil {
		return
	}
	span.Set("dropyard.request_id", c.RequestID)
	span.Set("dropyard.partner_id", c.Account)
	span.Set("dropyard.error.code", string(c.Code))
	if c.Status == 0 {
		span.Fail("aborted") // its connection was closed without a response
	} else {
		span.SetNumber("http.response.status_code", c.Status)
	}
	if c.Status >= http.StatusInternalServerError {
		span.Fail(strconv.Itoa(c.Status))
	}
	span.End()
}
