package app_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/httpd"
)

// TestDeprecatedOperations expects the headers on every response of a deprecated
// operation, with RFC 9745's and RFC 8594's forms of dates, and on no other response.
func TestDeprecatedOperations(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(_ *config.Config, world *app.Surroundings) {
		world.Deprecated = map[string]httpd.Deprecation{
			"GET /v1/orders": {
				Since: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Sunset: time.Date(2027, 12, 31, 23, 59, 59, 0, time.UTC),
				Instead: "/docs/versions",
			},
			"GET /v1/inventory/products": {Since: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Instead: "/docs/versions"},
		}
	})
	partner := s.Register(t, "metro")
	const since = "@1798761600"
	link := "<" + s.URL + `/docs/versions>; rel="deprecation"; type="text/html"`
	for name, c := range map[string]struct {
		answer                    *apptest.Answer
		deprecation, sunset, link string
	}{
		"answered": {partner.Call(t, "GET", "/v1/orders", nil).Must(t,
			200), since, "Fri, 31 Dec 2027 23:59:59 GMT", link},
		"refused":        {s.Do(t, "GET", "/v1/orders", nil).Must(t, 401), since, "Fri, 31 Dec 2027 23:59:59 GMT", link},
		"without a date": {partner.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200), since, "", link},
		"another method": {partner.Call(t, "POST", "/v1/orders", []byte(`{}`)), "", "", ""},
		"another path":   {partner.Call(t, "GET", "/v1/inventory/movements", nil).Must(t, 200), "", "", ""},
	} {
		h := c.answer.Header
		if h.Get("Deprecation") != c.deprecation || h.Get("Sunset") != c.sunset || h.Get("Link") != c.link {
			t.Errorf("%s: got Deprecation %q, Sunset %q, Link %q, want %q, %q, %q",
				name, h.Get("Deprecation"), h.Get("Sunset"), h.Get("Link"), c.deprecation, c.sunset, c.link)
		}
	}
}
