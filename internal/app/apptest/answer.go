package apptest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// Answer is a response of the service.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	parse sync.Once
	value any // the parsed body; set by parse
}

// JSON returns a value inside the body, found by the names and list indexes of
// path. It returns nil if there is no such value.
func (a *Answer) JSON(path ...any) any {
	a.parse.Do(func() {
		if json.Unmarshal(a.Body, &a.value) != nil {
			a.value = nil
		}
	})
	value := a.value
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

// Text is JSON for a string. It returns "" if the value is not one.
func (a *Answer) Text(path ...any) string {
	text, _ := a.JSON(path...).(string)
	return text
}

// Code returns the code of an error, or "" if the answer is not an error.
func (a *Answer) Code() string { return a.Text("error", "code") }

// Must ends the test unless the answer has the status.
func (a *Answer) Must(t testing.TB, status int) *Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("got status %d, want %d: %s", a.Status, status, a.Body)
	}
	return a
}

// Keys returns the sorted names of an object's members.
func (a *Answer) Keys(path ...any) []string {
	object, _ := a.JSON(path...).(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

// Len returns the length of a list. It returns 0 if there is no list.
func (a *Answer) Len(path ...any) int {
	list, _ := a.JSON(path...).([]any)
	return len(list)
}

// Refused fails the test unless the answer is a well-formed error with this
// status and code.
func (a *Answer) Refused(t testing.TB, status int, code string) *Answer {
	t.Helper()
	if a.Status != status || a.Code() != code {
		t.Errorf("got %d %s, want %d %s: %s", a.Status, a.Code(), status, code, a.Body)
	}
	if id := a.Header.Get("X-Request-Id"); id == "" || a.Text("request_id") != id {
		t.Errorf("X-Request-Id is %q, want the request_id of %s", id, a.Body)
	}
	if kind := a.Header.Get("Content-Type"); kind != "application/json" || a.Text("error", "message") == "" {
		t.Errorf("got %s, want a JSON error with a message: %s", kind, a.Body)
	}
	return a
}

// Do sends a request without credentials. Headers alternate names and values.
func (s *Service) Do(t testing.TB, method, target string, body []byte, headers ...string) *Answer {
	t.Helper()
	answer, err := s.Try(method, target, body, headers...)
	if err != nil {
		t.Error(err)
		return &Answer{Header: http.Header{}}
	}
	return answer
}

// Try is Do for a service that may not answer.
func (s *Service) Try(method, target string, body []byte, headers ...string) (*Answer, error) {
	request, err := http.NewRequest(method, s.URL+target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	}
	response, err := s.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: content}, err
}

// newClient returns a client that keeps many connections and follows no
// redirects.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, 256
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Together makes so many calls of fn concurrently and returns their results in
// the order of i.
func Together[T any](times int, fn func(i int) T) []T {
	results := make([]T, times)
	start := make(chan struct{})
	var running sync.WaitGroup
	for i := range times {
		running.Go(func() {
			<-start
			results[i] = fn(i)
		})
	}
	close(start)
	running.Wait()
	return results
}
