package db_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
)

// TestCheckTransport asks of URLs whether a password and data could cross a network in
// the clear.
func TestCheckTransport(t *testing.T) {
	t.Parallel()
	const socket = "postgres://dropyard@/dropyard?host=/var/run/postgresql"
	for url, safe := range map[string]bool{
		"postgres://dropyard:hunter2@127.0.0.1:5432/dropyard":            true,
		"postgres://dropyard:hunter2@localhost/dropyard?sslmode=disable": true,
		"postgres://dropyard:hunter2@[::1]/dropyard":                     true,
		socket: true,
		"postgres://dropyard:hunter2@db.example/dropyard?sslmode=verify-full": true,
		"postgres://dropyard:hunter2@db.example/dropyard?sslmode=require":     true,
		"postgres://dropyard:hunter2@db.example/dropyard":                     false,
		"postgres://dropyard:hunter2@db.example/dropyard?sslmode=prefer":      false,
		"postgres://dropyard:hunter2@db.example/dropyard?sslmode=allow":       false,
		"postgres://dropyard:hunter2@db.example/dropyard?sslmode=disable":     false,
		"postgres://dropyard:hunter2@10.0.0.1/dropyard":                       false,
		"postgres://dropyard:hunter2@127.0.0.1,10.0.0.1/dropyard":             false,
		"postgres://dropyard:hunter2@127.0.0.1/dropyard?host=db.example":      false,
		socket + ",db.example": false,
	} {
		err := db.CheckTransport(url)
		if (err == nil) != safe {
			t.Errorf("CheckTransport(%q): got error %v, want one: %t", url, err, !safe)
		}
		if err != nil &&
			(strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "--database-allow-insecure")) {
			t.Errorf("CheckTransport(%q): got error %q, want it without the password and with the flag", url, err)
		}
	}
}
