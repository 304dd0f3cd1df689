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
	"strconv"
	"strings"
	"time"
)

// child is the measured server: this program in another process, so that its CPU
// time can be measured alone. It ends when its standard input does, so it does not
// outlive this process.
type child struct {
	ready
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// ready is the first line that the child prints.
type ready struct {
	Address  string    `json:"address"`
	Metrics  string    `json:"metrics"` // the address of the metrics
	Accounts []account `json:"accounts"`
	// Samples are ids of stored orders of the first account, evenly spaced.
	Samples []string `json:"samples"`
}

// account is a partner and the API key that it signs requests with.
type account struct {
	PartnerID string `json:"partner_id"`
	PublicKey string `json:"public_key"`
	Secret    string `json:"secret"`
}

// childVariable is set in the environment of a child, so that a test binary runs as
// one.
const childVariable = "DROPYARD_BENCH_CHILD"

// stopTimeout is how long a child may take to finish before it is killed.
const stopTimeout = time.Minute

func startChild(ctx context.Context, arguments []string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{command: exec.CommandContext(ctx, program, arguments...)}
	c.command.Env = append(os.Environ(), childVariable+"=1")
	c.command.Stderr = os.Stderr
	c.command.WaitDelay = time.Second
	if c.input, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.output = bufio.NewReader(output)
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	if err := c.awaitReady(); err != nil {
		return nil, errors.Join(fmt.Errorf("the server did not start: %w", err), c.stop())
	}
	return c, nil
}

func (c *child) awaitReady() error {
	line, err := c.output.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, &c.ready)
}

// cpu returns the CPU time that the child has used so far.
func (c *child) cpu() (time.Duration, error) {
	if _, err := io.WriteString(c.input, "cpu\n"); err != nil {
		return 0, err
	}
	line, err := c.output.ReadString('\n')
	if err != nil {
		return 0, err
	}
	nanos, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return time.Duration(nanos), err
}

// begin lets a waiting child start its work.
func (c *child) begin() error {
	_, err := io.WriteString(c.input, "begin\n")
	return err
}

// done waits until the child reports that its work is done.
func (c *child) done() error {
	_, err := c.output.ReadString('\n')
	return err
}

// stop lets the child finish, and kills it after stopTimeout.
func (c *child) stop() error {
	kill := time.AfterFunc(stopTimeout, func() { _ = c.command.Process.Kill() })
	defer kill.Stop()
	return errors.Join(c.input.Close(), c.command.Wait())
}

// stopwatch measures the CPU time of a window. Its hook is called at both ends.
type stopwatch struct {
	read     func() (time.Duration, error)
	readings []time.Duration
}

func (s *stopwatch) hook() error {
	reading, err := s.read()
	s.readings = append(s.readings, reading)
	return err
}

func (s *stopwatch) elapsed() time.Duration {
	if len(s.readings) < 2 {
		return 0
	}
	return s.readings[1] - s.readings[0]
}
