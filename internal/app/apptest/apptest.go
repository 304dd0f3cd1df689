// Package apptest starts whole services for tests and calls them over HTTP, as
// partners and operators do.
package apptest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// The credentials of the operator that every service under test has.
const (
	OperatorEmail    = "boss@example.com"
	OperatorPassword = "correct horse battery"
)

// CheapHasher returns a hasher that keeps suites fast, and that does not hold refusals back.
// The passwords of tests protect nothing.
func CheapHasher(random io.Reader) *credential.Hasher {
	return credential.NewHasher(credential.Cost{Memory: 64, Passes: 1, Lanes: 1}, random).Hurry()
}

var (
	sourcesMu sync.Mutex
	sources   = map[testing.TB]int{} // how many each test has; guarded by sourcesMu
)

// Random returns a source of random bytes that depends on the seed of the run and on the
// test, and on how many the test has got before: so the ids that the nodes on a database
// draw, or a service before and after a restart, are not the same.
func Random(t testing.TB) io.Reader {
	sourcesMu.Lock()
	sources[t]++
	number := sources[t]
	sourcesMu.Unlock()
	if number == 1 {
		t.Cleanup(func() {
			sourcesMu.Lock()
			defer sourcesMu.Unlock()
			delete(sources, t)
		})
	}
	return repeatable.Reader(t, "apptest", strconv.Itoa(number))
}

// Service is a whole service under test, on a free loopback port and with a
// data directory of its own.
type Service struct {
	URL  string
	Data string // the directory of its database and master key
	// Database is the URL of a PostgreSQL database; empty if the database is in Data.
	Database string
	// MetricsURL is the address of its metrics; empty without WithMetrics.
	MetricsURL string
	// RedirectURL is the address that sends requests by HTTP on to https; empty if there is
	// none.
	RedirectURL string
	Clock       *testkit.Clock
	Log         *bytes.Buffer // may be read after Stop only
	Mails       bool          // whether it sends mail
	http        *http.Client
	stop        func()
	swept       bool // Sweep has removed rows that some laws of Audit are about
	inspection  inspection
}

// Option changes the settings of a service under test.
type Option func(*config.Config, *app.Surroundings)

// RateLimit sets the requests of a partner per minute. By default services under
// test have no limit.
func RateLimit(perMinute int) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.RateLimit = perMinute }
}

// StrangerLimit sets the requests of a network per minute without credentials. By
// default services under test have no limit.
func StrangerLimit(perMinute int) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.StrangerLimit = perMinute }
}

// TrustProxies sets the networks whose X-Forwarded-For is trusted.
func TrustProxies(networks ...string) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.TrustedProxies = networks }
}

// WithMetrics serves the metrics on a free port of their own.
func WithMetrics() Option {
	return func(c *config.Config, _ *app.Surroundings) { c.MetricsListen = "127.0.0.1:0" }
}

// Demo seeds a quiet demo and writes what it prints to out. The service runs on the
// system's clock, for clients that do.
func Demo(out io.Writer) Option {
	return func(c *config.Config, world *app.Surroundings) {
		c.Demo, c.DemoQuiet, world.Out, world.Now, world.At = true, true, out, time.Now, app.System().At
	}
}

// LivingDemo seeds the demo's whole day, which goes on by the clock of the service.
func LivingDemo() Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Demo = true }
}

