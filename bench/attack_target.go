package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// target is a service that is attacked: the binary of dropyard with a data
// directory of its own.
type target struct {
	command   *exec.Cmd
	address   string // host and port
	directory string // holds the data directory and the log
	token     string // of an operator who is an admin
	ended     chan error
}

// The operator of an attacked service.
const (
	targetEmail    = "operator@bench.example"
	targetPassword = "not-a-secret-anywhere"
)

// startTarget starts a service and waits until it is ready. Without a binary, one
// is built from this tree.
func startTarget(ctx context.Context, directory, binary string, flags ...string) (*target, error) {
	if binary == "" {
		binary = filepath.Join(directory, "dropyard")
		if err := buildDropyard(ctx, binary); err != nil {
			return nil, err
		}
	}
	t := &target{directory: directory, ended: make(chan error, 1)}
	arguments := append([]string{"serve", "--listen=127.0.0.1:0", "--data=" + filepath.Join(directory, "data")}, flags...)
	t.command = exec.CommandContext(ctx, binary,
		arguments...) //nolint:gosec // the binary is what the caller wants to attack
	// The partners are new, and many, and all clients are of this machine. An older binary does
	// not know these variables, and ignores them.
	t.command.Env = append(os.Environ(), "DROPYARD_OPERATOR_EMAIL="+targetEmail,
		"DROPYARD_OPERATOR_PASSWORD="+targetPassword, "DROPYARD_NEW_ACCOUNT_BYTES=0", "DROPYARD_REGISTRATION_LIMIT=0",
		"DROPYARD_CONNECTION_LIMIT=0")
	log, err := t.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := t.command.Start(); err != nil {
		return nil, err
	}
	if err := t.awaitReady(log); err != nil {
		return nil, errors.Join(fmt.Errorf("the service did not start: %w", err), t.stop())
	}
	return t, t.signIn(ctx)
}

// awaitReady reads the log up to the line with the address. The rest goes into a
// file beside the data directory.
func (t *target) awaitReady(log io.Reader) error {
	lines := bufio.NewReader(log)
	var seen bytes.Buffer
	for t.address == "" {
		line, err := lines.ReadString('\n')
		seen.WriteString(line)
		if err != nil {
			t.ended <- nil
			return fmt.Errorf("%w: %s", err, seen.String())
		}
		if _, after, found := strings.Cut(line, "msg=ready url=http://"); found {
			t.address, _, _ = strings.Cut(after, " ")
		}
	}
	file, err := os.Create(filepath.Join(t.directory, "log"))
	if err != nil {
		t.ended <- nil
		return err
	}
	go func() {
		_, err := io.Copy(file, lines)
		t.ended <- errors.Join(err, file.Close())
	}()
	return nil
}

// stop lets the service finish, and kills it after stopTimeout.
func (t *target) stop() error {
	kill := time.AfterFunc(stopTimeout, func() { _ = t.command.Process.Kill() })
	defer kill.Stop()
	err := t.command.Process.Signal(syscall.SIGTERM)
	return errors.Join(err, <-t.ended, t.command.Wait())
}

func (t *target) url(path string) string { return "http://" + t.address + path }

func (t *target) signIn(ctx context.Context) error {
	var answer struct {
		Token string `json:"token"`
	}
	login := map[string]string{"email": targetEmail, "password": targetPassword, "name": "bench"}
	err := post(ctx, t.url("/ops/v1/tokens"), login, &answer)
	t.token = answer.Token
	return err
}

// partners registers partners with a key each, and the highest rate limit.
func (t *target) partners(ctx context.Context, count int) (accounts []account, err error) {
	for range count {
		made, err := t.partner(ctx)
		if err == nil {
			err = t.lift(ctx, made)
		}
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, made)
	}
	return accounts, nil
}

// lift gives a partner the highest rate limit.
func (t *target) lift(ctx context.Context, a account) error {
	return t.operate(ctx, http.MethodPatch, "/ops/v1/partners/"+a.PartnerID, map[string]any{"rate_limit": 1_000_000})
}

// partner registers a partner with a key, and with the service's own limits.
func (t *target) partner(ctx context.Context) (account, error) {
	return makeAccount(ctx, t.url(""), int(newRandom().Uint32()))
}

// operate sends a request of the operator, which must succeed.
func (t *target) operate(ctx context.Context, method, path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, t.url(path), bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+t.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, response.Status, content)
	}
	return err
}

// watchInterval is how often memory and descriptors are read.
const watchInterval = 50 * time.Millisecond

// watch returns the most that the service uses until the context ends.
func (t *target) watch(ctx context.Context) (most usage) {
	for {
		most = most.or(usageOf(t.command.Process.Pid))
		if pace.Pause(ctx, watchInterval) != nil {
			return most
		}
	}
}

// usageOf returns what a process uses now, from /proc; zero where there is none.
func usageOf(pid int) (u usage) {
	directory := filepath.Join("/proc", strconv.Itoa(pid))
	text, _ := os.ReadFile(filepath.Join(directory, "statm")) // absent on other systems than Linux
	if fields := strings.Fields(string(text)); len(fields) > 1 {
		pages, _ := strconv.Atoi(fields[1])
		u.MegaBytes = float64(pages*os.Getpagesize()) / (1 << 20)
	}
	open, _ := os.ReadDir(filepath.Join(directory, "fd"))
	u.Descriptors = len(open)
	return u
}
