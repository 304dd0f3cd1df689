package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// child is another process that helps to measure: this program as the bare floor or
// the bare poster of webhooks, or PocketBase. It ends when its standard input does, or
// at a signal, so that it does not outlive this process.
type child struct {
	announcement
	command *exec.Cmd
	input   io.WriteCloser
}

// announcement is the first line that a child prints.
type announcement struct {
	Address string `json:"address"`
	Token   string `json:"token"` // of a client of PocketBase
}

// childVariable is set in the environment of a child, so that a test binary runs as
// one.
const childVariable = "DROPYARD_BENCH_CHILD"

// stopTimeout is how long a process may take to finish before it is killed.
const stopTimeout = time.Minute

// startSelf starts this program with other arguments.
func startSelf(ctx context.Context, arguments ...string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return startChild(ctx, program, arguments...)
}

// startChild starts a program, and waits for its announcement.
func startChild(ctx context.Context, program string, arguments ...string) (*child, error) {
	c := &child{command: exec.CommandContext(ctx, program, arguments...)} //nolint:gosec // programs of this repository
	c.command.Env = append(os.Environ(), childVariable+"=1")
	c.command.Stderr = os.Stderr
	c.command.WaitDelay = time.Second
	var err error
	if c.input, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	if err := json.NewDecoder(bufio.NewReader(output)).Decode(&c.announcement); err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start: %w", program, err), c.stop())
	}
	return c, nil
}

// stop lets the child finish, and kills it after stopTimeout.
func (c *child) stop() error {
	kill := time.AfterFunc(stopTimeout, func() { _ = c.command.Process.Kill() })
	defer kill.Stop()
	return errors.Join(c.input.Close(), c.command.Wait())
}
