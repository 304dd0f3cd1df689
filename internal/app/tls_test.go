package app_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// withCertificate lets a service speak TLS. The certificate is the one that httptest has
// for 127.0.0.1; the client trusts it.
func withCertificate(t *testing.T) (apptest.Option, *http.Client) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	chain, keyFile := filepath.Join(t.TempDir(), "chain.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{
		chain: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, keyFile: {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return func(c *config.Config, _ *app.Surroundings) { c.TLSCert, c.TLSKey = chain, keyFile }, trusting(t, roots)
}

// trusting returns a client that follows no redirections.
func trusting(t *testing.T, roots *x509.CertPool) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// get sends a request, and returns the response with its body.
func get(t *testing.T, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// TestTLS expects HTTP/2, and what services behind https do: other names of cookies, and
// Strict-Transport-Security.
func TestTLS(t *testing.T) {
	t.Parallel()
	certified, client := withCertificate(t)
	s := apptest.Start(t, certified)
	t.Cleanup(client.CloseIdleConnections)
	if !strings.HasPrefix(s.URL, "https://127.0.0.1:") {
		t.Fatalf("got URL %s, want https", s.URL)
	}
	response, body := get(t, client, s.URL+"/v1/health")
	if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 ||
		response.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("got %v %v %v %s, want 200 by HTTP/2 with Strict-Transport-Security", response.Status, response.Proto,
			response.Header, body)
	}
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(s.URL, "https://"), old); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1: got a connection, want none")
	}
	client.CloseIdleConnections()
}

// TestRedirectToTLS expects that pages lead to https, on the service's own host whatever the
// request says, and that programs are told about their mistake.
func TestRedirectToTLS(t *testing.T) {
	t.Parallel()
	certified, client := withCertificate(t)
	s := apptest.Start(t, certified, func(c *config.Config, _ *app.Surroundings) { c.TLSRedirect = "127.0.0.1:0" })
	for _, c := range []struct {
		method, target string
		status         int
		location       string
	}{
		{http.MethodGet, "/track/ord_1/html?lang=fr", http.StatusPermanentRedirect, "/track/ord_1/html?lang=fr"},
		{http.MethodHead, "/portal/", http.StatusPermanentRedirect, "/portal/"},
		{http.MethodGet, "//evil.example/%2e%2e/", http.StatusPermanentRedirect, "//evil.example/%2e%2e/"},
		{http.MethodGet, "/v1/orders", http.StatusBadRequest, ""},
		{http.MethodGet, "/ops/v1/orders", http.StatusBadRequest, ""},
		{http.MethodPost, "/portal/login", http.StatusBadRequest, ""},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, s.RedirectURL+c.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "evil.example"
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		want := ""
		if c.location != "" {
			want = s.URL + c.location
		}
		if got := response.Header.Get("Location"); response.StatusCode != c.status || got != want {
			t.Errorf("%s %s: got %d to %q, want %d to %q", c.method, c.target, response.StatusCode, got, c.status, want)
		}
	}
	client.CloseIdleConnections()
}
