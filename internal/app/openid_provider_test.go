package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// nodeProvider is the provider of testdata/openid: oidc-provider, which is certified by
// the OpenID Foundation.
type nodeProvider struct {
	issuer string
	trust  func(redirect string) // makes it send people back to the URI
}

// startNodeProvider installs and starts the provider. It stops when the test ends.
func startNodeProvider(t *testing.T) *nodeProvider {
	t.Helper()
	testkit.NeedFullLength.OrSkip(t)
	testkit.NeedNode.OrSkip(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/openid")); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
		"--loglevel=error")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	node := exec.CommandContext(t.Context(), "node", "provider.mjs")
	node.Dir = dir
	to, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = node.Process.Kill(), node.Wait() })
	lines := bufio.NewScanner(from)
	line := func() string {
		if !lines.Scan() {
			t.Fatalf("the provider ended: %v", lines.Err())
		}
		return lines.Text()
	}
	return &nodeProvider{issuer: line(), trust: func(redirect string) {
		if _, err := fmt.Fprintln(to, redirect); err != nil {
			t.Fatal(err)
		}
		line()
	}}
}

var (
	formAction = regexp.MustCompile(`action="([^"]+)"`)
	formPrompt = regexp.MustCompile(`name="prompt" value="([a-z]+)"`)
)

// browse signs a person in at the provider, as a browser does that fills in its forms,
// and returns the path with parameters to which the provider sends it back.
func browse(t *testing.T, service, address, name string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(to *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(to.URL.String(), service) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	var form url.Values
	for range 5 {
		response, page := open(t, browser, address, form)
		if back, err := response.Location(); err == nil {
			return back.RequestURI()
		}
		action, prompt := formAction.FindStringSubmatch(page), formPrompt.FindStringSubmatch(page)
		if response.StatusCode != http.StatusOK || action == nil || prompt == nil {
			t.Fatalf("got %s from the provider, want a form: %s", response.Status, page)
		}
		to, err := response.Request.URL.Parse(action[1])
		if err != nil {
			t.Fatal(err)
		}
		address, form = to.String(), url.Values{"prompt": {prompt[1]}, "login": {name}, "password": {"any"}}
	}
	t.Fatal("the provider asks again and again")
	return ""
}

// open opens a page, or sends a form to it.
func open(t *testing.T, browser *http.Client, address string, form url.Values) (*http.Response, string) {
	t.Helper()
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(page)
}

// TestOpenIDWithRealProvider signs in through oidc-provider: with its forms for login and
// consent, PKCE that it requires, and roles that only its userinfo endpoint has.
func TestOpenIDWithRealProvider(t *testing.T) {
	t.Parallel()
	provider := startNodeProvider(t)
	s := apptest.Start(t, func(c *config.Config, world *app.Surroundings) {
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret, c.OIDCRoleClaim = provider.issuer, "dropyard",
			"a secret of this test only", "groups"
		world.Now, world.At = time.Now, app.System().At
	})
	provider.trust(s.URL + "/ops/v1/oidc/callback")
	var id string
	for range 2 {
		begun := s.Do(t, "GET", "/ops/v1/oidc/login", nil).Must(t, http.StatusFound)
		ticket, _, _ := strings.Cut(begun.Header.Get("Set-Cookie"), ";")
		target := browse(t, s.URL, begun.Header.Get("Location"), "anna")
		signedIn := s.Do(t, "GET", target, nil, "Cookie", ticket).Must(t, 200)
		if signedIn.Text("email") != "anna@example.com" || signedIn.Text("role") != "dispatcher" ||
			id != "" && signedIn.Text("operator_id") != id {
			t.Errorf("got %s, want the dispatcher anna, the same each time", signedIn.Body)
		}
		id = signedIn.Text("operator_id")
		me(t, s, sessionOf(signedIn)).Must(t, 200)
		s.Do(t, "GET", target, nil, "Cookie", ticket).Refused(t, 401, "unauthorized") // the code is used
	}
}