// Printed returns what the demo printed behind a name such as "API key", "secret" or
// "test key", up to the next blank.
func Printed(t testing.TB, demo, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^ *` + name + ` +(\S+)`).FindStringSubmatch(demo)
	if found == nil {
		t.Fatalf("the demo printed no %s:\n%s", name, demo)
	}
	return found[1]
}

// OnClock lets the service run on a clock that may be set. The caller signs with it by
// setting Service.Clock.
func OnClock(clock *testkit.Clock) Option {
	return func(_ *config.Config, world *app.Surroundings) {
		world.Now, world.At, world.Elapsed = clock.Now, clock.At, clock.Elapsed
	}
}

// DataIn keeps the data in a directory that remains when the service has stopped.
func DataIn(dir string) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Data = dir }
}

// Embedded keeps the data in the embedded database, whichever engine other services under test use. It comes after
// DataIn.
func Embedded() Option {
	return func(c *config.Config, _ *app.Surroundings) {
		c.DatabaseURL = "sqlite:" + filepath.Join(c.Data, "embedded.db")
	}
}

// DatabaseAt keeps the data in the PostgreSQL database at url, whichever engine
// other services under test use. Services with the same DataIn share the master
// key, and so can share a database.
func DatabaseAt(url string) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.DatabaseURL = url }
}

// Sharable keeps the data where other nodes can share it: in PostgreSQL if services under
// test use the embedded engine. Without a PostgreSQL the test is skipped.
func Sharable(t testing.TB) Option {
	return func(c *config.Config, _ *app.Surroundings) {
		if c.DatabaseURL = DatabaseOf(t, c.Data); c.DatabaseURL == "" {
			c.DatabaseURL = migrated.URL(t)
		}
	}
}

// Attach returns a Service that calls one in another process, which uses the
// system's clock.
func Attach(url string) *Service {
	return &Service{URL: url, Clock: testkit.NewClock(time.Now()), http: newClient(), stop: func() {}}
}

// Start starts a service. It stops when the test ends, or by Stop.
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
	s.URL = "http://" + service.Address()
	if settings.TLS() {
		s.URL = service.URL()
	}
	if address := service.MetricsAddress(); address != "" {
		s.MetricsURL = "http://" + address + "/metrics"
	}
	if address := service.RedirectAddress(); address != "" {
		s.RedirectURL = "http://" + address
	}
	s.stop = sync.OnceFunc(func() {
		s.http.CloseIdleConnections() // the service would wait for those never used
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service ended with an error: %v", err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

// Beside starts another node that shares the database and the clock.
func (s *Service) Beside(t testing.TB, options ...Option) *Service {
	t.Helper()
	share := func(c *config.Config, world *app.Surroundings) {
		c.Data, c.DatabaseURL, world.Now, world.At = s.Data, s.Database, s.Clock.Now, s.Clock.At
	}
	node := Start(t, append([]Option{share}, options...)...)
	node.Clock = s.Clock
	return node
}

// StartError returns the error with which a service fails to start. It ends the
// test if the service starts.
func StartError(t testing.TB, options ...Option) error {
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

// plan returns the settings and surroundings of a service under test.
func plan(t testing.TB, options []Option) (*Service, *config.Config, app.Surroundings) {
	t.Helper()
	s := &Service{Clock: testkit.NewClock(testkit.Epoch), Log: &bytes.Buffer{}, http: newClient()}
	dir := testkit.FastDir(t)
	settings := &config.Config{
		Listen: "127.0.0.1:0", Data: dir,
		OperatorEmail: OperatorEmail, OperatorPassword: OperatorPassword, RequestLogBytes: 1 << 30, DatabaseMayLoseData: true,
		BackupKeep: 7,
	}
	world := app.System()
	world.Version = "test"
	world.Now, world.At, world.Out, world.Random = s.Clock.Now, s.Clock.At, io.Discard, Random(t)
	world.DiskSpace = nil       // a full disk of this machine is not the test's
	world.Elapsed = nil         // the clock of a test stands still
	world.Resolver = &Records{} // tests ask no one outside
	world.Zones = zone.Own()
	world.Log = slog.New(slog.NewTextHandler(&locked{w: s.Log}, nil))
	world.Hasher = CheapHasher(world.Random)
	for _, option := range options {
		option(settings, &world)
	}
	s.Mails = settings.SMTP != "" || world.Post != nil
	s.Data = settings.Data
	if settings.DatabaseURL == "" {
		settings.DatabaseURL = DatabaseOf(t, settings.Data)
	}
	s.Database = settings.DatabaseURL
	if s.Database == "" && s.Data == dir {
		copyMigrated(t, settings.Database())
	}
	return s, settings, world
}

// migratedFile returns the content of an embedded database with the current
// schema.
var migratedFile = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "dropyard-apptest-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	settings := &config.Config{Data: dir}
	if _, err := app.Migrate(context.Background(), settings); err != nil {
		return nil, err
	}
	return os.ReadFile(settings.Database())
})

// copyMigrated writes an embedded database with the current schema. Services
// whose data directory a test chooses migrate theirs themselves.
func copyMigrated(t testing.TB, path string) {
	t.Helper()
	content, err := migratedFile()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var (
	databasesMu sync.Mutex
	databases   = map[string]string{} // URL by data directory; guarded by databasesMu
)

// DatabaseOf returns the URL of the database that belongs to a data directory, on
// the engine that testkit.EngineVariable names. It returns "" for the embedded
// engine.
func DatabaseOf(t testing.TB, data string) string {
	t.Helper()
	makeDatabase := map[string]func(testing.TB) string{
		"postgres": migrated.URL, "citus": distributed,
	}[os.Getenv(testkit.EngineVariable)]
	if makeDatabase == nil {
		return ""
	}
	databasesMu.Lock()
	known := databases[data]
	databasesMu.Unlock()
	if known != "" {
		return known
	}
	url := makeDatabase(t) // without the lock: only one test uses the directory
	databasesMu.Lock()
	defer databasesMu.Unlock()
	databases[data] = url
	return url
}

// migrated is a database with the current schema.
var migrated = testkit.PostgresTemplate{Fill: func(ctx context.Context, url string) error {
	_, err := app.Migrate(ctx, &config.Config{DatabaseURL: url, DatabaseMayLoseData: true})
	return err
}}

// fewShards keeps suites fast.
const fewShards = 4

// distributed returns the URL of a database whose tables Citus distributes.
func distributed(t testing.TB) string {
	t.Helper()
	settings := &config.Config{DatabaseURL: testkit.CitusURL(t), DatabaseMayLoseData: true}
	_, err := app.Migrate(t.Context(), settings)
	if err == nil {
		_, err = app.Distribute(t.Context(), settings, fewShards)
	}
	if err != nil {
		t.Fatal(err)
	}
	return settings.DatabaseURL
}

// Overlap lets several tests run for each processor, unless the command says how many:
// those of whole services mostly wait, for connections, refusals that are held back, and
// databases. TestMain calls it before it runs the tests.
func Overlap() {
	const each = 3
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(each*runtime.GOMAXPROCS(0))) // fails for other than numbers only
	}
}

// AgainOnPostgres runs the package's tests a second time, on PostgreSQL, and a
// third time if there is a Citus. Each run is a process of its own. code is the
// exit code of the first run, and AgainOnPostgres returns that of all.
func AgainOnPostgres(code int) int {
	first := os.Getenv(testkit.EngineVariable) == ""
	if code == 0 && first && testkit.NeedPostgres.Met() {
		code = againOn("postgres")
	}
	if code == 0 && first && testkit.NeedCitus.Met() {
		code = againOn("citus")
	}
	return code
}

func againOn(engine string) int {
	again := exec.Command(os.Args[0], os.Args[1:]...)
	again.Env = append(os.Environ(), testkit.EngineVariable+"="+engine)
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	fmt.Println("and again on " + engine)
	if err := again.Run(); err != nil {
		return 1
	}
	return 0
}

// Stop stops the service as a signal would, and waits until it has ended.
func (s *Service) Stop() { s.stop() }

// CloseIdle closes the idle connections to a service in another process.
func (s *Service) CloseIdle() { s.http.CloseIdleConnections() }

// locked is a writer that is safe for concurrent use.
type locked struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
