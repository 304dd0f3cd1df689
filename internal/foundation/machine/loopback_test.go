package machine_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1": true, "127.9.9.9:80": true, "::1": true, "[::1]": true, "[::1]:8080": true, "::ffff:127.0.0.1": true,
		"localhost": true, "LocalHost:443": true,
		"": false, ":80": false, "0.0.0.0": false, "192.0.2.7": false, "[2001:db8::1]:80": false,
		"localhost.example.com": false, "127.0.0.1.example.com": false, "example.com": false,
	} {
		if got := machine.IsLoopback(address); got != want {
			t.Errorf("Is(%q): got %t, want %t", address, got, want)
		}
	}
}
