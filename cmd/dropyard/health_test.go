package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestHealth asks services that respond and that do not, as the image's HEALTHCHECK does.
func TestHealth(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/health" { // alive, but not ready
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	s := run{dir: testkit.FastDir(t)}.serve(t)
	for name, c := range map[string]struct {
		args []string
		code int
		out  string
	}{
		"healthy":          {[]string{"--url", s.URL}, 0, "ok\n"},
		"ready":            {[]string{"--url", s.URL, "--ready"}, 0, "ok\n"},
		"not ready":        {[]string{"--url", server.URL, "--ready"}, 1, ""},
		"alive":            {[]string{"--url", server.URL}, 0, "ok\n"},
		"nothing listens":  {[]string{"--url", closed.URL}, exitNoAnswer, ""},
		"not an address":   {[]string{"--url", "http://%"}, exitUsage, ""},
		"unknown protocol": {[]string{"--url", "gopher://localhost"}, exitUsage, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := (run{}).do(t, append([]string{"health"}, c.args...)...)
			if got.code != c.code || got.stdout != c.out || (c.code == 0) != (got.stderr == "") {
				t.Errorf("got %+v, want exit code %d and %q", got, c.code, c.out)
			}
		})
	}
	got := run{env: []string{"DROPYARD_URL=" + s.URL}}.do(t, "health")
	if got.code != 0 {
		t.Errorf("address from the environment: got %+v, want exit code 0", got)
	}
}
