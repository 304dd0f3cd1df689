package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/webhook"
)

// perEndpoint is the number of concurrent requests to an endpoint, from the sender
// and from its floor.
const perEndpoint = 10

// floor posts the same bodies and headers with the bare HTTP client. It reads, signs
// and stores nothing.
func (p plan) floor(ctx context.Context, parent *talker) error {
	posts := p.posts()
	atOnce := p.AtOnce
	if atOnce == 0 {
		atOnce = perEndpoint * len(p.URLs)
	}
	places := make(chan struct{}, atOnce)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: perEndpoint}}
	defer client.CloseIdleConnections()
	if err := parent.start(); err != nil {
		return err
	}
	finishProfile, err := startProfile(p.Profile)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	var failure atomic.Pointer[error]
	for i, own := range posts {
		var next atomic.Int64
		for range min(perEndpoint, len(own)) {
			running.Go(func() {
				for n := next.Add(1) - 1; int(n) < len(own); n = next.Add(1) - 1 {
					places <- struct{}{}
					if err := own[n].send(ctx, client, p.URLs[i]); err != nil {
						failure.Store(&err)
					}
					<-places
				}
			})
		}
	}
	running.Wait()
	if failed := failure.Load(); failed != nil {
		return *failed
	}
	return errors.Join(finishProfile(), parent.finish())
}

// barePost is a prepared request of the floor.
type barePost struct {
	headers []webhook.Header
	body    []byte
}

// posts returns the requests for the events that addEvents would add, by endpoint.
func (p plan) posts() [][]barePost {
	posts := make([][]barePost, len(p.URLs))
	secrets := webhook.Secrets{Current: webhook.SecretPrefix + "bm90IGEgc2VjcmV0IGF0IGFsbCwgYnV0IGxvbmcgZW5vdWdo"}
	maker := newEventMaker(len(p.URLs))
	for range p.Events {
		event, at := maker.next()
		body := webhook.Body(event)
		posts[at] = append(posts[at], barePost{webhook.Headers(event.EventID, time.Now(), secrets, body), body})
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
