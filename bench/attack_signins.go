package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// signInsAttack logs in all the time. Each login costs the service a hashing.
type signInsAttack struct {
	attackFlags
	Connections int  `default:"4" help:"Number of connections with the right passwords."`
	Accounts    int  `default:"20" help:"Number of accounts that they log in to, in turn."`
	Wrong       bool `help:"Send wrong passwords instead, one connection from each address."`
	Addresses   int  `default:"100" help:"Number of addresses of this machine (127.0.1.1 and so on) with wrong passwords."`
}

// Run attacks, and prints the report.
func (c *signInsAttack) Run(ctx context.Context) error {
	if c.Connections < 1 || c.Accounts < 1 || c.Addresses < 1 || c.Addresses > 200 {
		return fmt.Errorf("--connections and --accounts must be at least 1, --addresses 1 to 200")
	}
	if c.Wrong {
		return c.run(ctx, "sign-ins --wrong", c.guess)
	}
	return c.run(ctx, "sign-ins", c.signIn)
}

// signIn logs in to accounts of its own with the right passwords.
func (c *signInsAttack) signIn(ctx context.Context, t *target, count counter) error {
	for i := range c.Accounts {
		var answer struct{}
		if err := post(ctx, t.url("/v1/auth/register"), map[string]string{
			"name": "Attacker", "email": attackerEmail(i), "password": targetPassword,
		}, &answer); err != nil {
			return err
		}
	}
	inParallel(c.Connections, func(connection int) {
		client := clientFrom("127.0.1.1")
		defer client.CloseIdleConnections()
		for i := connection; ctx.Err() == nil; i++ {
			login(ctx, client, t, attackerEmail(i%c.Accounts), targetPassword, count)
		}
	})
	return nil
}

// guess tries passwords at accounts that may not exist, from many addresses.
func (c *signInsAttack) guess(ctx context.Context, t *target, count counter) error {
	inParallel(c.Addresses, func(address int) {
		client := clientFrom(fmt.Sprintf("127.0.1.%d", address+1))
		defer client.CloseIdleConnections()
		for i := 0; ctx.Err() == nil; i++ {
			login(ctx, client, t, attackerEmail(address*1000+i/5), fmt.Sprint("guess-", i), count)
		}
	})
	return nil
}

func attackerEmail(i int) string { return fmt.Sprintf("attacker-%d@bench.example", i) }

func inParallel(n int, do func(i int)) {
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { do(i) })
	}
	running.Wait()
}

// clientFrom returns a client with one connection from an address of this machine.
func clientFrom(address string) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
}

// login logs in once and counts the status of the answer.
func login(ctx context.Context, client *http.Client, t *target, email, password string, count counter) {
	body, _ := json.Marshal(map[string]string{"email": email, "password": password}) // strings can be encoded
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url("/v1/auth/login"), bytes.NewReader(body))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection is kept
	_ = response.Body.Close()
	count(fmt.Sprintf("logins answered with %d", response.StatusCode), 1)
}
