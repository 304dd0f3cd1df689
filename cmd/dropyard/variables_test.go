package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestUnknownVariables expects doctor to name each variable that looks like a setting and is
// none, with the setting that was meant.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	known := knownVariables(t.Context())
	for name, want := range map[string]string{
		"DROPYARD_BASEURL": "DROPYARD_BASE_URL", "DROPYARD_DATABSE": "DROPYARD_DATABASE", "dropyard_data": "DROPYARD_DATA",
		"DROPYARD_RETAIN_ORDER": "DROPYARD_RETAIN_ORDERS", "DROPYARD_TRUSTED_PROXY": "DROPYARD_TRUSTED_PROXIES",
	} {
		found := unknownVariables([]string{"PATH=/bin", name + "=1", "DROPYARD_LISTEN=:80"}, known)
		if len(found) != 1 || !strings.HasPrefix(found[0], name+" ") || !strings.HasSuffix(found[0], " "+want+"?") {
			t.Errorf("%s: got %q, want one line that names %s", name, found, want)
		}
	}
	links := []string{
		"DROPYARD_SERVICE_HOST=10.0.0.1", "DROPYARD_SERVICE_PORT=80", "DROPYARD_SERVICE_PORT_HTTP=80",
		"DROPYARD_PORT=tcp://10.0.0.1:80", "DROPYARD_PORT_80_TCP=tcp://10.0.0.1:80", "DROPYARD_PORT_80_TCP_ADDR=10.0.0.1",
		"DROPYARD_METRICS_SERVICE_HOST=10.0.0.2", "DROPYARD_METRICS_PORT_80_TCP=a",
	}
	for i, name := range known {
		known[i] = name + "=1"
	}
	all := slices.Concat(links, known)
	if found := unknownVariables(all, knownVariables(t.Context())); len(found) > 0 {
		t.Errorf("got %q, want settings and links of Kubernetes accepted", found)
	}
	got := (run{dir: testkit.FastDir(t), env: []string{"DROPYARD_BASEURL=https://a.example"}}).do(t, "doctor")
	if got.code != 1 || !strings.Contains(got.stdout,
		"fault: DROPYARD_BASEURL is set, and is not a setting: did you mean DROPYARD_BASE_URL?\n") {
		t.Errorf("got %+v, want the variable among the faults", got)
	}
}
