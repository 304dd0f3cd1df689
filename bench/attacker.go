package main

import (
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
	output  *json.Decoder // true once it attacks, and its counts in the end
}

// attacked is what an attacker reads of the service from its standard input.
type attacked struct {
	Address string `json:"address"`
	Token   string `json:"token"`
}

// startAttacker starts this program with the given arguments as an attacker, and
// waits until it attacks: at its priority, that may take a while.
func startAttacker(ctx context.Context, arguments []string, t *target) (*attacker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append([]string{"-n", "19", program}, arguments...)
	a := &attacker{command: exec.CommandContext(ctx, "nice",
		append(command, "--attacker")...)} //nolint:gosec // this program
	a.command.Env = append(os.Environ(), childVariable+"=1")
	a.command.Stderr = os.Stderr
	if a.input, err = a.command.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := a.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.output = json.NewDecoder(output)
	if err := a.command.Start(); err != nil {
		return nil, err
	}
	var attacks bool
	err = errors.Join(json.NewEncoder(a.input).Encode(attacked{t.address, t.token}), a.output.Decode(&attacks))
	if err != nil {
		return nil, errors.Join(err, a.input.Close(), a.command.Wait())
	}
	return a, nil
}

// stop ends the attack, and returns what it counted.
func (a *attacker) stop() (counts map[string]int, err error) {
	kill := time.AfterFunc(stopTimeout, func() { _ = a.command.Process.Kill() })
	defer kill.Stop()
	err = errors.Join(a.input.Close(), a.output.Decode(&counts))
	return counts, errors.Join(err, a.command.Wait())
}

// attackUntilEOF attacks the service that the input names until the input ends. It
// writes true with the first thing that the attack counts, and all its counts in the
// end.
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
	written := json.NewEncoder(output)
	err := attack(ctx, &target{address: service.Address, token: service.Token}, func(name string, n int) {
		lock.Lock()
		defer lock.Unlock()
		if len(counts) == 0 {
			_ = written.Encode(true) // if it fails, writing the counts fails, too
		}
		counts[name] += n
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return written.Encode(counts)
}
