// Package apptest starts whole services for tests and speaks to them over HTTP,
// as partners and operators do.
package apptest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/testkit"
)

// The operator that every service under test has.
const (
	OperatorEmail    = "boss@example.com"
	OperatorPassword = "correct horse battery"
)

// cheapHashing keeps suites fast; what it hashes protects nothing.
var cheapHashing = credential.Cost{Memory: 64, Passes: 1, Lanes: 1}

// Service is a whole service under test, on a free loopback port and a
// directory of its own.
type Service struct {
	URL  string
	Data string // the directory of its database and master key
	// Database is the URL of its database if that is not in Data.
	Database string
	// MetricsURL is where its metrics are served; empty without WithMetrics.
	MetricsURL string
	Clock      *testkit.Clock
	Log        *bytes.Buffer // read it only after Stop
	http       *http.Client
	stop       func()
	swept      bool // retention has removed what some laws of Audit speak of
}

// Option changes the settings of a service under test.
type Option func(*config.Config, *app.Surroundings)

// RateLimit sets the requests per minute; services under test have none unless
// told.
func RateLimit(perMinute int) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.RateLimit = perMinute }
}

// WithMetrics serves the metrics on a free port of their own.
func WithMetrics() Option {
	return func(c *config.Config, _ *app.Surroundings) { c.MetricsListen = "127.0.0.1:0" }
}

// Demo seeds the demo and writes what it prints to out. The service runs on the
// system's clock, for clients that do.
func Demo(out io.Writer) Option {
	return func(c *config.Config, world *app.Surroundings) {
		c.Demo, world.Out, world.Now, world.At = true, out, time.Now, app.System().At
	}
}

// DataIn keeps the data in a directory that outlives the service.
func DataIn(dir string) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Data = dir }
}

// DatabaseAt keeps the data in the PostgreSQL database at url, whatever the
// engine of the other services under test. Services with the same DataIn share
// the master key, and so can share a database.
func DatabaseAt(url string) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.DatabaseURL = url }
}

// Attach speaks to a service that runs elsewhere, by the real time.
func Attach(url string) *Service {
	return &Service{URL: url, Clock: testkit.NewClock(time.Now()), http: newClient(), stop: func() {}}
}

// Start starts a service; it stops with the test, or by Stop.
func Start(t testing.TB, options ...Option) *Service {
	t.Helper()
	s, settings, world := plan(t, options)
	ctx, cancel := context.WithCancel(context.Background())
	service, err := app.Start(ctx, settings, world)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	s.URL = service.URL()
	if address := service.MetricsAddress(); address != "" {
		s.MetricsURL = "http://" + address + "/metrics"
	}
	s.stop = sync.OnceFunc(func() {
		s.http.CloseIdleConnections() // else the service waits for those never used
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service did not end well: %v", err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

// Beside starts another node on the database of a service, by the same clock.
func (s *Service) Beside(t testing.TB, options ...Option) *Service {
	t.Helper()
	share := func(c *config.Config, world *app.Surroundings) {
		c.Data, c.DatabaseURL, world.Now, world.At = s.Data, s.Database, s.Clock.Now, s.Clock.At
	}
	node := Start(t, append(options, share)...)
	node.Clock = s.Clock
	return node
}

// Refused tells why a service does not start, and fails the test if it does.
func Refused(t testing.TB, options ...Option) error {
	t.Helper()
	_, settings, world := plan(t, options)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	service, err := app.Start(context.WithoutCancel(ctx), settings, world)
	if err == nil {
		t.Fatalf("the service started: %v", service.Run(ctx))
	}
	return err
}

// plan makes the settings and surroundings of a service under test.
func plan(t testing.TB, options []Option) (*Service, *config.Config, app.Surroundings) {
	t.Helper()
	s := &Service{Clock: testkit.NewClock(testkit.Epoch), Log: &bytes.Buffer{}, http: newClient()}
	settings := &config.Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(),
		OperatorEmail: OperatorEmail, OperatorPassword: OperatorPassword,
	}
	world := app.System()
	world.Version = "test"
	world.Now, world.At, world.Out = s.Clock.Now, s.Clock.At, io.Discard
	world.Log = slog.New(slog.NewTextHandler(&locked{w: s.Log}, nil))
	world.Hasher = credential.NewHasher(cheapHashing, world.Random)
	for _, option := range options {
		option(settings, &world)
	}
	s.Data = settings.Data
	if settings.DatabaseURL == "" {
		settings.DatabaseURL = DatabaseOf(t, settings.Data)
	}
	s.Database = settings.DatabaseURL
	return s, settings, world
}

// EngineVariable makes every service of a test binary use another engine, so
// that one suite serves for all.
const EngineVariable = "DROPYARD_TEST_ENGINE"

var (
	databasesMu sync.Mutex
	databases   = map[string]string{} // URL by data directory; guarded by databasesMu
)

// DatabaseOf is the URL of the database that goes with a data directory: always
// the same one. It is empty for the embedded engine.
func DatabaseOf(t testing.TB, data string) string {
	t.Helper()
	makeDatabase := map[string]func(testing.TB) string{"postgres": migrated.URL, "citus": distributed}[os.Getenv(EngineVariable)]
	if makeDatabase == nil {
		return ""
	}
	databasesMu.Lock()
	known := databases[data]
	databasesMu.Unlock()
	if known != "" {
		return known
	}
	url := makeDatabase(t) // which takes its time; nobody else asks for the same
	databasesMu.Lock()
	defer databasesMu.Unlock()
	databases[data] = url
	return url
}

// migrated is a database with today's schema.
var migrated = testkit.PostgresTemplate{Fill: func(ctx context.Context, url string) error {
	_, err := app.Migrate(ctx, &config.Config{DatabaseURL: url})
	return err
}}

// fewShards keep suites fast.
const fewShards = 4

// distributed makes a database whose tables are distributed by Citus.
func distributed(t testing.TB) string {
	t.Helper()
	settings := &config.Config{DatabaseURL: testkit.CitusURL(t)}
	_, err := app.Migrate(t.Context(), settings)
	if err == nil {
		_, err = app.Distribute(t.Context(), settings, fewShards)
	}
	if err != nil {
		t.Fatal(err)
	}
	return settings.DatabaseURL
}

// AgainOnPostgres ends the run of a package's tests with their exit code, after
// it has run them a second time on PostgreSQL, in a process of its own, and a
// third time on Citus if there is one.
func AgainOnPostgres(code int) int {
	first := os.Getenv(EngineVariable) == ""
	if code == 0 && first && testkit.HasPostgres() {
		code = againOn("postgres")
	}
	if code == 0 && first && testkit.HasCitus() {
		code = againOn("citus")
	}
	testkit.StopPostgres()
	return code
}

func againOn(engine string) int {
	again := exec.Command(os.Args[0], os.Args[1:]...)
	again.Env = append(os.Environ(), EngineVariable+"="+engine)
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	fmt.Println("and again on " + engine)
	if err := again.Run(); err != nil {
		return 1
	}
	return 0
}

// Stop ends the service as a signal would, and waits for it.
func (s *Service) Stop() { s.stop() }

// HangUp closes the connections to a service that runs elsewhere.
func (s *Service) HangUp() { s.http.CloseIdleConnections() }

// locked is a writer that many may use at once.
type locked struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
