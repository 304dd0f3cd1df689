package web

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// WantsPage reports whether a client asks for a page rather than for JSON: Accept names
// text/html, with a higher weight than it gives to application/json. That of the most
// specific range counts, as RFC 9110 has it; of equal weights, what is named comes before
// what only */* includes.
func WantsPage(r *http.Request) bool {
	weights := map[string]float64{}
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		kind, parameters, err := mime.ParseMediaType(name)
		if err != nil {
			continue
		}
		weight := 1.0
		if given, has := parameters["q"]; has {
			if weight, err = strconv.ParseFloat(given, 64); err != nil {
				continue
			}
		}
		weights[kind] = max(weights[kind], weight)
	}
	page := weights["text/html"]
	for _, kind := range []string{"application/json", "application/*"} {
		if json, named := weights[kind]; named {
			return page > json
		}
	}
	return page > 0 && page >= weights["*/*"]
}
