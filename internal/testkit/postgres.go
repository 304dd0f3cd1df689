package testkit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/jackc/pgx/v5"
)

// postgresServer is a private server in a temporary directory.
type postgresServer struct {
	dir      string
	bin      string
	port     int
	settings []string // NAME=VALUE, in addition to those that all servers here have
	process  *exec.Cmd
	count    atomic.Int64 // databases created
}

// forgetful are the settings of a server whose data is lost anyway when the
// machine crashes. It writes little log, because its directory may be in memory,
// and does not vacuum, because tests end before that pays.
var forgetful = []string{
	"fsync=off", "full_page_writes=off", "autovacuum=off", "wal_level=minimal", "max_wal_senders=0", "max_wal_size=128MB",
}

// shared returns the server that all tests of this binary share. The first call
// starts it.
var shared = sync.OnceValues(func() (*postgresServer, error) {
	server, err := newPostgres(memoryDir(), forgetful...)
	sharedStarted.Store(server)
	return server, err
})

// sharedStarted holds what shared has started, for StopPostgres.
var sharedStarted atomic.Pointer[postgresServer]

// PostgresURL returns the URL of an empty database of the test's own, on the
// server that all tests of the binary share. A binary that calls it must call
// StopPostgres when its tests have ended.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return sharedServer(t).databaseFor(t, "template1")
}

// PostgresURLIn returns the URL of an empty database that sorts by the rules of a language
// ("cs-CZ"), on the server that all tests of the binary share.
func PostgresURLIn(t testing.TB, language string) string {
	t.Helper()
	return sharedServer(t).databaseFor(t,
		fmt.Sprintf("template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE '%s'", language))
}

