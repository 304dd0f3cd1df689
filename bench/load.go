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
	"sync/atomic"
	"time"
)

// load is a number of clients that send requests for a limited time, or a number of
// requests. In a closed loop each sends its next request when the previous one is answered.
// In an open loop requests are due at a fixed rate, however long answers take, and latencies
// count from when they were due: a server that stalls is not spared what it would have been
// sent.
type load struct {
	address   string
	clients   int
	warmUp    time.Duration // before the window
	length    time.Duration // of the window
	requests  int           // of each client; if it is not 0, the window is the time that they take
	perSecond float64       // the rate of an open loop; 0 for a closed one
	want      int           // the expected status; any other is an error
	sender    func(client int) sender
	// window, if set, is called at the beginning and at the end of the window.
	window func() error
}

// result is what the clients received.
type result struct {
	Window    time.Duration   // the length of the window
	Done      int             // expected answers within it
	Total     int             // expected answers, also before and after it
	Latencies []time.Duration // of all expected answers after the warm-up, ascending
	Failed    int             // clients that stopped after an error
	FirstFail error
}

// rate returns the number of answers per second.
func (r *result) rate() float64 { return float64(r.Done) / r.Window.Seconds() }

// task is one measured operation.
type task func() error

// run applies the load to an HTTP server.
func (l load) run(ctx context.Context) (*result, error) {
	open, hangUp := context.WithCancel(ctx)
	defer hangUp()
	return l.each(ctx, func(client int) (task, error) { return l.client(open, client) })
}

// each applies the load: every client repeats its task. A client stops after an
// error, which makes the measurement invalid.
func (l load) each(ctx context.Context, makeTask func(client int) (task, error)) (*result, error) {
	if l.requests > 0 {
		return l.eachSome(ctx, makeTask)
	}
	from := time.Now().Add(l.warmUp)
	to := from.Add(l.length)
	results := make([]result, l.clients)
	next := l.pace(time.Now())
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			do, err := makeTask(i)
			if err == nil {
				err = results[i].repeat(ctx, do, next, from, to)
			}
			results[i].fail(err)
		})
	}
	err := inTurn(
		func() error { return l.at(ctx, from) },
		func() error { return l.at(ctx, to) })
	group.Wait()
	all := merged(results)
	all.Window = l.length
	return all, errors.Join(err, ctx.Err())
}

// eachSome applies a load of a number of requests.
func (l load) eachSome(ctx context.Context, makeTask func(client int) (task, error)) (*result, error) {
	if err := l.edge(); err != nil {
		return nil, err
	}
	results := make([]result, l.clients)
	from := time.Now()
	next := l.pace(from)
	var group sync.WaitGroup
	for i := range results {
		group.Go(func() {
			do, err := makeTask(i)
			for n := 0; n < l.requests && err == nil && ctx.Err() == nil; n++ {
				due := next()
				if err = do(); err == nil {
					end := time.Now()
					results[i].record(due, end, from, end)
				}
			}
			results[i].fail(err)
		})
	}
	group.Wait()
	all := merged(results)
	all.Window = time.Since(from)
	return all, errors.Join(l.edge(), ctx.Err())
}

// inTurn runs the steps until one fails, and returns its error.
func inTurn(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// at waits for one end of the window, and then calls edge.
func (l load) at(ctx context.Context, moment time.Time) error {
	select {
	case <-time.After(time.Until(moment)):
	case <-ctx.Done():
		return nil
	}
	return l.edge()
}

// edge calls the hook, if there is one.
func (l load) edge() error {
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

// client opens a connection, which is closed when ctx ends. It returns the task that
// sends the next request and checks the answer.
func (l load) client(ctx context.Context, number int) (task, error) {
	c, err := dial(ctx, l.address)
	if err != nil {
		return nil, err
	}
	requests := l.sender(number)
	return func() error {
		status, err := c.call(requests.next())
		if err == nil && status != l.want {
			err = fmt.Errorf("got status %d, want %d: %.300s", status, l.want, c.body)
		}
		return err
	}, nil
}

// pace returns a function that waits until the next request is due, and returns since
// when it is. Clients may call it concurrently.
func (l load) pace(begin time.Time) func() time.Time {
	if l.perSecond == 0 {
		return time.Now
	}
	var turns atomic.Int64
	return func() time.Time {
		turn := float64(turns.Add(1) - 1)
		due := begin.Add(time.Duration(turn / l.perSecond * float64(time.Second)))
		time.Sleep(time.Until(due))
		return due
	}
}

// repeat repeats the task until the window ends.
func (r *result) repeat(ctx context.Context, do task, next func() time.Time, from, to time.Time) error {
	for due := next(); due.Before(to) && ctx.Err() == nil; due = next() {
		if err := do(); err != nil {
			return err
		}
		r.record(due, time.Now(), from, to)
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

// connection is a kept HTTP/1.1 connection. It uses as little CPU as it can, because
// it shares the machine with the server.
type connection struct {
	net.Conn
	in   *bufio.Reader
	body []byte // of the last answer
}

// dial opens a connection, which is closed when ctx ends.
func dial(ctx context.Context, address string) (*connection, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}
	context.AfterFunc(ctx, func() { _ = conn.Close() }) // an error does not matter: nothing more is read
	return c, nil
}

// call sends a request and reads the whole answer.
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
