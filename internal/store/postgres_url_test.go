package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/store"
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
		err := store.CheckURL("postgres://" + text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("postgres://%s: got %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("postgres://%s: got %v, want no password", text, err)
		}
	}
}
