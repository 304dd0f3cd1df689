package httpd

import (
	"net/http"
	"strconv"
	"time"
)

// Deprecation announces that an operation will be removed (docs/versions.md).
type Deprecation struct {
	// Since is when the operation was deprecated, for the header Deprecation (RFC 9745).
	Since time.Time
	// Sunset is when the operation ends at the earliest, for the header Sunset (RFC 8594);
	// zero if no date is set.
	Sunset time.Time
	// Instead is the path of the page in the documentation that says what to use instead.
	Instead string
}

// announce sets the headers of the responses of a deprecated operation, and does nothing
// for the zero value. Refusals have them too: a program that only ever gets errors is
// used, and should be changed in time.
func (d Deprecation) announce(baseURL func() string, h http.Header) {
	if d.Since.IsZero() {
		return
	}
	h.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
	if !d.Sunset.IsZero() {
		h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
	}
	h.Add("Link", "<"+baseURL()+d.Instead+`>; rel="deprecation"; type="text/html"`)
}
