package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// healthTimeout bounds the request of the health command. Tests do not depend on it.
var healthTimeout = 3 * time.Second

type healthCommand struct {
	URL   string `name:"url" help:"Address of the service. Default: ${default}." default:"http://127.0.0.1:8080" env:"DROPYARD_URL" placeholder:"URL"`
	Ready bool   `help:"Ask whether the service can take orders, and not only whether it responds."`
}

// Run returns an error unless the service responds with 200. It is for images that have
// no other program.
func (c *healthCommand) Run(ctx context.Context) error {
	if err := checkURL("--url", c.URL); err != nil {
		return usageError{err}
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	path := "/v1/health"
	if c.Ready {
		path = "/v1/ready"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, nil)
	if err != nil {
		return usageError{fmt.Errorf("--url: %w", err)}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s responded with %s", c.URL+path, response.Status)
	}
	err = printf("ok\n")
	return err
}
