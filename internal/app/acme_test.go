package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// authority is an ACME server (RFC 8555) for one domain, which it validates by TLS-ALPN-01
// (RFC 8737). It checks no signatures.
type authority struct {
	*httptest.Server
	domain  string
	address func() string // of the service that the domain leads to
	key     *ecdsa.PrivateKey
	root    *x509.Certificate
	state   string // of the order
	chain   []byte
	failure error
	random  io.Reader
}

func newAuthority(t *testing.T, domain string, address func() string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), repeatable.Reader(t, "key"))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(repeatable.Reader(t, "root"), template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	root, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{domain: domain, address: address, key: key, root: root, state: "pending", random: repeatable.Reader(t,
		"leaf")}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

// ServeHTTP answers requests, of which the client sends one at a time.
func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Replay-Nonce", "nonce")
	w.Header().Set("Location", a.URL+"/order")
	challenge := map[string]any{"type": "tls-alpn-01", "url": a.URL + "/challenge", "token": "token", "status": a.state}
	switch r.URL.Path {
	case "/directory":
		a.answer(w, http.StatusOK,
			map[string]any{"newNonce": a.URL + "/nonce", "newAccount": a.URL + "/account", "newOrder": a.URL + "/new-order"})
	case "/nonce":
	case "/account":
		a.answer(w, http.StatusCreated, map[string]any{"status": "valid"})
	case "/new-order":
		a.answer(w, http.StatusCreated, a.order())
	case "/authorization":
		a.answer(w, http.StatusOK, map[string]any{
			"status": a.state, "identifier": map[string]any{"type": "dns", "value": a.domain}, "challenges": []any{challenge},
		})
	case "/challenge":
		if a.failure = a.validate(r.Context()); a.failure == nil {
			a.state = "valid"
		} else {
			a.state = "invalid"
		}
		a.answer(w, http.StatusOK, challenge)
	case "/order":
		a.answer(w, http.StatusOK, a.order())
	case "/finalize":
		a.issue(r)
		a.answer(w, http.StatusOK, a.order())
	case "/certificate":
		_, _ = w.Write(a.chain)
	default:
		http.NotFound(w, r)
	}
}

func (a *authority) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (a *authority) order() map[string]any {
	order := map[string]any{
		"status": a.state, "authorizations": []string{a.URL + "/authorization"}, "finalize": a.URL + "/finalize",
	}
	if a.state == "valid" {
		order["status"] = "ready"
	}
	if a.chain != nil {
		order["status"], order["certificate"] = "valid", a.URL+"/certificate"
	}
	return order
}

// validate connects to the service as an authority does.
func (a *authority) validate(ctx context.Context) error {
	dialer := tls.Dialer{
		Config: &tls.Config{ServerName: a.domain, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true},
	} //nolint:gosec // the certificate is the proof
	conn, err := dialer.DialContext(ctx, "tcp", a.address())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].VerifyHostname(a.domain)
}

// issue makes the certificate that a request to finalize asks for.
func (a *authority) issue(r *http.Request) {
	var signed struct{ Payload string }
	var finalize struct{ CSR string }
	a.failure = json.NewDecoder(r.Body).Decode(&signed)
	payload, _ := base64.RawURLEncoding.DecodeString(signed.Payload)
	_ = json.Unmarshal(payload, &finalize)
	der, _ := base64.RawURLEncoding.DecodeString(finalize.CSR)
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		a.failure = err
		return
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: request.DNSNames, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour),
	}
	leaf, err := x509.CreateCertificate(a.random, template, a.root, request.PublicKey, a.key)
	if err != nil {
		a.failure = err
		return
	}
	a.chain = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf})
}

// TestDomainGetsCertificate requests a certificate by ACME, and expects it in the data
// directory, where only its owner can read it.
func TestDomainGetsCertificate(t *testing.T) {
	t.Parallel()
	const domain = "delivery.example.com"
	var s *apptest.Service
	serviceAddress := func() string { return "127.0.0.1" + s.URL[strings.LastIndex(s.URL, ":"):] }
	a := newAuthority(t, domain, serviceAddress)
	s = apptest.Start(t, func(c *config.Config, _ *app.Surroundings) {
		c.TLSDomains, c.TLSAuthority = []string{domain}, a.URL+"/directory"
	})
	if !strings.HasPrefix(s.URL, "https://"+domain+":") {
		t.Errorf("got URL %s, want one of https and the domain", s.URL)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.root)
	client := trusting(t, roots)
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, serviceAddress())
	}
	response, _ := get(t, client, s.URL+"/v1/health")
	if response.StatusCode != http.StatusOK || a.failure != nil {
		t.Errorf("got %v (authority: %v), want 200", response.Status, a.failure)
	}
	client.CloseIdleConnections()
	info, err := os.Stat(filepath.Join(s.Data, "certificates", domain))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("got %+v, %v, want a certificate that only its owner can read", info, err)
	}
	conn, err := tls.Dial("tcp", serviceAddress(), &tls.Config{ServerName: "other.example.com", RootCAs: roots})
	if err == nil {
		_ = conn.Close()
		t.Error("another domain: got a connection, want none")
	}
}
