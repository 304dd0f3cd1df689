package outbound

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// loopback is for tests that need loopback addresses but not the rest of Insecure.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func rootsOf(certificate *x509.Certificate) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return roots
}

// selfSigned returns a certificate for hooks.example.com.
func selfSigned(t *testing.T, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), repeatable.Reader(t))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"hooks.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(repeatable.Reader(t), template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// shake returns a server that does the TLS handshake and then answers.
func shake(config *tls.Config) func(net.Conn) {
	return func(conn net.Conn) {
		secure := tls.Server(conn, config)
		if secure.Handshake() == nil {
			hear(secure)
			_, _ = secure.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
			untilClosed(secure)
		}
	}
}

func TestTLSProblems(t *testing.T) {
	t.Parallel()
	good := selfSigned(t, nil)
	for name, test := range map[string]struct {
		certificate tls.Certificate
		unknown     bool // to the client
		serve       func(net.Conn)
		version     uint16
		problem     string
	}{
		"good":    {certificate: good},
		"unknown": {certificate: good, unknown: true, problem: "TLS: certificate of an unknown authority"},
		"old TLS": {certificate: good, version: tls.VersionTLS11, problem: "TLS: handshake failed"},
		"not TLS": {serve: func(conn net.Conn) {
			_, _ = conn.Write([]byte("SSH-2.0-OpenSSH_9.6\r\n"))
			untilClosed(conn)
		}, problem: "TLS: the endpoint does not speak it"},
		"HTTP": {serve: func(conn net.Conn) {
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad\r\n\r\n"))
			untilClosed(conn)
		}, problem: "TLS: the endpoint does not speak it"},
		"hangs up":     {serve: func(net.Conn) {}, problem: "TLS: handshake failed"},
		"no handshake": {serve: untilClosed, problem: "TLS: no handshake within 0.05 s"},
		"expired": {problem: "TLS: certificate expired", certificate: selfSigned(t, func(c *x509.Certificate) {
			c.NotAfter = time.Now().Add(-time.Minute)
		})},
		"not valid yet": {problem: "TLS: certificate expired", certificate: selfSigned(t, func(c *x509.Certificate) {
			c.NotBefore = time.Now().Add(time.Minute)
		})},
		"of another host": {
			problem: "TLS: certificate of another host", certificate: selfSigned(t, func(c *x509.Certificate) {
				c.DNSNames = []string{"other.example.com"}
			}),
		},
		"for another use": {problem: "TLS: certificate invalid", certificate: selfSigned(t, func(c *x509.Certificate) {
			c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			serve := test.serve
			if serve == nil {
				serve = shake(&tls.Config{
					Certificates: []tls.Certificate{test.certificate}, MinVersion: tls.VersionTLS10, MaxVersion: test.version,
				})
			}
			_, port, _ := net.SplitHostPort(speak(t, "127.0.0.1", serve))
			c := newTestClient(t, Policy{Networks: loopback}, func(w *outside) {
				w.resolver, w.roots = always("127.0.0.1"), x509.NewCertPool()
				if !test.unknown && test.certificate.Leaf != nil {
					w.roots.AddCert(test.certificate.Leaf)
				}
				if name == "no handshake" {
					w.handshake = short
				}
			})
			answer := post(t, c, "https://hooks.example.com:"+port+"/")
			if answer.Problem != test.problem || (answer.Status == 200) != (test.problem == "") {
				t.Errorf("got %+v, want problem %q", answer, test.problem)
			}
		})
	}
}
