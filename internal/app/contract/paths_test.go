package contract_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOtherMethodsAreRefused tries every method that a path does not have.
func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	f, c := newFixture(t, roomy), read(t)
	refusal := c.documents["openapi.yaml"].node(c).at("components", "responses", "MethodNotAllowed")
	allowed := map[string][]string{}
	for _, o := range c.operations {
		allowed[o.path] = append(allowed[o.path], o.method)
		if o.method == "GET" {
			allowed[o.path] = append(allowed[o.path], "HEAD")
		}
	}
	wildcard := regexp.MustCompile(`\{[^}]*\}`)
	for path, known := range allowed {
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		for other, methods := range allowed { // /rate-cards/{card_id} is /rate-cards/validate too
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
			checkAnswer(t, method+" "+path, refusal, answer)
			told := strings.Split(answer.Header.Get("Allow"), ", ")
			if !slices.Equal(slices.Sorted(slices.Values(told)), known) {
				t.Errorf("%s %s: Allow tells %v, documented are %v", method, path, told, known)
			}
		}
	}
}

func TestUnknownPathsAreNotFound(t *testing.T) {
	t.Parallel()
	f, c := newFixture(t, roomy), read(t)
	refusal := c.documents["openapi.yaml"].node(c).at("components", "responses", "NotFound")
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/orders/", "/v1//orders", "/v2/orders", "/ops/v1/none", "/track/", "/track/x/y"} {
		checkAnswer(t, path, refusal, f.Do(t, "GET", path, nil).Must(t, 404))
	}
}
