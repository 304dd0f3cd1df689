package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/dropyard/dropyard/client"
)

type callCommand struct {
	Method string `arg:"" help:"GET, POST, PUT, PATCH or DELETE."`
	Path   string `arg:"" help:"Path and query (example: '/v1/orders?limit=10')."`
	Data   string `short:"d" help:"Body of the request: JSON, @FILE, or @- for standard input." placeholder:"JSON|@FILE"`
	partnerFlags
	IdempotencyKey string `help:"UUID that makes it safe to repeat the request. Default for POST: a new one." placeholder:"UUID"`
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
	if c.IdempotencyKey == "" && method == http.MethodPost {
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

func (c *callCommand) print(answer *client.Answer) error {
	if c.Include {
		fmt.Println("HTTP", answer.Status)
		_ = answer.Header.Write(os.Stdout)
		fmt.Println()
	}
	fmt.Println(strings.TrimRight(string(answer.Body), "\n"))
	if answer.Status >= 400 {
		return answer.Err()
	}
	return nil
}
