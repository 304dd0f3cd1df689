package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestRestart stops and starts a service. All that was stored is there, sessions and
// tokens are valid, and numbering continues.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	service := apptest.Start(t, dir)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3, "TOR-1": 5})
	id := partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 6))).Must(t, 201).Text("order_id")
	operator.Move(t, id, "accepted").Must(t, 200)
	login := service.Do(t, "POST", "/v1/auth/login",
		fmt.Appendf(nil, `{"email":%q,"password":%q}`, partner.Email, partner.Password)).Must(t, 200)
	cookie, _, _ := strings.Cut(login.Header.Get("Set-Cookie"), ";")
	reads := []string{"/v1/orders/" + id, "/v1/orders", "/v1/inventory/products", "/v1/inventory/movements"}
	before, content := map[string]string{}, service.Content(t)
	for _, target := range reads {
		before[target] = string(partner.Call(t, "GET", target, nil).Must(t, 200).Body)
	}
	service.Stop()

	service = apptest.Start(t, dir)
	partner.Service, operator.Service = service, service
	service.Unchanged(t, content)
	for _, target := range reads {
		if after := string(partner.Call(t, "GET", target, nil).Must(t, 200).Body); after != before[target] {
			t.Errorf("%s: got %s\nwant %s", target, after, before[target])
		}
	}
	service.Do(t, "GET", "/v1/auth/me", nil, "Cookie", cookie).Must(t, 200)
	operator.Move(t, id, "courier_assigned").Must(t, 200)
	partner.Create(t, testkit.OrderJSON("A-2", buying(lamp, 3))).Refused(t, 422, "insufficient_stock")
	partner.Create(t, testkit.OrderJSON("A-2", buying(lamp, 2))).Must(t, 201)
	operator.Stock(t, partner.PartnerID, "Rug", map[string]int{"MTL-1": 1})
	service.Audit(t)
}

// TestStopCompletesRequests stops a service while the body of a request is on its way.
// The request is answered, and what it created is stored.
func TestStopCompletesRequests(t *testing.T) {
	t.Parallel()
	dir := apptest.DataIn(t.TempDir())
	service := apptest.Start(t, dir)
	partner, body := service.Register(t, "metro"), string(testkit.OrderJSON("A-1", ""))
	headers := append(partner.Signed("POST", "/v1/orders", []byte(body)), "Content-Type", "application/json",
		"Idempotency-Key", uuid.NewString(), "Content-Length", fmt.Sprint(len(body)), "Expect", "100-continue")
	wire := service.Wire(t).Send(apptest.Text("POST", "/v1/orders", headers, "")).Continue().Send(body[:100])

	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		service.Stop()
	}()
	for refused := false; !refused; { // until no new connection is accepted
		conn, err := net.Dial("tcp", service.Address())
		if refused = err != nil; !refused {
			_ = conn.Close()
		}
	}
	select {
	case <-stopped:
		t.Fatal("got the service stopped, want it to wait for the request")
	default:
	}
	id := wire.Send(body[100:]).Answer("POST").Must(t, 201).Text("order_id")
	<-stopped

	partner.Service = apptest.Start(t, dir)
	partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
	partner.Audit(t)
}

// TestStopConcurrently stops a service several times, concurrently and again.
func TestStopConcurrently(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	apptest.Together(4, func(int) bool { service.Stop(); return true })
	service.Stop()
	if _, err := service.Try("GET", "/v1/health", nil); err == nil {
		t.Error("got a response after the stop, want none")
	}
}

// files returns the names, sizes and modes of the files in a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(info.Name(), " ", info.Size(), " ", info.Mode()))
	}
	return strings.Join(all, "\n")
}

// TestWrongMasterKey starts a service without the master key of its database. It
// does not start, because every API key would be unreadable, and changes no file.
func TestWrongMasterKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(path string) error
		want  error
	}{
		"missing": {os.Remove, credential.ErrMasterKeyMissing},
		"another": {func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("00", 32)), 0o600)
		}, credential.ErrMasterKeyOther},
		"readable": {func(path string) error { return os.Chmod(path, 0o644) }, credential.ErrMasterKeyExposed},
		"by all":   {func(path string) error { return os.Chmod(path, 0o604) }, credential.ErrMasterKeyExposed},
		"empty":    {func(path string) error { return os.WriteFile(path, nil, 0o600) }, credential.ErrMasterKeyNotValid},
		"short": {func(path string) error {
			return os.WriteFile(path, []byte("c2hvcnQ="), 0o600)
		}, credential.ErrMasterKeyNotValid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			service := apptest.Start(t, apptest.DataIn(dir))
			partner := service.Register(t, "metro")
			service.Stop()
			path := filepath.Join(dir, "master.key")
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.spoil(path); err != nil {
				t.Fatal(err)
			}
			before := files(t, dir)
			err = apptest.StartError(t, apptest.DataIn(dir))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got error %v, want %v in one line with the path", err, c.want)
			}
			if after := files(t, dir); after != before {
				t.Errorf("got files %s\nwant %s", after, before)
			}
			restored(t, partner, dir, good)
		})
	}
}

