package testkit

import (
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Recorder is between a service and PostgreSQL and records the statements that are
// sent.
type Recorder struct {
	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu    sync.Mutex                      // guards the following fields
	seen  map[string]Statement            // by text
	lines map[io.Closer]map[string]string // texts by the names of prepared statements
	ended bool
}

// Statement is a statement with its latest parameters.
type Statement struct {
	SQL        string
	Parameters [][]byte
	Formats    []int16
}

// NewRecorder starts a recorder in front of the server in a database's URL. through
// is the URL of the same database through the recorder, which stops when the test
// ends.
func NewRecorder(t testing.TB, databaseURL string) (r *Recorder, through string) {
	t.Helper()
	where, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r = &Recorder{
		listener: listener, target: where.Host, seen: map[string]Statement{}, lines: map[io.Closer]map[string]string{},
	}
	r.running.Go(r.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		r.end()
		r.running.Wait()
	})
	where.Host = listener.Addr().String()
	where.RawQuery = "sslmode=disable"
	return r, where.String()
}

// Forget removes all recorded statements.
func (r *Recorder) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.seen)
}

// Statements returns the recorded statements, each once, sorted by text.
func (r *Recorder) Statements() (statements []Statement) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, statement := range r.seen {
		statements = append(statements, statement)
	}
	slices.SortFunc(statements, func(a, b Statement) int { return strings.Compare(a.SQL, b.SQL) })
	return statements
}

func (r *Recorder) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.connect(client) })
	}
}

func (r *Recorder) connect(client net.Conn) {
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		_ = client.Close()
		return
	}
	r.mu.Lock()
	ended := r.ended
	r.lines[client], r.lines[server] = map[string]string{}, nil
	r.mu.Unlock()
	if ended {
		r.end()
	}
	copied, copies := io.Pipe()
	var all sync.WaitGroup
	all.Go(func() {
		defer func() { _ = errors.Join(server.Close(), copies.Close()) }()
		_, _ = io.Copy(server, io.TeeReader(client, copies))
	})
	all.Go(func() {
		defer func() { _ = client.Close() }()
		_, _ = io.Copy(client, server)
	})
	all.Go(func() {
		r.read(client, copied)
		_, _ = io.Copy(io.Discard, copied) // after a message that it could not parse
	})
	all.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lines, client)
	delete(r.lines, server)
}

func (r *Recorder) read(line io.Closer, from io.Reader) {
	messages := pgproto3.NewBackend(from, io.Discard)
	if _, err := messages.ReceiveStartupMessage(); err != nil {
		return
	}
	for {
		message, err := messages.Receive()
		if err != nil {
			return
		}
		r.note(line, message)
	}
}

// note records the statement of a message.
func (r *Recorder) note(line io.Closer, message pgproto3.FrontendMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch message := message.(type) {
	case *pgproto3.Parse:
		r.lines[line][message.Name] = message.Query
	case *pgproto3.Bind:
		statement := Statement{
			SQL: r.lines[line][message.PreparedStatement], Formats: slices.Clone(message.ParameterFormatCodes),
		}
		for _, parameter := range message.Parameters {
			statement.Parameters = append(statement.Parameters, slices.Clone(parameter))
		}
		r.seen[statement.SQL] = statement
	}
}

func (r *Recorder) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for line := range r.lines {
		_ = line.Close()
	}
}
