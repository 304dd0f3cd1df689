package cluster_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// built is the path of the program, once build has built it.
var built atomic.Pointer[string]

// build builds the program as it is released, once for all tests.
var build = sync.OnceValues(func() (binary string, err error) {
	dir, err := os.MkdirTemp("", "dropyard-cluster-")
	if err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "dropyard")
	built.Store(&binary)
	out, err := exec.Command("go", "build", "-o", binary, "github.com/dropyard/dropyard/cmd/dropyard").CombinedOutput()
	if err != nil {
		return binary, fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
})

func removeBinary() {
	if binary := built.Load(); binary != nil {
		_ = os.RemoveAll(filepath.Dir(*binary))
	}
}

// settings are the settings of one node.
type settings struct {
	data, masterKey string // masterKey may be empty: in data
	database        string // empty: in data
	quiet           bool   // without a first operator
	proofs          string // empty: in data
	webhooks        bool   // may go to this machine
	binary          string // empty: the current one
}

// program returns the path of the program.
func (s settings) program(t testing.TB) string {
	t.Helper()
	if s.binary != "" {
		return s.binary
	}
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func (s settings) command(t testing.TB) *exec.Cmd {
	t.Helper()
	command := exec.Command(s.program(t), "serve", "--listen", "127.0.0.1:0", "--rate-limit", "0",
		"--data", s.data, "--master-key-file="+s.masterKey, "--database="+s.database, "--proofs="+s.proofs)
	if s.webhooks {
		command.Args = append(command.Args, "--webhook-allow-insecure")
	}
	// The tests create more than strangers may, on a server without fsync.
	command.Env = append(os.Environ(), "DROPYARD_DATABASE_MAY_LOSE_DATA=true",
		"DROPYARD_NEW_ACCOUNT_BYTES=0", "DROPYARD_REGISTRATION_LIMIT=0")
	if !s.quiet {
		command.Env = append(command.Env, "DROPYARD_OPERATOR_EMAIL="+apptest.OperatorEmail,
			"DROPYARD_OPERATOR_PASSWORD="+apptest.OperatorPassword)
	}
	return command
}

// process is a running dropyard.
type process struct {
	service *apptest.Service
	command *exec.Cmd
	rest    chan string // receives all that it prints after it is ready
}

var readyLine = regexp.MustCompile(`msg=ready url=(http://\S+)`)

// startProcess starts the program and waits until it prints where it listens. If
// the program ends before that, the error holds all that it has printed.
func startProcess(t testing.TB, s settings) (*process, error) {
	t.Helper()
	p := &process{command: s.command(t), rest: make(chan string, 1)}
	stderr, err := p.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	reader := bufio.NewReader(stderr)
	url, printed, err := awaitReady(reader)
	if err != nil {
		return nil, errors.Join(errors.New(printed), p.command.Wait())
	}
	p.service = s.attach(url)
	go func() {
		rest, _ := io.ReadAll(reader)
		p.rest <- string(rest)
	}()
	return p, nil
}

// awaitReady reads what a starting program prints until it prints where it listens.
func awaitReady(reader *bufio.Reader) (url, printed string, err error) {
	var all strings.Builder
	for {
		line, err := reader.ReadString('\n')
		all.WriteString(line)
		if err != nil {
			return "", all.String(), err
		}
		if found := readyLine.FindStringSubmatch(line); found != nil {
			return found[1], all.String(), nil
		}
	}
}

// attach returns the service of a process with these settings.
func (s settings) attach(url string) *apptest.Service {
	service := apptest.Attach(url)
	service.Data, service.Database = s.data, s.database
	return service
}

// kill ends the program without a warning, waits until it is gone, and returns
// what it has printed since it was ready.
func (p *process) kill() string { return p.end(syscall.SIGKILL) }

// end ends the program with a signal in the same way.
func (p *process) end(signal syscall.Signal) string {
	_ = p.command.Process.Signal(signal)
	printed := <-p.rest
	_ = p.command.Wait()
	p.service.CloseIdle()
	return printed
}
