package contract_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// covered reports whether a path with parameters matches another path, which may
// have parameters itself.
func covered(by, path string) bool {
	pattern, steps := strings.Split(by, "/"), strings.Split(path, "/")
	return len(pattern) == len(steps) && !slices.ContainsFunc(steps, func(step string) bool {
		wanted := pattern[0]
		pattern = pattern[1:]
		return wanted != step && (!strings.HasPrefix(wanted, "{") || strings.HasPrefix(step, "{"))
	})
}

// TestOtherMethodsAreRefused sends every method that a path does not have.
func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	f, c := newFixture(t, roomy), read(t)
	refused := c.documents["openapi.yaml"].node(c).at("components", "responses", "MethodNotAllowed")
	allowed := map[string][]string{}
	for _, path := range c.operations {
		for _, o := range c.operations {
			if !covered(o.path, path.path) || slices.Contains(allowed[path.path], o.method) {
				continue
			}
			allowed[path.path] = append(allowed[path.path], o.method)
			if o.method == "GET" {
				allowed[path.path] = append(allowed[path.path], "HEAD")
			}
		}
	}
	wildcard := regexp.MustCompile(`\{[^}]*\}`)
	for path, known := range allowed {
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		for other, methods := range allowed { // /rate-cards/{card_id} matches /rate-cards/validate as well
			if other := wildcard.ReplaceAllString(other, "[^/]+"); regexp.MustCompile("^" + other + "$").MatchString(path) {
				known = append(known, methods...)
			}
		}
		slices.Sort(known)
		known = slices.Compact(known)
		for _, method := range []string{"GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"} {
			if slices.Contains(known, method) {
				continue
			}
			answer := f.Do(t, method, path, nil).Must(t, 405)
			checkAnswer(t, method+" "+path, refused, answer)
			allow := strings.Split(answer.Header.Get("Allow"), ", ")
			if !slices.Equal(slices.Sorted(slices.Values(allow)), known) {
				t.Errorf("%s %s: got Allow %v, want %v", method, path, allow, known)
			}
		}
	}
}

func TestUnknownPathsAreNotFound(t *testing.T) {
	t.Parallel()
	f, c := newFixture(t, roomy), read(t)
	refused := c.documents["openapi.yaml"].node(c).at("components", "responses", "NotFound")
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/orders/", "/v1//orders", "/v2/orders", "/ops/v1/none", "/track/", "/track/x/y"} {
		checkAnswer(t, path, refused, f.Do(t, "GET", path, nil).Must(t, 404))
	}
}
