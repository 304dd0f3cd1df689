package contract_test

import (
	"slices"
	"strings"
	"testing"
)

// TestOtherMethodsAreRefused sends every method that a path does not have.
func TestOtherMethodsAreRefused(t *testing.T) {
	t.Parallel()
	f, c := newFixture(t, roomy), read(t)
	refused := c.documents["openapi.yaml"].node(c).at("components", "responses", "MethodNotAllowed")
	allowed := map[string][]string{}
	for _, o := range c.operations {
		allowed[o.path] = append(allowed[o.path], o.method)
		if o.method == "GET" {
			allowed[o.path] = append(allowed[o.path], "HEAD")
		}
	}
	for path, known := range allowed {
		path = strings.NewReplacer("{", "", "}", "").Replace(path)
		slices.Sort(known)
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
	for _, path := range []string{
		"/none", "/v1", "/v1/", "/v1/orders/", "/v1//orders", "/v2/orders", "/ops/v1/none", "/track/", "/track/x/y",
	} {
		checkAnswer(t, path, refused, f.Do(t, "GET", path, nil).Must(t, 404))
	}
}
