package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/webhook"
)

// posterCommand is the floor of webhooks, in a process of its own: the same bodies and
// headers, posted by the bare HTTP client. It reads, signs and stores nothing while
// it is measured.
type posterCommand struct {
	URL    string `arg:"" help:"Endpoint."`
	Events int    `arg:"" help:"Number of events."`
}

// perEndpoint is the number of concurrent requests to an endpoint, from the service
// and from its floor.
const perEndpoint = 10

// Run prepares the requests, waits for a line of its input, posts, and waits for the
// end of the input.
func (c *posterCommand) Run(ctx context.Context) error {
	prepared := barePosts(c.Events)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: perEndpoint}}
	defer client.CloseIdleConnections()
	if err := json.NewEncoder(os.Stdout).Encode(announcement{}); err != nil {
		return err
	}
	input := bufio.NewReader(os.Stdin)
	if _, err := input.ReadString('\n'); err != nil {
		return err
	}
	var running sync.WaitGroup
	var next atomic.Int64
	var failure atomic.Pointer[error]
	for range perEndpoint {
		running.Go(func() {
			for n := next.Add(1) - 1; int(n) < len(prepared); n = next.Add(1) - 1 {
				if err := prepared[n].send(ctx, client, c.URL); err != nil {
					failure.Store(&err)
				}
			}
		})
	}
	running.Wait()
	_, err := io.Copy(io.Discard, input)
	if failed := failure.Load(); failed != nil {
		err = errors.Join(err, *failed)
	}
	return err
}

// barePost is a prepared request of the floor.
type barePost struct {
	headers []webhook.Header
	body    []byte
}

// barePosts returns the requests for the events that addEvents would add.
func barePosts(count int) (posts []barePost) {
	secrets := webhook.Secrets{Current: webhook.SecretPrefix + "bm90IGEgc2VjcmV0IGF0IGFsbCwgYnV0IGxvbmcgZW5vdWdo"}
	maker := newEventMaker(floorAccount.PartnerID)
	for range count {
		event := maker.next()
		body := webhook.Body(event)
		posts = append(posts, barePost{webhook.Headers(event.EventID, time.Now(), secrets, body), body})
	}
	return posts
}

func (b barePost) send(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(b.body))
	if err != nil {
		return err
	}
	for _, h := range b.headers {
		request.Header.Set(h.Name, h.Value)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}