// restored writes the right key back, with which the service works again.
func restored(t *testing.T, partner *apptest.Partner, dir string, key []byte) {
	t.Helper()
	path := filepath.Join(dir, "master.key")
	if err := os.WriteFile(path, key, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	partner.Service = apptest.Start(t, apptest.DataIn(dir))
	partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
}

// TestGroupOfVolume mounts a volume twice as Kubernetes does for fsGroup: each time, all of
// it gets the permissions of its owner for the group, and folders pass their group on.
func TestGroupOfVolume(t *testing.T) {
	t.Parallel()
	embedded(t)
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mount := func() {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			mode := info.Mode().Perm() | 0o060
			if entry.IsDir() {
				mode |= 0o010 | fs.ModeSetgid
			}
			return os.Chmod(path, mode)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	mount()
	service := apptest.Start(t, apptest.DataIn(dir))
	partner := service.Register(t, "metro")
	partner.Create(t, testkit.OrderJSON("A-0", "")).Must(t, 201)
	for i := range 2 {
		service.Stop()
		if log := service.Log.String(); strings.Contains(log, "open to other users") {
			t.Errorf("mount %d: got %s, want no warning", i, log)
		}
		mount()
		if info, err := os.Stat(filepath.Join(dir, "master.key")); err != nil || info.Mode().Perm() != 0o660 {
			t.Fatalf("got mode %v, error %v, want 0660", info.Mode(), err)
		}
		service = apptest.Start(t, apptest.DataIn(dir))
		partner.Service = service
		partner.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i+1), "")).Must(t, 201)
	}
}

// TestMasterKeyElsewhere keeps the master key outside of the data directory.
func TestMasterKeyElsewhere(t *testing.T) {
	t.Parallel()
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere.key")
	elsewhere := func(c *config.Config, _ *app.Surroundings) { c.Data, c.MasterKeyFile = dir, path }
	service := apptest.Start(t, elsewhere)
	partner := service.Register(t, "metro")
	service.Stop()
	if list := files(t, dir); strings.Contains(list, "key") {
		t.Errorf("got files %s, want no key", list)
	}
	if err := apptest.StartError(t, apptest.DataIn(dir)); !errors.Is(err, credential.ErrMasterKeyMissing) {
		t.Errorf("without the key: got error %v, want %v", err, credential.ErrMasterKeyMissing)
	}
	partner.Service = apptest.Start(t, elsewhere)
	partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

// embedded skips a test of the embedded database's files on other engines.
func embedded(t *testing.T) {
	t.Helper()
	if engine := os.Getenv(testkit.EngineVariable); engine != "" {
		t.Skipf("%s has no files here", engine)
	}
}

// TestOddDirectories uses a data directory whose name has special characters.
func TestOddDirectories(t *testing.T) {
	t.Parallel()
	embedded(t)
	parent := t.TempDir()
	dir := filepath.Join(parent, "odd é#x?y=%41&z;'\"", "not there yet")
	service := apptest.Start(t, apptest.DataIn(dir))
	service.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	service.Audit(t)
	service.Stop()
	if list := files(t, dir); len(strings.Split(list, "\n")) != 5 {
		t.Errorf(
			"got files %s, want the database, its mark and that of the installation, the master key and the directory of proofs",
			list,
		)
	}
	if list := files(t, parent); strings.Contains(list, "\n") {
		t.Errorf("got %s in the parent directory, want one directory", list)
	}
}

// TestPortInUse starts a service on a port that is in use. It creates no files.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	dir, running := filepath.Join(t.TempDir(), "data"), apptest.Start(t)
	onSamePort := func(c *config.Config, _ *app.Surroundings) { c.Data, c.Listen = dir, running.Address() }
	if err := apptest.StartError(t, onSamePort); !strings.Contains(err.Error(), running.Address()) {
		t.Errorf("got error %v, want it to name %s", err, running.Address())
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: got error %v, want it not to exist", dir, err)
	}
	running.Do(t, "GET", "/v1/health", nil).Must(t, 200)
}

// TestInvalidDatabaseFile starts a service on a file that is not a database. The
// file is not changed.
func TestInvalidDatabaseFile(t *testing.T) {
	t.Parallel()
	embedded(t)
	dir := t.TempDir()
	file, nonsense := filepath.Join(dir, "dropyard.db"), bytes.Repeat([]byte("no database "), 1000)
	if err := os.WriteFile(file, nonsense, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := apptest.StartError(t, apptest.DataIn(file)); !strings.Contains(err.Error(), file) {
		t.Errorf("a file as directory: got error %v, want it to name %s", err, file)
	}
	if err := apptest.StartError(t, apptest.DataIn(dir)); !strings.Contains(err.Error(), "not a database") {
		t.Errorf("invalid database: got error %v, want not a database", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, nonsense) {
		t.Errorf("got the file changed, want it unchanged: %v", err)
	}
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	apptest.Start(t, apptest.DataIn(dir)).Stop() // an empty file is an empty database
}

var demoLine = regexp.MustCompile(`(?m)^ +(partner|API key|secret|operator|courier|courier id) .*$`)

// TestDemoIsSeededOnce starts the demo twice. The second start prints the same
// credentials and adds nothing.
func TestDemoIsSeededOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seed := func() (credentials, content string) {
		var printed bytes.Buffer
		service := apptest.Start(t, apptest.DataIn(dir), apptest.Demo(&printed))
		defer service.Stop()
		products := service.Query(t, "SELECT product_id, quantity FROM products WHERE partner_id < 'par_g'")
		if len(products) != 3 || products[0] != "1 140" {
			t.Errorf("got products %v, want 3, the first with 140 units", products)
		}
		service.Audit(t)
		return strings.Join(demoLine.FindAllString(printed.String(), -1), "\n"), service.Content(t)
	}
	first, stored := seed()
	second, storedThen := seed()
	if first != second || strings.Count(first, "\n") != 5 {
		t.Errorf("got %s\nwant %s", second, first)
	}
	if stored != storedThen {
		t.Errorf("got content %s\nwant %s", storedThen, stored)
	}
}
