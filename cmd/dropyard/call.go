package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type callCommand struct {
	Method string `arg:"" help:"GET, POST, PUT, PATCH or DELETE."`
	Path   string `arg:"" help:"Path and query (example: '/v1/orders?limit=10')."`
	Data   string `short:"d" help:"Body of the request: JSON, @FILE, or @- for standard input." placeholder:"JSON|@FILE"`
	partnerFlags
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default for POST and PATCH: a new one." placeholder:"UUID"`
	Include        bool   `short:"i" help:"Also print status and headers."`
}

// Run signs and sends the request and prints the body of the response. A status of
// 400 or more is an error.
func (c *callCommand) Run(ctx context.Context) error {
	body, err := c.body()
	if err != nil {
		return usageError{err}
	}
	if !strings.HasPrefix(c.Path, "/") {
		return usageError{fmt.Errorf("<path>: %q does not begin with / (example: /v1/orders)", c.Path)}
	}
	method := strings.ToUpper(c.Method)
	if c.IdempotencyKey == "" && (method == http.MethodPost || method == http.MethodPatch) {
		c.IdempotencyKey = client.NewIdempotencyKey()
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	answer, err := partner.CallWithKey(ctx, method, c.Path, body, c.IdempotencyKey)
	if err != nil {
		return err
	}
	return c.print(answer)
}

func (c *callCommand) body() ([]byte, error) {
	name, isFile := strings.CutPrefix(c.Data, "@")
	switch {
	case !isFile:
		return []byte(c.Data), nil
	case name == "-":
		return io.ReadAll(os.Stdin)
	default:
		return os.ReadFile(name)
	}
}

// print prints an answer. Its body is printed as it is if it is not JSON and goes to a file or
// to a program.
func (c *callCommand) print(answer *client.Answer) error {
	if c.Include {
		tell("HTTP %d", answer.Status)
		for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
			for _, value := range answer.Header[name] {
				tell("%s: %s", name, value)
			}
		}
		tell("")
	}
	body := bytes.TrimRight(answer.Body, "\n")
	switch {
	case json.Valid(body):
		body = terminal.CleanJSON(body)
	case terminal.Is(os.Stdout):
		body = []byte(terminal.CleanLines(string(body)))
	}
	if _, err := os.Stdout.Write(append(body, '\n')); err != nil {
		return err
	}
	if answer.Status >= 400 {
		return answer.Err()
	}
	return nil
}
