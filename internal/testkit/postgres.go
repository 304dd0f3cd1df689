package testkit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Required tells whether a program that tests start must be there: DROPYARD_REQUIRE
// lists such programs, separated by commas.
func Required(program string) bool {
	return slices.Contains(strings.Split(os.Getenv("DROPYARD_REQUIRE"), ","), program)
}

// Missing skips a test for the want of a program, loudly, or fails it if the
// program is required.
func Missing(t testing.TB, program, debianPackage string, why error) {
	t.Helper()
	message := fmt.Sprintf("%s is missing (package %s): %v", program, debianPackage, why)
	if Required(program) {
		t.Fatal(message)
	}
	t.Skip("SKIPPED: " + message)
}

// postgresServer is a private server, one for all tests of a test binary.
type postgresServer struct {
	dir      string
	bin      string
	port     int
	settings []string // NAME=VALUE, over those that all servers here have
	process  *exec.Cmd
	count    atomic.Int64 // databases made
}

var (
	startPostgres  sync.Once
	sharedPostgres *postgresServer
	errPostgres    error
)

// HasPostgres tells whether tests can start PostgreSQL here. If not it says so,
// and fails the tests of the package if PostgreSQL is required.
func HasPostgres() bool {
	_, err := findPostgres()
	if err == nil {
		return true
	}
	fmt.Println("SKIPPED: postgres is missing (package postgresql):", err)
	if Required("postgres") {
		os.Exit(1)
	}
	return false
}

// PostgresURL gives a test an empty database of its own on a private server. A
// test binary that calls it must call StopPostgres at its end.
func PostgresURL(t testing.TB) string {
	t.Helper()
	startPostgres.Do(func() { sharedPostgres, errPostgres = newPostgres() })
	if errPostgres != nil {
		Missing(t, "postgres", "postgresql", errPostgres)
	}
	url, err := sharedPostgres.database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// StopPostgres ends the private server, if one was started.
func StopPostgres() {
	if sharedPostgres != nil {
		sharedPostgres.stop()
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

// StartPostgres starts a server that ends with the test.
func StartPostgres(t testing.TB) *Postgres {
	t.Helper()
	server, err := newPostgres()
	if err != nil {
		Missing(t, "postgres", "postgresql", err)
	}
	t.Cleanup(server.stop)
	return &Postgres{server}
}

// RunPostgres starts a server without a test around it, for benchmarks. It
// lives in a temporary directory until Stop.
func RunPostgres(settings ...string) (*Postgres, error) {
	server, err := newPostgres(settings...)
	return &Postgres{server}, err
}

// Stop ends the server and removes all that it kept.
func (p *Postgres) Stop() { p.server.stop() }

// PID is the process that all processes of the server descend from.
func (p *Postgres) PID() int { return p.server.process.Process.Pid }

// FindPostgres finds the folder of PostgreSQL's programs, and fails unless all
// of those named are in it.
func FindPostgres(programs ...string) (string, error) {
	bin, err := findPostgres()
	for _, name := range programs {
		if err == nil {
			_, err = os.Stat(filepath.Join(bin, name))
		}
	}
	return bin, err
}

// Program is the path of one of the programs that belong to the server.
func (p *Postgres) Program(name string) string { return filepath.Join(p.server.bin, name) }

// NewDatabase makes an empty database and tells its URL.
func (p *Postgres) NewDatabase(ctx context.Context) (string, error) { return p.server.database(ctx) }

// Database makes an empty database and tells its URL, which stays the same when
// the server starts again.
func (p *Postgres) Database(t testing.TB) string {
	t.Helper()
	url, err := p.server.database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// StopImmediate ends the server as "pg_ctl stop -m immediate" does: without a
// word to its clients and without a checkpoint, so that it has to recover.
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

func newPostgres(settings ...string) (*postgresServer, error) {
	bin, err := findPostgres()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "dropyard-postgres-")
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

// findPostgres finds the folder of PostgreSQL's programs, which Debian does not
// put on the path.
func findPostgres() (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if initdb, err = filepath.EvalSymlinks(initdb); err == nil { // the others may not be linked
			return filepath.Dir(initdb), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("no initdb, neither on the path nor under /usr/lib/postgresql")
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if conn, err := pgx.Connect(ctx, s.url("postgres")); err == nil {
			return conn.Close(ctx)
		}
		time.Sleep(20 * time.Millisecond) // it has no other way to tell that it is ready
	}
	said, _ := os.ReadFile(log.Name())
	return fmt.Errorf("PostgreSQL did not start: %s", said)
}

// command prepares one of PostgreSQL's programs. They refuse to run as root,
// who therefore runs them as the user that Debian's package makes.
func (s *postgresServer) command(name string, args ...string) (*exec.Cmd, error) {
	command := exec.Command(filepath.Join(s.bin, name), args...)
	command.Dir = s.dir
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	if os.Getuid() == 0 {
		uid, gid, err := postgresUser()
		if err != nil {
			return nil, err
		}
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return command, nil
}

func (s *postgresServer) giveAway(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	uid, gid, err := postgresUser()
	if err != nil {
		return err
	}
	return os.Chown(path, uid, gid)
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

func (s *postgresServer) url(database string) string {
	return fmt.Sprintf("postgres://test@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

func (s *postgresServer) database(ctx context.Context) (string, error) {
	name := fmt.Sprintf("test_%d", s.count.Add(1))
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return s.url(name), errors.Join(err, conn.Close(ctx))
}

func (s *postgresServer) stop() {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(syscall.SIGINT) // fast shutdown
		_ = s.process.Wait()
	}
	_ = os.RemoveAll(s.dir)
}