// sharedServer returns the server that all tests of the binary share.
func sharedServer(t testing.TB) *postgresServer {
	t.Helper()
	NeedPostgres.OrSkip(t)
	server, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// PostgresTemplate is a database that is filled once and copied for each test,
// because a copy takes a fraction of the time that migrations take.
type PostgresTemplate struct {
	// Fill fills the empty database at url. It must have closed all connections
	// to it when it returns.
	Fill func(ctx context.Context, url string) error

	once sync.Once
	name string // set by once
	err  error  // set by once
}

// URL returns the URL of a copy of the test's own, on the server that all tests
// of the binary share.
func (p *PostgresTemplate) URL(t testing.TB) string {
	t.Helper()
	server := sharedServer(t)
	p.once.Do(func() {
		var url string
		if url, p.err = server.database(t.Context(), "template1"); p.err == nil {
			p.name, p.err = nameOf(url), p.Fill(t.Context(), url)
		}
	})
	if p.err != nil {
		t.Fatal(p.err)
	}
	return server.databaseFor(t, p.name)
}

// StopPostgres stops the shared server if a test has started it.
func StopPostgres() {
	if server := sharedStarted.Load(); server != nil {
		server.stop()
	}
}

// Main runs a package's tests and then ends what they have started.
func Main(m *testing.M) {
	code := m.Run()
	StopPostgres()
	os.Exit(code)
}

// Postgres is a server of one test's own, which may take it down.
type Postgres struct{ server *postgresServer }

// StartPostgres starts a server that is stopped when the test ends. Unlike the shared one
// it is durable.
func StartPostgres(t testing.TB) *Postgres {
	t.Helper()
	return startPostgres(t, "")
}

// StartForgetfulPostgres starts a server with the settings of the shared one: it does
// nothing that no client has asked for.
func StartForgetfulPostgres(t testing.TB) *Postgres {
	t.Helper()
	return startPostgres(t, memoryDir(), forgetful...)
}

func startPostgres(t testing.TB, parent string, settings ...string) *Postgres {
	t.Helper()
	NeedPostgres.OrSkip(t)
	server, err := newPostgres(parent, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.stop)
	return &Postgres{server}
}

// RunPostgres starts a server without a test, for benchmarks. Its data is in a
// temporary directory until Stop.
func RunPostgres(settings ...string) (*Postgres, error) {
	server, err := newPostgres("", settings...)
	return &Postgres{server}, err
}

// Stop stops the server and removes its data.
func (p *Postgres) Stop() { p.server.stop() }

// PID returns the id of the process that all processes of the server descend from.
func (p *Postgres) PID() int { return p.server.process.Process.Pid }

// FindPostgres returns the directory of PostgreSQL's programs. It returns an
// error unless all of the named ones are in it.
func FindPostgres(programs ...string) (string, error) {
	bin, err := findPostgres()
	for _, name := range programs {
		if err == nil {
			_, err = os.Stat(filepath.Join(bin, name))
		}
	}
	return bin, err
}

// RunPostgresProgram runs one of the programs that belong to the server, such as pg_dump.
func RunPostgresProgram(name string, args ...string) error {
	bin, err := FindPostgres(name)
	if err != nil {
		return err
	}
	if out, err := exec.Command(filepath.Join(bin, name), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// Program returns the path of one of the programs that belong to the server.
func (p *Postgres) Program(name string) string { return filepath.Join(p.server.bin, name) }

// NewDatabase creates an empty database and returns its URL.
func (p *Postgres) NewDatabase(ctx context.Context) (string, error) {
	return p.server.database(ctx, "template1")
}

// Database creates an empty database and returns its URL, which stays valid
// when the server is restarted.
func (p *Postgres) Database(t testing.TB) string {
	t.Helper()
	url, err := p.NewDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// StopImmediate stops the server as "pg_ctl stop -m immediate" does: without
// a word to its clients and without a checkpoint, so that it has to recover.
func (p *Postgres) StopImmediate() {
	_ = p.server.process.Process.Signal(syscall.SIGQUIT)
	_ = p.server.process.Wait()
}

// Restart starts the server again, on the same port and data, and waits until
// it has recovered.
func (p *Postgres) Restart(t testing.TB) {
	t.Helper()
	if err := p.server.run(filepath.Join(p.server.dir, "data")); err != nil {
		t.Error(err)
	}
}

// newPostgres starts a server whose directory is inside parent, or inside the
// usual directory for temporary files if parent is empty.
func newPostgres(parent string, settings ...string) (*postgresServer, error) {
	bin, err := findPostgres()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "dropyard-postgres-")
	if err != nil {
		return nil, err
	}
	s := &postgresServer{dir: dir, bin: bin, settings: settings}
	if err := s.start(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// findPostgres returns the directory of PostgreSQL's programs, which Debian does
// not put on the path.
func findPostgres() (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil { // the others may not be linked
			return filepath.Dir(initdb), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("no initdb, neither on the path nor under /usr/lib/postgresql (Debian package: postgresql)")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

func (s *postgresServer) start() error {
	if err := os.Chmod(s.dir, 0o755); err != nil { //nolint:gosec // another user must get in
		return err
	}
	data := filepath.Join(s.dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return err
	}
	if err := s.giveAway(data); err != nil {
		return err
	}
	initdb, err := s.command("initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if err != nil {
		return err
	}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	if s.port, err = freePort(); err != nil {
		return err
	}
	return s.run(data)
}

// run starts the server and waits until it accepts connections.
func (s *postgresServer) run(data string) (err error) {
	arguments := []string{"-D", data, "-h", "127.0.0.1", "-p", strconv.Itoa(s.port), "-k", ""}
	for _, setting := range slices.Concat([]string{"max_connections=300", "shared_buffers=128MB"}, s.settings) {
		arguments = append(arguments, "-c", setting)
	}
	s.process, err = s.command("postgres", arguments...)
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	s.process.Stderr = log
	if err := errors.Join(s.process.Start(), log.Close()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), repeatable.Hang)
	defer cancel()
	for ctx.Err() == nil {
		if conn, err := pgx.Connect(ctx, s.url("postgres")); err == nil {
			return conn.Close(ctx)
		}
		time.Sleep(repeatable.Poll) // the server has no other way to say that it is ready
	}
	logged, _ := os.ReadFile(log.Name())
	return fmt.Errorf("PostgreSQL did not start: %s", logged)
}

// command prepares one of PostgreSQL's programs. They refuse to run as root;
// root runs them as the user that Debian's package creates.
func (s *postgresServer) command(name string, args ...string) (*exec.Cmd, error) {
	command := exec.Command(filepath.Join(s.bin, name), args...)
	command.Dir = s.dir
	endWithParent(command)
	if os.Getuid() == 0 {
		uid, gid, err := postgresUser()
		if err != nil {
			return nil, err
		}
		RunAs(command, uint32(uid), uint32(gid))
	}
	return command, nil
}

// giveAway makes the directory belong to the user that command runs programs as.
func (s *postgresServer) giveAway(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := postgresUser()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

func postgresUser() (uid, gid int, err error) {
	account, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, err
	}
	uid, errUID := strconv.Atoi(account.Uid)
	gid, errGID := strconv.Atoi(account.Gid)
	return uid, gid, errors.Join(errUID, errGID)
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	return address.Port, listener.Close()
}

// urlQuery ends every URL of a private server's database.
const urlQuery = "?sslmode=disable"

func (s *postgresServer) url(database string) string {
	return fmt.Sprintf("postgres://test@127.0.0.1:%d/%s", s.port, database) + urlQuery
}

// database creates a database as a copy of the template and returns its URL. To
// copy files is faster than PostgreSQL's usual way, by its log.
func (s *postgresServer) database(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("test_%d", s.count.Add(1))
	return s.url(name), runOn(ctx, s.url("postgres"), "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy")
}

// databaseFor creates a database that is dropped when the test ends, so that few
// exist at a time.
func (s *postgresServer) databaseFor(t testing.TB, template string) string {
	t.Helper()
	url, err := s.database(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runOn(context.Background(), s.url("postgres"), "DROP DATABASE "+nameOf(url)+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return url
}

// nameOf returns the name of the database in a URL.
func nameOf(url string) string { return path.Base(strings.TrimSuffix(url, urlQuery)) }

// stop stops the server, if it runs, and removes its directory.
func (s *postgresServer) stop() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGINT) // fast shutdown
		_ = s.process.Wait()
	}
	_ = os.RemoveAll(s.dir)
}
