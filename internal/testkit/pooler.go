package testkit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Pooling is how long a client of a pooler keeps a connection to PostgreSQL.
type Pooling string

// The kinds of pooling, which PgBouncer calls pool_mode.
const (
	SessionPooling     Pooling = "session"     // until it disconnects
	TransactionPooling Pooling = "transaction" // until the end of a transaction
	StatementPooling   Pooling = "statement"   // until the end of a statement
)

// pooler imitates PgBouncer with a single connection for all clients under
// TransactionPooling, and one for each under SessionPooling.
type pooler struct {
	target string
	mode   Pooling

	mu     sync.Mutex // held during a transaction; guards server
	server *pgconn.HijackedConn
}

// NewPooler starts a pooler before the server in a database's URL, and returns the URL of
// the same database through it. Like PgBouncer, it refuses most parameters in the first
// message of a connection. It stops when the test ends.
func NewPooler(t testing.TB, databaseURL string, mode Pooling) (through string) {
	t.Helper()
	p := &pooler{target: databaseURL, mode: mode}
	var err error
	if p.server, err = p.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				_ = p.serve(client) // the client sees why
				_ = client.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = errors.Join(listener.Close(), p.server.Conn.Close())
		running.Wait()
	})
	return onHost(t, databaseURL, listener.Addr().String())
}

// onHost returns the URL of a database with another host.
func onHost(t testing.TB, databaseURL, host string) string {
	t.Helper()
	where, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	where.Host = host
	return where.String()
}

func (p *pooler) connect(ctx context.Context) (*pgconn.HijackedConn, error) {
	c, err := pgconn.Connect(ctx, p.target)
	if err != nil {
		return nil, err
	}
	return c.Hijack()
}

// pooled are the parameters that PgBouncer accepts in the first message of a connection.
var pooled = []string{"user", "database", "application_name", "client_encoding"}

func (p *pooler) serve(client net.Conn) error {
	backend := pgproto3.NewBackend(client, client)
	first, err := backend.ReceiveStartupMessage()
	if err != nil {
		return err
	}
	startup, ok := first.(*pgproto3.StartupMessage)
	if !ok {
		return fmt.Errorf("got a first message %T, want a StartupMessage", first)
	}
	for name := range startup.Parameters {
		if !slices.Contains(pooled, name) {
			backend.Send(&pgproto3.ErrorResponse{
				Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: " + name,
			})
			return backend.Flush()
		}
	}
	server := p.server
	if p.mode == SessionPooling {
		if server, err = p.connect(context.Background()); err != nil {
			return err
		}
		defer func() { _ = server.Conn.Close() }()
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	for name, value := range server.ParameterStatuses {
		backend.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	backend.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for err = backend.Flush(); err == nil; {
		err = p.transaction(backend, server)
	}
	return err
}

// transaction passes on what a client sends, and what it is answered, until no transaction
// is open.
func (p *pooler) transaction(backend *pgproto3.Backend, server *pgconn.HijackedConn) error {
	sent, err := backend.Receive()
	if err != nil {
		return err
	}
	if p.mode != SessionPooling {
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	for {
		if _, ended := sent.(*pgproto3.Terminate); ended {
			return net.ErrClosed
		}
		server.Frontend.Send(sent)
		switch sent.(type) {
		case *pgproto3.Query, *pgproto3.Sync:
			if idle, err := passOn(backend, server.Frontend); idle || err != nil {
				return err
			}
		}
		if sent, err = backend.Receive(); err != nil {
			return err
		}
	}
}

// passOn sends what the server answers, and reports whether no transaction is open then.
func passOn(to *pgproto3.Backend, from *pgproto3.Frontend) (idle bool, err error) {
	if err := from.Flush(); err != nil {
		return false, err
	}
	for {
		message, err := from.Receive()
		if err != nil {
			return false, err
		}
		to.Send(message)
		if ready, ok := message.(*pgproto3.ReadyForQuery); ok {
			return ready.TxStatus == 'I', to.Flush()
		}
	}
}

// StartPgBouncer starts a real PgBouncer before the server in a database's URL, and returns
// the URL of the same database through it. It stops when the test ends.
func StartPgBouncer(t testing.TB, databaseURL string, mode Pooling) (through string) {
	t.Helper()
	NeedPgBouncer.OrSkip(t)
	where, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "dropyard-pgbouncer-") // that of the test lets no other user in
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	settings := filepath.Join(dir, "pgbouncer.ini")
	err = os.WriteFile(settings, fmt.Appendf(nil, `[databases]
* = host=%s port=%s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
`, where.Hostname(), where.Port(), where.User.Username(), port, mode), 0o644) //nolint:gosec // another user reads it
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	process := exec.CommandContext(t.Context(), "pgbouncer", settings)
	process.Stderr = &log
	endWithParent(process)
	if os.Getuid() == 0 { // as whom it refuses to run
		uid, gid, err := postgresUser()
		if err != nil {
			t.Fatal(err)
		}
		RunAs(process, uint32(uid), uint32(gid))
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // this user must get in
			t.Fatal(err)
		}
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	})
	through = onHost(t, databaseURL, fmt.Sprintf("127.0.0.1:%d", port))
	for began := time.Now(); ; time.Sleep(repeatable.Poll) { // it has no other way to say that it is ready
		c, err := pgx.Connect(t.Context(), through)
		if err == nil {
			_ = c.Close(t.Context())
			return through
		}
		if time.Since(began) > repeatable.Hang {
			t.Fatalf("PgBouncer did not start: %v", err)
		}
	}
}
