package app_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/db/backup"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// held returns why webhooks and mails are held; empty if they are not.
func held(t *testing.T, s *apptest.Service) string {
	t.Helper()
	system := s.Operate(t).Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
	ready := s.Do(t, "GET", "/v1/ready", nil).Must(t, 200)
	if want := system.JSON("held") != nil; ready.JSON("held") != want {
		t.Errorf("got %s, want held to be %t", ready.Body, want)
	}
	if system.JSON("held") == nil {
		return ""
	}
	return system.Text("held", "reason")
}

// restorable is a service of which a backup is made, and restored.
type restorable struct {
	*hooked
	server  *testkit.MailServer
	options []apptest.Option
}

func newRestorable(t *testing.T) *restorable {
	t.Helper()
	embedded(t)
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	r := &restorable{
		server: server, options: []apptest.Option{apptest.DataIn(t.TempDir()), withMail(server), apptest.WithMetrics()},
	}
	r.hooked = newHooked(t, r.options...)
	r.options = append(r.options, apptest.Webhooks(), apptest.OnClock(r.Clock))
	return r
}

// again starts the service again.
func (r *restorable) again(t *testing.T) {
	t.Helper()
	r.Service = apptest.Start(t, r.options...)
	r.partner.Service, r.operator.Service = r.Service, r.Service
}

// mailTo returns the next mail to an address.
func (r *restorable) mailTo(address string) *testkit.Mail {
	for {
		if got := <-r.server.Mails; got.To == address {
			return got
		}
	}
}

