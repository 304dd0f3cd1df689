package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

var readyLine = regexp.MustCompile(`msg=ready url=(http://\S+)`)

// serving is a running "dropyard serve".
type serving struct {
	*apptest.Service
	command *exec.Cmd
	log     chan string // holds all lines after the ready line, once the service has ended
}

// serve starts the service on a free port and waits until it is ready.
func (r run) serve(t *testing.T) *serving {
	t.Helper()
	s := &serving{command: r.command(t, "serve", "--listen", "127.0.0.1:0"), log: make(chan string, 1)}
	stderr, err := s.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.command.Process.Kill() })
	reader := bufio.NewReader(stderr)
	line, err := reader.ReadString('\n')
	if strings.Contains(line, "the machine's clock is in doubt") { // on a machine so slow that the store is minutes old
		line, err = reader.ReadString('\n')
	}
	found := readyLine.FindStringSubmatch(line)
	if err != nil || found == nil {
		t.Fatalf("got first line %q (%v), want the ready line", line, err)
	}
	s.Service = apptest.Attach(found[1])
	t.Cleanup(s.Stop)
	go func() {
		rest, _ := io.ReadAll(reader)
		s.log <- string(rest)
	}()
	return s
}

// signal stops the service by a signal, and returns its exit code and log.
func (s *serving) signal(t *testing.T, signal syscall.Signal) (code int, log string) {
	t.Helper()
	if err := s.command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	log = <-s.log
	_ = s.command.Wait()
	return s.command.ProcessState.ExitCode(), log
}

// TestServeStopsOnSignals expects exit code 0, and that the data is there after a
// restart.
func TestServeStopsOnSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		r := run{dir: testkit.FastDir(t), env: []string{
			"DROPYARD_OPERATOR_EMAIL=boss@example.com", "DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword,
		}}
		s := r.serve(t)
		s.Do(t, "GET", "/v1/health", nil).Must(t, 200)
		partner := s.Register(t, "metro")
		if code, log := s.signal(t, signal); code != 0 || !strings.Contains(log, "msg=draining") ||
			strings.Contains(log, "ERROR") {
			t.Errorf("%v: got exit code %d and log %s, want 0 and no error", signal, code, log)
		}
		s = r.serve(t)
		partner.Service = s.Service
		partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
		s.Operate(t)
		s.signal(t, signal)
	}
}

// TestServeStopsDuringStart stops a service that waits for its database, and expects exit
// code 0: service managers take any other for a failure.
func TestServeStopsDuringStart(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	r := run{env: []string{"DROPYARD_DATABASE=postgres://dropyard@" + silent.Addr().String() + "/dropyard"}}
	command := r.command(t, "serve", "--listen", "127.0.0.1:0")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := silent.Accept(); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("got %v, %q, want exit code 0 and no error", err, &stderr)
	}
}

// TestDataIsPrivate expects no permissions for other users of the machine.
func TestDataIsPrivate(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	s := r.serve(t)
	defer s.signal(t, syscall.SIGTERM)
	data := filepath.Join(r.dir, "data")
	for _, path := range []string{data, filepath.Join(data, "master.key")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v, error %v, want no access for group and others", path, info.Mode(), err)
		}
	}
}

// TestOperatorAddWhileServing expects that the new operator can log in immediately.
func TestOperatorAddWhileServing(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	s := r.serve(t)
	token := func(status int) *apptest.Answer {
		t.Helper()
		return s.Do(t, "POST", "/ops/v1/tokens",
			[]byte(`{"email":"New@example.com","password":"`+apptest.OperatorPassword+`"}`)).Must(t, status)
	}
	token(401)
	r.env = []string{"DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword}
	if got := r.do(t, "operator", "add", "new@example.com", "--role", "warehouse"); got.code != 0 ||
		got.stdout != "operator new@example.com added as warehouse\n" {
		t.Fatalf("add: got %+v, want exit code 0", got)
	}
	if got := token(201); got.Text("role") != "warehouse" {
		t.Errorf("token: got %s, want the role warehouse", got.Body)
	}
	if got := r.do(t, "operator", "add", "NEW@example.com"); got.code != 1 || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("add the same address again: got %+v, want exit code 1 and one line", got)
	}
	if got := r.with("DROPYARD_OPERATOR_PASSWORD=").do(t, "operator", "add", "third@example.com"); got.code != 2 ||
		!strings.Contains(got.stderr, "set DROPYARD_OPERATOR_PASSWORD") {
		t.Errorf("add without a password: got %+v, want exit code 2 and the name of the variable", got)
	}
	if got := r.do(t, "key", "rotate", "--data", "nowhere"); got.code != 1 ||
		!strings.HasSuffix(got.stderr, "the data directory nowhere does not exist: set --data\n") {
		t.Errorf("rotate the key of no directory: got %+v, want exit code 1 and to set --data", got)
	}
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: got exit code %d and log %s, want 0", code, log)
	}
}

// TestServeStartErrors expects exit code 1 and one line.
func TestServeStartErrors(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t)}
	s := r.serve(t)
	if got := (run{}).do(t, "serve", "--listen", s.Address()); got.code != 1 || strings.Count(got.stderr, "\n") != 1 ||
		!strings.Contains(got.stderr, "--listen: another program listens on "+s.Address()) {
		t.Errorf("port in use: got %+v, want exit code 1 and one line with the flag and the address", got)
	}
	file := filepath.Join(r.dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := (run{}).do(t, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(file, "data"))
	if got.code != 1 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "--data: ") {
		t.Errorf("a file in place of a folder: got %+v, want exit code 1 and one line with the flag", got)
	}
	got = (run{dir: testkit.FastDir(t)}).do(t, "serve", "--listen", "127.0.0.1:0", "--backups", filepath.Join(file, "b"))
	if got.code != 1 || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "--backups: ") {
		t.Errorf("a file in place of the folder of backups: got %+v, want exit code 1 and one line with the flag", got)
	}
	s.signal(t, syscall.SIGTERM)
	if err := os.Remove(filepath.Join(r.dir, "data", "master.key")); err != nil {
		t.Fatal(err)
	}
	if got := r.do(t, "serve", "--listen", "127.0.0.1:0"); got.code != 1 || strings.Count(got.stderr, "\n") != 1 ||
		!strings.Contains(got.stderr, "master.key") {
		t.Errorf("missing master key: got %+v, want exit code 1 and one line with its file", got)
	}
}
