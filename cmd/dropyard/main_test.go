package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// run describes how to run the program. Its environment holds no settings but those
// given.
type run struct {
	dir     string // empty: a temporary one
	env     []string
	stdin   string
	program string // empty: the test binary, which runs as dropyard
	user    uint32 // 0: the user who runs the tests
}

// result is the result of a run.
type result struct {
	code           int
	stdout, stderr string
}

func (r run) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), cmp.Or(r.program, os.Args[0]), args...)
	if r.user != 0 {
		testkit.RunAs(command, r.user, r.user)
	}
	command.Dir, command.Stdin = r.dir, strings.NewReader(r.stdin)
	command.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH")}, r.env...)
	return command
}

// do runs the program and waits for its end.
func (r run) do(t *testing.T, args ...string) result {
	t.Helper()
	if r.dir == "" {
		r.dir = testkit.FastDir(t)
	}
	var stdout, stderr bytes.Buffer
	command := r.command(t, args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Start()
	if err == nil {
		err = wait(command)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// wait waits for the end of a command. One that serves instead of ending fails its test,
// without holding up the others.
func wait(command *exec.Cmd) error {
	late := time.AfterFunc(repeatable.Hang, func() { _ = command.Process.Kill() })
	defer late.Stop()
	return command.Wait()
}

// Settings of an OpenID provider, to which a setting is added that cannot work.
const (
	openIDFlags = "--oidc-issuer https://x.example --oidc-client-id a --oidc-role-claim groups"
	secretEnv   = "DROPYARD_OIDC_CLIENT_SECRET=hushhush" //nolint:gosec // of tests only
)

// TestInvalidSettings expects exit code 2 and one line that names the setting, before
// any file is created.
func TestInvalidSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args, env, want string
	}{
		"OpenID roles, no issuer": {"serve --oidc-roles admin=staff", "", "--oidc-issuer"},
		"OpenID trust, no issuer": {"serve --oidc-trust-emails", "", "--oidc-issuer"},
		"OpenID roles, no claim": {
			"serve --oidc-issuer https://x.example --oidc-client-id a --oidc-roles admin=b", secretEnv, "--oidc-roles",
		},
		"OpenID, unknown role":     {"serve " + openIDFlags + " --oidc-roles owner=b", secretEnv, "--oidc-roles"},
		"OpenID, value of two":     {"doctor " + openIDFlags + " --oidc-roles admin=b,courier=b", secretEnv, "--oidc-roles"},
		"no port":                  {"serve --listen 127.0.0.1", "", "--listen"},
		"port not a number":        {"serve --listen 127.0.0.1:http", "", "--listen"},
		"port out of range":        {"serve --listen 127.0.0.1:65536", "", "--listen"},
		"listen from environment":  {"serve", "DROPYARD_LISTEN=nonsense", "--listen"},
		"no data":                  {"serve --data=", "", "--data"},
		"negative rate":            {"serve --rate-limit=-1", "", "--rate-limit"},
		"rate in words":            {"serve --rate-limit many", "", "--rate-limit"},
		"rate from environment":    {"serve", "DROPYARD_RATE_LIMIT=many", "RATE_LIMIT"},
		"file as base URL":         {"serve --base-url file:///x", "", "--base-url"},
		"base URL without host":    {"serve --base-url https://", "", "--base-url"},
		"base URL with query":      {"serve --base-url https://x.example?a=1", "", "--base-url"},
		"base URL with user":       {"serve --base-url https://u@x.example", "", "--base-url"},
		"unknown database":         {"serve --database mysql://hushhush", "", "--database"},
		"operator, no password":    {"serve --operator-email a@example.com", "", "--operator-password"},
		"password, no operator":    {"serve", "DROPYARD_OPERATOR_PASSWORD=hushhush", "--operator-email"},
		"operator without e-mail":  {"serve --operator-email ops", "DROPYARD_OPERATOR_PASSWORD=hushhush-1907", "email"},
		"operator's weak password": {"serve --operator-email a@example.com", "DROPYARD_OPERATOR_PASSWORD=hush", "password"},
		"pace too short":           {"serve --simulate --simulate-pace 9ms", "", "--simulate-pace"},
		"pace in words":            {"serve", "DROPYARD_SIMULATE_PACE=fast", "SIMULATE_PACE"},
		"negative speed":           {"serve --courier-speed=-1", "", "--courier-speed"},
		"speed in words":           {"serve", "DROPYARD_COURIER_SPEED=fast", "COURIER_SPEED"},
		"map without places":       {"serve --map https://tiles.example.com/tiles.png", "", "--map"},
		"map that is not there":    {"serve", "DROPYARD_MAP=no-such.pmtiles", "--map"},
		"map that is a directory":  {"serve --map .", "", "--map"},
		"negative stop time":       {"serve --stop-time=-1m", "", "--stop-time"},
		"stop time in words":       {"serve", "DROPYARD_STOP_TIME=short", "STOP_TIME"},
		"demo in words":            {"serve", "DROPYARD_DEMO=perhaps", "DEMO"},
		"unknown flag":             {"serve --colour blue", "", "--colour"},
		"unknown command":          {"deliver", "", "deliver"},
		"stray argument":           {"serve now", "", "now"},
		"add: no e-mail":           {"operator add", "DROPYARD_OPERATOR_PASSWORD=hushhush-1907", "email"},
		"add: bad e-mail":          {"operator add ops", "DROPYARD_OPERATOR_PASSWORD=hushhush-1907", "email"},
		"add: no password":         {"operator add a@example.com", "", "--password"},
		"add: courier, no record": {
			"operator add a@example.com --role courier", "DROPYARD_OPERATOR_PASSWORD=hushhush-1907", "--courier",
		},
		"add: record, no courier": {
			"operator add a@example.com --courier cou_1", "DROPYARD_OPERATOR_PASSWORD=hushhush-1907", "--courier",
		},
		"add: weak password": {"operator add a@example.com", "DROPYARD_OPERATOR_PASSWORD=hush", "password"},
		"add: unknown role": {
			"operator add a@example.com --role king", "DROPYARD_OPERATOR_PASSWORD=hushhush-1907", "--role",
		},
		"call: no key":             {"call GET /v1/orders", "DROPYARD_SECRET=hushhush", "DROPYARD_KEY"},
		"call: no secret":          {"call GET /v1/orders", "DROPYARD_KEY=pk", "DROPYARD_SECRET"},
		"call: no profile":         {"call GET /v1/orders", "", "dropyard login"},
		"call: no path":            {"call GET", "", "path"},
		"call: path without slash": {"call GET v1/orders", "", "v1/orders"},
		"call: no such file":       {"call POST /v1/orders -d @missing.json", "", "missing.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run{dir: testkit.FastDir(t)}
			if c.env != "" {
				r.env = []string{c.env}
			}
			got := r.do(t, strings.Fields(c.args)...)
			if got.code != 2 || got.stdout != "" {
				t.Errorf("got exit code %d and output %q, want 2 and none", got.code, got.stdout)
			}
			if !strings.HasPrefix(got.stderr, "dropyard: ") || strings.Count(got.stderr, "\n") != 1 ||
				!strings.Contains(got.stderr, c.want) {
				t.Errorf("got %q, want one line with %s", got.stderr, c.want)
			}
			if strings.Contains(got.stderr, "hush") {
				t.Errorf("got %q, want it without the password", got.stderr)
			}
			if files, err := os.ReadDir(r.dir); err != nil || len(files) != 0 {
				t.Errorf("got files %v (%v), want none", files, err)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, argument := range []string{"version", "--version"} {
		got := (run{}).do(t, argument)
		if line, _, _ := strings.Cut(got.stdout, "\n"); got.code != 0 || line != "dropyard "+version || got.stderr != "" {
			t.Errorf("%s: got %+v, want the version on the first line", argument, got)
		}
	}
	var described build
	if got := (run{}).do(t, "version", "--json"); got.code != 0 ||
		json.Unmarshal([]byte(got.stdout), &described) != nil || described != thisBuild() {
		t.Errorf("version --json: got %+v, want %+v", got, thisBuild())
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"":                    {"serve", "call", "listen", "--version"},
		"--help":              {"serve", "call", "listen", "--version"},
		"serve --help":        {"Default: 127.0.0.1:8080", "Default: ./data", "DROPYARD_LISTEN"},
		"call --help":         {"PATCH", "--profile", "DROPYARD_SECRET"},
		"listen --help":       {"--server", "DROPYARD_WEBHOOK_SECRET"},
		"operator add --help": {"--password"},
	} {
		got := (run{}).do(t, strings.Fields(args)...)
		if got.code != 0 || !strings.HasPrefix(got.stdout, "Usage: dropyard") || got.stderr != "" {
			t.Errorf("%q: got %+v, want exit code 0 and the usage", args, got)
		}
		for _, text := range want { // the help breaks its lines between words
			if !strings.Contains(strings.Join(strings.Fields(got.stdout), " "), text) {
				t.Errorf("%q: got %s, want %q in it", args, got.stdout, text)
			}
		}
	}
}