// number returns the result of a query.
func (r *restorable) number(t *testing.T, query string) int {
	t.Helper()
	n, err := strconv.Atoi(r.Query(t, query)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// restore stops the service and puts a backup in the place of its database.
func (r *restorable) restore(t *testing.T, file string) *backup.Restored {
	t.Helper()
	r.Stop()
	restored, err := app.Restore(t.Context(), &config.Config{Data: r.Data}, file, true)
	if err != nil {
		t.Fatal(err)
	}
	return restored
}

// backup writes a backup, as dropyard backup does.
func (r *restorable) backup(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := app.Backup(t.Context(), &config.Config{Data: r.Data}, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRestoredInstallation restores a backup over the database that has gone on from it. What
// was revoked since stays so, no number is given out twice, no session or link goes on, and
// webhooks and mails wait for an admin.
func TestRestoredInstallation(t *testing.T) {
	t.Parallel()
	r := newRestorable(t)
	key, dispatcher := r.partner.NewKey(t), r.operator.As(t, "dispatcher")
	user, owner := r.partner.As(t, "clerk"), r.partner.Owner(t)
	first := r.operator.Stock(t, r.partner.PartnerID, "Lamp", map[string]int{"A": 5})
	owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"new@example.com","role":"reader"}`)).Must(t, 201)
	invitation := linkIn(t, r.mailTo("new@example.com"), "invitations")
	file := r.backup(t)

	r.Do(t, "DELETE", "/v1/auth/api-keys/"+key.KeyID, nil, r.partner.Login()...).Must(t, 200)
	owner.Call(t, "DELETE", "/v1/team/"+user.UserID, nil).Must(t, 200)
	r.operator.Call(t, "PATCH", "/ops/v1/operators/"+dispatcher.OperatorID, []byte(`{"active":false}`)).Must(t, 200)
	lost := r.operator.Stock(t, r.partner.PartnerID, "Vase", map[string]int{"A": 5})
	moved := r.number(t, "SELECT last_movement FROM partner_counters WHERE partner_id = '"+r.partner.PartnerID+"'")

	since := r.restore(t, file).Since
	ended := strings.Join(since.Ended, "\n")
	for _, what := range []string{"API key " + key.KeyID, "user " + user.UserID, "operator " + dispatcher.OperatorID} {
		if !strings.Contains(ended, what) {
			t.Errorf("got what had been ended since %q, want %q in it", ended, what)
		}
	}
	if since.Unknown != "" || len(since.Ended) < 3 {
		t.Errorf("got %+v, want three of what had been ended since", since)
	}

	r.again(t)
	key.Service = r.Service
	key.Call(t, "GET", "/v1/orders", nil).Refused(t, 401, "unauthorized")
	r.partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	owner.Call(t, "GET", "/v1/team", nil).Refused(t, 401, "unauthorized")
	r.Do(t, "POST", "/v1/auth/invitations/"+invitation,
		[]byte(`{"name":"New","password":"lune-sur-les-quais-88"}`)).Refused(t, 404, "not_found")
	if next := r.operator.Stock(t, r.partner.PartnerID, "Bowl",
		map[string]int{"A": 5}); next != first+store.ProductMargin+1 {
		t.Errorf("got product %d after the restore, want %d, which is none of before such as %d", next,
			first+store.ProductMargin+1, lost)
	}
	if next := r.number(
		t, "SELECT last_movement FROM partner_counters WHERE partner_id = '"+r.partner.PartnerID+"'",
	); next < moved+store.MovementMargin/2 {
		t.Errorf("got movement %d after the restore, want it far beyond %d", next, moved)
	}
	r.waits(t)
}

// waits checks that webhooks and mails wait until an admin resumes them.
func (r *restorable) waits(t *testing.T) {
	t.Helper()
	if got := held(t, r.Service); got != "restored" {
		t.Errorf("got the reason %q for a hold, want restored", got)
	}
	if got := newScrape(t, r.MetricsURL).value("dropyard_messages_held"); got != 1 {
		t.Errorf("dropyard_messages_held: got %v, want 1", got)
	}
	id := r.accepted(t)
	r.settled(t, id, "1 pending 0")
	r.receiver.NoneLeft(t)
	resumed := r.operator.Call(t, "POST", "/ops/v1/system/resume", nil).Must(t, 200)
	if resumed.JSON("held") != nil {
		t.Errorf("resumed: got %v, want null", resumed.JSON("held"))
	}
	r.settled(t, id, "1 delivered 1")
	r.receiver.Next(t)
	r.operator.Call(t, "POST", "/ops/v1/system/resume", nil).Must(t, 200)
	for action, want := range map[string]int{"messages.held": 1, "messages.resumed": 1} {
		if log := r.operator.Call(t, "GET", "/ops/v1/audit?action="+action, nil).Must(t, 200); log.Len("entries") != want {
			t.Errorf("got %s in the audit log, want %d entries of %s", log.Body, want, action)
		}
	}
	r.Stop()
	r.again(t)
	if got := held(t, r.Service); got != "" {
		t.Errorf("got the hold %q after another start, want none", got)
	}
}

// TestOlderDatabase puts the file of an older state in the place of the database, without
// dropyard restore: the data folder shows that it is older.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	r := newRestorable(t)
	owner := r.partner.Owner(t)
	r.Stop()
	path := filepath.Join(r.Data, "dropyard.db")
	older, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.again(t)
	if got := held(t, r.Service); got != "" {
		t.Errorf("got the hold %q after a start on the same data, want none", got)
	}
	owner.Service = r.Service
	owner.Call(t, "GET", "/v1/team", nil).Must(t, 200)
	putBack := func() {
		t.Helper()
		r.Stop()
		for _, suffix := range []string{"-wal", "-shm", "-mark"} {
			_ = os.Remove(path + suffix)
		}
		if err := os.WriteFile(path, older, 0o600); err != nil {
			t.Fatal(err)
		}
		r.again(t)
		if got := held(t, r.Service); got != "older" {
			t.Errorf("got the hold %q on an older database, want older", got)
		}
	}
	putBack()
	owner.Service = r.Service
	owner.Call(t, "GET", "/v1/team", nil).Refused(t, 401, "unauthorized")
	r.Stop()
	r.again(t)
	if n := r.number(t, "SELECT count(*) FROM audit WHERE action = 'messages.held'"); n != 1 {
		t.Errorf("got %d holds after another start, want the one of before", n)
	}
	// Once more: the epoch of the folder is now one that the file does not know.
	putBack()
	r.Stop()
	if log := r.Log.String(); strings.Contains(log, "two copies") {
		t.Errorf("got the log %s, want no line on two copies", log)
	}
}

// TestHoldSettings holds webhooks and mails by a setting, which lasts, and ends it by another.
func TestHoldSettings(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.DataIn(t.TempDir()), func(c *config.Config, _ *app.Surroundings) { c.Hold = true })
	options := []apptest.Option{apptest.DataIn(service.Data), apptest.DatabaseAt(service.Database)}
	for _, step := range []struct {
		hold, resume bool
		want         string
	}{{false, false, "asked"}, {true, false, "asked"}, {false, true, ""}, {false, true, ""}, {false, false, ""}} {
		service.Stop()
		service = apptest.Start(t, append(options, func(c *config.Config, _ *app.Surroundings) {
			c.Hold, c.Resume = step.hold, step.resume
		})...)
		if got := held(t, service); got != step.want {
			t.Errorf("hold %t, resume %t: got the reason %q, want %q", step.hold, step.resume, got, step.want)
		}
	}
}

// TestForeignDataFolder refuses a data folder of another installation than the database.
func TestForeignDataFolder(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.DataIn(t.TempDir()))
	service.Stop()
	mark := filepath.Join(service.Data, "installation.json")
	if err := os.WriteFile(mark, []byte(`{"installation":"ins_other","epoch":"epo_other","beats":3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	options := []apptest.Option{apptest.DataIn(service.Data), apptest.DatabaseAt(service.Database)}
	if err := apptest.StartError(t, options...); err == nil ||
		!strings.Contains(err.Error(), "another installation (ins_other)") {
		t.Errorf("got %v, want that the folder belongs to another installation", err)
	}
	if err := os.WriteFile(mark, []byte(`{"inst`), 0o600); err != nil { // a crash has cut it off
		t.Fatal(err)
	}
	service = apptest.Start(t, options...)
	if got := held(t, service); got != "" {
		t.Errorf("without a mark: got the hold %q, want none", got)
	}
	// Another copy writes into the folder while the service runs.
	if err := os.WriteFile(mark, []byte(`{"installation":"ins_other","epoch":"epo_other","beats":3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	service.Stop() // writes the mark, too
	if log := service.Log.String(); !strings.Contains(log, "two copies of an installation") {
		t.Errorf("got the log %s, want a line on two copies", log)
	}
	if text, err := os.ReadFile(mark); err != nil || !strings.Contains(string(text), "ins_other") {
		t.Errorf("got %q, %v in the mark, want that of the other copy", text, err)
	}
}

// TestFolderByTwoPaths refuses a second service on the data folder of the first, by another
// path, as two containers have it.
func TestFolderByTwoPaths(t *testing.T) {
	t.Parallel()
	embedded(t)
	service := apptest.Start(t, apptest.DataIn(t.TempDir()))
	other := filepath.Join(t.TempDir(), "mounted")
	if err := os.Symlink(service.Data, other); err != nil {
		t.Fatal(err)
	}
	if err := apptest.StartError(t, apptest.DataIn(other)); err == nil ||
		!strings.Contains(err.Error(), "another dropyard serve is using it") {
		t.Errorf("got %v, want that another service uses the folder", err)
	}
}

// TestCopiedPostgres starts a service on a copy of a PostgreSQL database: with another data
// folder all people are signed out, and it holds its webhooks and mails; the original
// goes on, and so do further nodes on it.
func TestCopiedPostgres(t *testing.T) {
	t.Parallel()
	original := apptest.Start(t, apptest.Sharable(t), apptest.DataIn(t.TempDir()))
	partner := original.Register(t, "metro")
	owner := partner.Owner(t)
	original.Stop()
	url := original.Database
	at := strings.LastIndex(url, "/")
	name, parameters, _ := strings.Cut(url[at+1:], "?")
	admin := &apptest.Service{Database: testkit.PostgresURL(t)}
	admin.Execute(t, "CREATE DATABASE "+name+"_copied TEMPLATE "+name)
	copied := url[:at+1] + name + "_copied?" + parameters

	key := func(c *config.Config, _ *app.Surroundings) {
		c.MasterKeyFile = filepath.Join(original.Data, "master.key")
	}
	clone := apptest.Start(t, apptest.DatabaseAt(copied), key)
	if got := held(t, clone); got != "moved" {
		t.Errorf("got the hold %q on a copy, want moved", got)
	}
	owner.Service = clone
	owner.Call(t, "GET", "/v1/team", nil).Refused(t, 401, "unauthorized")

	options := []apptest.Option{apptest.DatabaseAt(url), key}
	for _, option := range []apptest.Option{apptest.DataIn(original.Data), apptest.DataIn(t.TempDir())} {
		service := apptest.Start(t, append(options, option)...)
		if got := held(t, service); got != "" {
			t.Errorf("got the hold %q on the original in %s, want none", got, service.Data)
		}
		owner.Service = service
		owner.Call(t, "GET", "/v1/team", nil).Must(t, 200)
	}
}

// TestResumeOnOtherNodes resumes on one of two nodes; the other goes on, too.
func TestResumeOnOtherNodes(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.Sharable(t), func(c *config.Config, _ *app.Surroundings) { c.Hold = true })
	other := service.Beside(t)
	for _, node := range []*apptest.Service{service, other} {
		if got := held(t, node); got != "asked" {
			t.Errorf("got the hold %q, want asked on both nodes", got)
		}
	}
	service.Operate(t).Call(t, "POST", "/ops/v1/system/resume", nil).Must(t, 200)
	if got := held(t, service); got != "" {
		t.Errorf("got the hold %q on the node that resumed, want none", got)
	}
	apptest.Await(t, "the other node goes on", func() bool {
		service.Clock.Advance(5 * time.Second)
		return other.Do(t, "GET", "/v1/ready", nil).JSON("held") == false
	})
}
