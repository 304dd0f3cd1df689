package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// load is a number of clients that each send their next request as soon as the
// last one is answered, for a limited time.
type load struct {
	address string
	clients int
	warmUp  time.Duration // before anything counts
	length  time.Duration // of what counts
	want    int           // the status of a good answer; any other is an error
	sender  func(client int) sender
	// window is called when what counts begins and when it ends.
	window func() error
}

// result is what the clients saw.
type result struct {
	Done      int             // good answers inside the window
	Total     int             // good answers, warm-up and last ones included
	Latencies []time.Duration // of all good answers after the warm-up, ascending
	Failed    int             // bad answers and broken connections
	FirstFail error
}

// rate is how many requests were answered per second.
func (l load) rate(r *result) float64 { return float64(r.Done) / l.length.Seconds() }

// task does one thing that is measured.
type task func() error

// run applies the load to an HTTP server.
func (l load) run(ctx context.Context) (*result, error) {
	open, hangUp := context.WithCancel(ctx)
	defer hangUp()
	return l.each(ctx, func(client int) (task, error) { return l.client(open, client) })
}

// each applies the load: every client repeats its task. A failed client stops,
// so that errors are few and the measurement is known to be invalid.
func (l load) each(ctx context.Context, makeTask func(client int) (task, error)) (*result, error) {
	from := time.Now().Add(l.warmUp)
	to := from.Add(l.length)
	results := make([]result, l.clients)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			do, err := makeTask(i)
			if err == nil {
				err = results[i].repeat(ctx, do, from, to)
			}
			results[i].fail(err)
		})
	}
	err := errors.Join(l.at(ctx, from), l.at(ctx, to))
	group.Wait()
	return merged(results), errors.Join(err, ctx.Err())
}

// at waits for one end of the window and calls its hook.
func (l load) at(ctx context.Context, moment time.Time) error {
	select {
	case <-time.After(time.Until(moment)):
	case <-ctx.Done():
		return nil
	}
	if l.window == nil {
		return nil
	}
	return l.window()
}

func (r *result) fail(err error) {
	if err != nil {
		r.Failed++
		r.FirstFail = err
	}
}

func merged(results []result) *result {
	var all result
	for i := range results {
		r := &results[i]
		all.Done += r.Done
		all.Total += r.Total
		all.Failed += r.Failed
		all.Latencies = append(all.Latencies, r.Latencies...)
		if all.FirstFail == nil {
			all.FirstFail = r.FirstFail
		}
	}
	slices.Sort(all.Latencies)
	return &all
}

// answerTimeout is how long a client waits for one answer.
const answerTimeout = 40 * time.Second

// client opens a connection, which closes with ctx, and gives the task that
// sends the next request and checks its answer.
func (l load) client(ctx context.Context, number int) (task, error) {
	c, err := dial(ctx, l.address)
	if err != nil {
		return nil, err
	}
	requests := l.sender(number)
	return func() error {
		status, err := c.call(requests.next())
		if err == nil && status != l.want {
			err = fmt.Errorf("answered with %d instead of %d: %.300s", status, l.want, c.body)
		}
		return err
	}, nil
}

// repeat does the task until the window ends.
func (r *result) repeat(ctx context.Context, do task, from, to time.Time) error {
	for now := time.Now(); now.Before(to) && ctx.Err() == nil; {
		if err := do(); err != nil {
			return err
		}
		end := time.Now()
		r.record(now, end, from, to)
		now = end
	}
	return nil
}

func (r *result) record(start, end, from, to time.Time) {
	r.Total++
	if end.Before(from) {
		return
	}
	r.Latencies = append(r.Latencies, end.Sub(start))
	if !end.After(to) {
		r.Done++
	}
}

// connection is a kept HTTP/1.1 connection that spends as little as it can:
// client and server share the machine.
type connection struct {
	net.Conn
	in   *bufio.Reader
	body []byte // of the last answer
}

// dial connects until ctx ends.
func dial(ctx context.Context, address string) (*connection, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // all that was wanted has been read
	return c, nil
}

// call sends one request and reads its whole answer.
func (c *connection) call(request []byte) (status int, err error) {
	if err := c.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return 0, err
	}
	if _, err := c.Write(request); err != nil {
		return 0, err
	}
	status, length, err := c.head()
	if err != nil {
		return 0, fmt.Errorf("read the answer: %w", err)
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	return status, c.fill(c.body)
}

func (c *connection) fill(body []byte) error {
	for len(body) > 0 {
		n, err := c.in.Read(body)
		if err != nil {
			return fmt.Errorf("read the answer's body: %w", err)
		}
		body = body[n:]
	}
	return nil
}

var (
	version       = []byte("HTTP/1.1 ")
	contentLength = []byte("content-length:")
)

// head reads the status line and the headers up to the empty line.
func (c *connection) head() (status, length int, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if !bytes.HasPrefix(line, version) || len(line) < len(version)+3 {
		return 0, 0, fmt.Errorf("not a status line: %q", line)
	}
	if status, err = strconv.Atoi(string(line[len(version) : len(version)+3])); err != nil {
		return 0, 0, err
	}
	length = -1
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return 0, 0, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			break
		}
		if n := len(contentLength); len(line) > n && bytes.EqualFold(line[:n], contentLength) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[n:]))); err != nil {
				return 0, 0, err
			}
		}
	}
	if length < 0 {
		return 0, 0, errors.New("no Content-Length")
	}
	return status, length, nil
}
