package db_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
)

// TestURLFaults expects a sentence of its own for each kind of fault, without the password.
func TestURLFaults(t *testing.T) {
	t.Parallel()
	const (
		escape  = "special characters in the user, the password and the name must be escaped"
		port    = "its port is not a number"
		unknown = "has the unknown parameter"
	)
	empty := filepath.Join(t.TempDir(), "a+b.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"u:hunter2/x@127.0.0.1:5432/name":    escape,
		"u:1/hunter2@127.0.0.1:5432/name":    escape,
		"u:hunter2?x@127.0.0.1:5432/name":    escape,
		"u:1?hunter2@127.0.0.1:5432/name":    escape,
		"u:hunter2#x@127.0.0.1:5432/name":    escape,
		"u:1#hunter2@127.0.0.1:5432/name":    escape,
		"u:hunter2 x@127.0.0.1:5432/name":    escape,
		"u:hunter2%x@127.0.0.1:5432/name":    escape,
		"u:hunter2[x@127.0.0.1:5432/name":    escape,
		`u:hunter2\x@127.0.0.1:5432/name`:    escape,
		"127.0.0.1/name?password=hunter2%xx": escape,
		"u:hunter2@127.0.0.1:x/name":         port,
		"127.0.0.1:name":                     port,
		"u:hunter2@127.0.0.1:99999/name":     "invalid port",

		"127.0.0.1/name?sslmode=verify-ful":                     `sslmode in the URL of the database: "verify-ful" is not one of disable, allow`,
		"127.0.0.1/name?sslmode=VERIFY-FULL":                    `"VERIFY-FULL" is not one of`,
		"127.0.0.1/name?ssl_mode=require":                       unknown,
		"127.0.0.1/name?sslMode=require":                        unknown,
		"127.0.0.1/name?sslroot=/etc/ssl/ca.pem":                unknown,
		"127.0.0.1/name?tls=true":                               unknown,
		"127.0.0.1/name?pool_max_con=4":                         unknown,
		"127.0.0.1/name?pool_max_conns=many&password=hunter2":   "pool_max_conns",
		"127.0.0.1/name?connect_timeout=soon&password=hunter2":  "connect_timeout",
		"127.0.0.1/name?target_session_attrs=writable":          "target_session_attrs",
		"127.0.0.1/name?sslrootcert=/nowhere/ca.pem":            "sslrootcert in the URL of the database: open /nowhere/ca.pem: no such file",
		"127.0.0.1/name?sslrootcert=" + empty:                   empty + " has no certificate in PEM",
		"127.0.0.1/name?sslcert=/nowhere/a.pem&sslkey=/nowhere": "sslcert in the URL of the database: open /nowhere/a.pem",
		"127.0.0.1/name?sslcert=" + empty:                       "must be set together",
		"127.0.0.1/name?sslkey=" + empty:                        "must be set together",

		"u:p%40%2F%3Fss@127.0.0.1:5432/name":                            "",
		"u:p@ss@127.0.0.1/name":                                         "",
		"127.0.0.1/name?user=a@b&password=x@y":                          "",
		"u@/name?host=/var/run/postgresql":                              "",
		"u:p@10.0.0.1:5432,10.0.0.2:5433/name?sslmode=require":          "",
		"[::1]:5432/name?sslmode=verify-full&lock_timeout=1":            "",
		"127.0.0.1/name?sslrootcert=system&sslmode=verify-full":         "",
		"127.0.0.1/name?channel_binding=require&sslmode=require":        "",
		"127.0.0.1/name?pool_max_conns=4&pool_ping_timeout=1s&ssl=true": "",
	} {
		err := db.CheckURL("postgres://" + text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("postgres://%s: got %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("postgres://%s: got %v, want no password", text, err)
		}
	}
}

// TestCertificateFaults connects to servers whose certificates this machine does not accept,
// and to one without TLS.
func TestCertificateFaults(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil) // for its certificate, which is for 127.0.0.1 and example.com
	t.Cleanup(web.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}
	if err := os.WriteFile(authority, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	secure, plain := tlsServer(t, web.TLS), tlsServer(t, nil)
	for text, want := range map[string]string{
		"127.0.0.1:" + secure + "/x?sslmode=verify-full":                          "does not trust: name the authority's certificate with sslrootcert",
		"localhost:" + secure + "/x?sslmode=verify-full&sslrootcert=" + authority: "is not for this name",
		"127.0.0.1:" + plain + "/x?sslmode=require":                               "server refused TLS connection",
	} {
		err := db.CheckServer(t.Context(), "postgres://u:hunter2@"+text, false)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// tlsServer answers the first message of a connection to PostgreSQL, in which a client asks
// for TLS, and offers it if there is a configuration. It returns its port.
func tlsServer(t *testing.T, config *tls.Config) (port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answer := map[bool]string{true: "N", false: "S"}[config == nil]
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := io.ReadFull(client, make([]byte, 8)); err == nil {
				_, _ = io.WriteString(client, answer)
			}
			if config != nil {
				_ = tls.Server(client, config).HandshakeContext(t.Context())
			}
			_ = client.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	_, port, err = net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
