package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/accesslog"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestAccessLog expects one line for each request, without what gives access.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access.log")
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.AccessLog = path })
	p := s.Register(t, "metro")
	made := p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	s.Do(t, "GET", "/portal/reset/secret-token?also=secret", nil).Must(t, 404)
	s.Do(t, "GET", "/proofs/secret-name.jpg", nil).Must(t, 404)
	s.Do(t, "GET", "/nowhere", nil).Must(t, 404)
	s.Stop()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret") || strings.Contains(string(text), p.Password) {
		t.Errorf("got a log with secrets:\n%s", text)
	}
	byRoute := map[string]accesslog.Entry{}
	for line := range strings.Lines(string(text)) {
		var entry accesslog.Entry
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		byRoute[entry.Method+" "+entry.Route] = entry
	}
	if got := byRoute["POST /v1/orders"]; got.Status != 201 || got.Bytes != int64(len(made.Body)) ||
		got.KeyID != p.KeyID || got.PartnerID != p.PartnerID ||
		got.Address != "127.0.0.1" || got.RequestID != made.Header.Get("X-Request-Id") || got.Path != "/v1/orders" ||
		got.Micros <= 0 {
		t.Errorf("created order: got %+v, want the request and its caller", got)
	}
	for route, wantPath := range map[string]string{
		"GET /portal/reset/{token}": "/portal/reset/{token}", "GET /proofs/{name}": "/proofs/{name}", "GET ": "/nowhere",
	} {
		if got := byRoute[route]; got.Status != 404 || got.Path != wantPath {
			t.Errorf("%s: got %+v, want status 404 and the path %s", route, got, wantPath)
		}
	}
}

// TestAccessLogMasksTokens expects no token in the access log, however its link was
// mangled: what remains of the token is still good for the right link.
func TestAccessLogMasksTokens(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access.log")
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.AccessLog = path })
	random := repeatable.Reader(t)
	token, err := credential.Token(random, "")
	if err != nil {
		t.Fatal(err)
	}
	picture, err := proof.NewName(random, "jpeg")
	if err != nil {
		t.Fatal(err)
	}
	drawn, _, _ := strings.Cut(picture, ".")
	order := s.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for _, sent := range []string{
		"//portal/reset/" + token, "/Portal/reset/" + token, "/portal/reset/" + token + "/", "/portal/reset//" + token,
		"/portal/reset%2F" + token, "/portal/reset/" + token + ".", "/portal/reset/%22" + token + "%22",
		"/portal/reset/" + token[1:], "/portal/reset/" + token[:30], "/reset/" + token, "/v1/auth/reset/" + token + "/x",
		"/console//email/" + token, "/" + token, "/v1/orders/" + token, "/portal/invitations/" + token + "/,",
		"/PROOFS/" + picture, "/proofs/" + picture + "/", "/proofs//" + drawn,
	} {
		s.Do(t, "GET", sent, nil)
		s.Do(t, "DELETE", sent, nil)
	}
	s.Do(t, "GET", "/a%C2%9B2J%E2%80%AEb", nil).Must(t, 404)
	for _, sent := range []string{"/track/" + order, "/apple-app-site-association"} {
		s.Do(t, "GET", sent, nil)
	}
	s.Stop()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, token[1:30]) || strings.Contains(line, drawn) {
			t.Errorf("got the secret in %s", line)
		}
	}
	for _, want := range []string{
		`"path":"/track/` + order + `"`, `"path":"/apple-app-site-association"`, `"path":"/reset/{token}"`,
		`"path":"/a\u009b2J\u202eb"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("got a log without %s:\n%s", want, text)
		}
	}
}
