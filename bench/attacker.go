package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// attacker is this program in another process, which only attacks. It has the
// lowest priority, because a real attacker has machines of its own: here it gets
// the processor time that the service and the bystanders leave, and all of that.
type attacker struct {
	command *exec.Cmd
	input   io.WriteCloser
	output  bytes.Buffer
}

// attacked is what an attacker reads of the service from its standard input.
type attacked struct {
	Address string `json:"address"`
	Token   string `json:"token"`
}

// startAttacker starts this program with the given arguments as an attacker.
func startAttacker(ctx context.Context, arguments []string, t *target) (*attacker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append([]string{"-n", "19", program}, arguments...)
	a := &attacker{command: exec.CommandContext(ctx, "nice", append(command, "--attacker")...)} //nolint:gosec // this program
	a.command.Env = append(os.Environ(), childVariable+"=1")
	a.command.Stdout, a.command.Stderr = &a.output, os.Stderr
	a.command.WaitDelay = time.Second
	if a.input, err = a.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := a.command.Start(); err != nil {
		return nil, err
	}
	return a, json.NewEncoder(a.input).Encode(attacked{t.address, t.token})
}

// stop ends the attack, and returns what it counted.
func (a *attacker) stop() (counts map[string]int, err error) {
	kill := time.AfterFunc(stopTimeout, func() { _ = a.command.Process.Kill() })
	defer kill.Stop()
	if err := errors.Join(a.input.Close(), a.command.Wait()); err != nil {
		return nil, err
	}
	return counts, json.Unmarshal(a.output.Bytes(), &counts)
}

// attackUntilEOF attacks the service that the input names until the input ends, and
// writes what it has counted.
func attackUntilEOF(ctx context.Context, input io.Reader, output io.Writer, attack assault) error {
	named := json.NewDecoder(input)
	var service attacked
	if err := named.Decode(&service); err != nil {
		return fmt.Errorf("read which service to attack: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		_, _ = io.Copy(io.Discard, input)
		end()
	}()
	var lock sync.Mutex
	counts := map[string]int{}
	err := attack(ctx, &target{address: service.Address, token: service.Token}, func(name string, n int) {
		lock.Lock()
		defer lock.Unlock()
		counts[name] += n
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return json.NewEncoder(output).Encode(counts)
}
