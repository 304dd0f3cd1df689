package httpd

import (
	"mime"
	"strconv"
	"strings"
)

// Preferred returns the format with the highest weight in the Accept headers,
// and the first of equals. formats maps the media types that Accept may name to the
// formats. If it names none of them, Preferred returns the usual one: the contract has
// no 406.
func Preferred[F any](accept []string, formats map[string]F, usual F) F {
	best, highest := usual, 0.0
	for name := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, parameters, err := mime.ParseMediaType(name)
		format, known := formats[kind]
		if err != nil || !known {
			continue
		}
		weight := 1.0
		if given, ok := parameters["q"]; ok {
			weight, _ = strconv.ParseFloat(given, 64)
		}
		if weight > highest {
			best, highest = format, weight
		}
	}
	return best
}
