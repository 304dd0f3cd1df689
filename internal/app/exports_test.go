package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/exports"
	"github.com/dropyard/dropyard/internal/testkit"
)

// exportingTo has a service export days.
func exportingTo(where string) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.ExportTo = where }
}

// embeddedIn returns the URL of the database that apptest.Embedded keeps in a data directory.
func embeddedIn(data string) string { return "sqlite:" + filepath.Join(data, "embedded.db") }

// exportedDay waits until a service has exported a day, or failed, and returns what operators see of it.
func exportedDay(t *testing.T, clock *testkit.Clock, o *apptest.Operator, last string) *apptest.Answer {
	t.Helper()
	var got *apptest.Answer
	apptest.Await(t, "the export of "+last, func() bool {
		clock.Advance(time.Second) // the exporter may have looked just before it was due
		got = o.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
		return got.JSON("exports", "last") != nil && got.Text("exports", "last", "day") == last
	})
	return got
}

// TestExportByNight exports the day of the first start in the following night, and two days that were missed at the
// next start. Files hold the order of a partner, but neither its recipient nor test orders. A failure is shown, and
// repaired.
func TestExportByNight(t *testing.T) {
	t.Parallel()
	data, folder := t.TempDir(), filepath.Join(t.TempDir(), "exports")
	clock := testkit.NewClock(testkit.Epoch)
	options := []apptest.Option{apptest.OnClock(clock), apptest.DataIn(data), apptest.Embedded(),
		exportingTo(folder)}
	s := apptest.Start(t, options...)
	p, o := s.Register(t, "Metro"), s.Operate(t)
	orderID := p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	p.InTest(t).Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201)
	o.Call(t, "POST", "/ops/v1/exports", nil).Must(t, 409) // no day has ended
	before := o.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
	if before.JSON("exports", "last") != nil || before.Text("exports", "next_day") != "2026-01-14" ||
		before.Text("exports", "next_at") != "2026-01-15T07:30:00.000Z" {
		t.Errorf("got %v before the first night", before.JSON("exports"))
	}
	begun(t, s)
	clock.Advance(time.Date(2026, 1, 15, 7, 30, 0, 0, time.UTC).Sub(clock.Now()))
	first := exportedDay(t, clock, s.Operate(t), "2026-01-14")
	day := filepath.Join(folder, "day=2026-01-14")
	text, err := os.ReadFile(filepath.Join(day, "orders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != 1 || !strings.Contains(string(text), orderID) ||
		strings.Contains(string(text), "Martin") || !strings.Contains(string(text), `"name":"erased"`) {
		t.Errorf("got %s, want the order %s without its recipient", text, orderID)
	}
	var m exports.Manifest
	if text, err = os.ReadFile(filepath.Join(day, exports.ManifestName)); err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil || len(m.Files) != 10 || m.Previous != nil || m.Files[0].Rows != 1 || *m.Files[0].FirstID != orderID {
		t.Errorf("got the manifest %s, %v", text, err)
	}
	o = s.Operate(t)
	list := o.Call(t, "GET", "/ops/v1/exports", nil).Must(t, 200)
	if sum := sha256.Sum256(text); list.Len("days") != 1 || list.Text("days", 0, "day") != "2026-01-14" ||
		list.Text("days", 0, "state") != "done" || list.Text("days", 0, "manifest_sha256") != hex.EncodeToString(sum[:]) ||
		list.Len("days", 0, "files") != 10 || list.Text("days", 0, "files", 0, "name") != "orders.csv" ||
		list.JSON("days", 0, "files", 0, "rows") != 1.0 {
		t.Errorf("got %s, want the manifest of the day", list.Body)
	}
	o.Visit(t).Open(t, "/console/system").Shows(t, http.StatusOK, "Nightly exports", "2026-01-15", "Export now",
		list.Text("days", 0, "manifest_sha256")[:12])
	books := o.As(t, "accountant").Visit(t)
	page := books.Open(t, "/console/exports")
	page.Shows(t, http.StatusOK, `href="/console/exports" aria-current="page"`,
		"2026-01-15", list.Text("days", 0, "manifest_sha256")[:12])
	books.Send(t, page, "/console/exports").Leads(t, "/console/exports")
	books.Open(t, "/console/exports").Shows(t, http.StatusOK, "There is no day to export")
	s.Stop()
	if first.JSON("exports", "error") != nil || first.JSON("exports", "days_behind") != float64(0) {
		t.Errorf("got %v", first.JSON("exports"))
	}
	foreign := filepath.Join(folder, "day=2026-01-15") // of another installation
	if err := errors.Join(os.Mkdir(foreign, 0o700),
		os.WriteFile(filepath.Join(foreign, exports.ManifestName), []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	clock.Advance(48 * time.Hour)
	s = apptest.Start(t, options...)
	o = s.Operate(t)
	apptest.Await(t, "the failure", func() bool {
		return o.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200).JSON("exports", "error") != nil
	})
	o.Visit(t).Open(t, "/console/system?lang=fr").Shows(t, http.StatusOK, "Exportations nocturnes", "a échoué",
		"Jours de retard")
	if err := os.RemoveAll(foreign); err != nil {
		t.Fatal(err)
	}
	v := o.Visit(t)
	v.Send(t, v.Open(t, "/console/system"), "/console/system/export").Leads(t, "/console/system")
	exportedDay(t, clock, o, "2026-01-16") // without the pause after a failure
	apptest.Await(t, "the end of the export", func() bool {
		return o.Call(t, "GET", "/ops/v1/exports", nil).Must(t, 200).JSON("exports", "running") == false
	})
	v.Send(t, v.Open(t, "/console/system"), "/console/system/export").Leads(t, "/console/system")
	v.Open(t, "/console/system").Shows(t, http.StatusOK, "There is no day to export")
	log := o.Call(t, "GET", "/ops/v1/audit?action=export.begun", nil).Must(t, 200)
	if log.Len("entries") != 1 || log.Text("entries", 0, "after", "first") != "2026-01-15" ||
		log.Text("entries", 0, "after", "last") != "2026-01-16" {
		t.Errorf("got %s, want the one that was begun", log.Body)
	}
	page = o.Call(t, "GET", "/ops/v1/exports?limit=2", nil).Must(t, 200)
	rest := o.Call(t, "GET", "/ops/v1/exports?limit=2&cursor="+page.Text("next_cursor"), nil).Must(t, 200)
	if page.Len("days") != 2 || rest.Len("days") != 1 || rest.Text("days", 0, "day") != "2026-01-14" ||
		rest.JSON("next_cursor") != nil {
		t.Errorf("got %s and %s, want three days", page.Body, rest.Body)
	}
	settings := &config.Config{Data: data, DatabaseURL: embeddedIn(data), ExportTo: folder}
	found, err := app.VerifyExports(t.Context(), settings, app.System())
	if err != nil || found.Days != 3 || len(found.Faults) > 0 {
		t.Errorf("got %+v, %v, want three days", found, err)
	}
}

// bucketOfFiles is a bucket that keeps objects in memory.
type bucketOfFiles struct {
	mu      sync.Mutex
	objects map[string]string // guarded by mu; by path
}

func (b *bucketOfFiles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Method == http.MethodPut {
		content, _ := io.ReadAll(r.Body)
		b.objects[r.URL.Path] = string(content)
		return
	}
	content, ok := b.objects[r.URL.Path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = io.WriteString(w, content)
}

// names lists the objects.
func (b *bucketOfFiles) names() (names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range b.objects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestExportToBucket exports days to a bucket by a command, and notices a file that was changed there.
func TestExportToBucket(t *testing.T) {
	t.Parallel()
	bucket := &bucketOfFiles{objects: map[string]string{}}
	server := httptest.NewServer(bucket)
	t.Cleanup(server.Close)
	data := t.TempDir()
	s := apptest.Start(t, apptest.DataIn(data), apptest.Embedded())
	s.Register(t, "Metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	s.Stop()
	settings := &config.Config{
		Data: data, DatabaseURL: embeddedIn(data), ExportFormats: []string{"csv"}, ExportFrom: "2026-01-14",
		ExportTo: "s3://AKIDEXAMPLE:verysecretkey@" + strings.TrimPrefix(server.URL, "http://") + "/my-bucket/yard?tls=off",
	}
	world := app.System()
	world.Now = func() time.Time { return testkit.Epoch.AddDate(0, 0, 2) }
	done, err := app.ExportDays(t.Context(), settings, world, 0)
	if err != nil || done.Days != 2 || done.Last.Day.String() != "2026-01-15" {
		t.Fatalf("got %+v, %v, want two days", done, err)
	}
	if names := bucket.names(); len(names) != 12 || names[0] != "/my-bucket/yard/day=2026-01-14/events.csv" {
		t.Errorf("got %q", names)
	}
	if left, err := os.ReadDir(filepath.Join(data, "exporting")); err == nil && len(left) > 0 {
		t.Errorf("got %v left in the data directory", left)
	}
	if done, err := app.ExportDays(t.Context(), settings, world, 0); err != nil || done.Days != 0 {
		t.Errorf("got %+v, %v for the same days again, want none", done, err)
	}
	bucket.objects["/my-bucket/yard/day=2026-01-14/orders.csv"] += "x"
	found, err := app.VerifyExports(t.Context(), settings, world)
	if err != nil || found.Days != 1 || len(found.Faults) != 1 ||
		!strings.Contains(found.Faults[0].Error(), "day=2026-01-14/orders.csv has ") {
		t.Errorf("got %+v, %v, want one fault", found, err)
	}
	if _, err := app.ExportDays(t.Context(), &config.Config{Data: data}, world, 0); err == nil {
		t.Error("got no error without a place")
	}
}

// TestExportOfEventsWithoutOrder exports events of a product and of a statement: files name both, and have neither a
// status nor times of an order.
func TestExportOfEventsWithoutOrder(t *testing.T) {
	t.Parallel()
	data, folder := t.TempDir(), t.TempDir()
	f := newFloor(t, apptest.Webhooks(), apptest.DataIn(data), apptest.Embedded())
	f.keepBooks(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 8}) // its stock_min is 5
	f.partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 3))).Must(t, 201)
	f.orderIn(t, "A-2", delivery.StatusDelivered)
	f.endMonth(t)
	closed := f.operator.As(t, "accountant").Call(t, "POST", "/ops/v1/statements",
		fmt.Appendf(nil, `{"period":"2026-01","partner_id":%q}`, f.partner.PartnerID)).Must(t, 201)
	f.Stop()
	settings := &config.Config{Data: data, DatabaseURL: embeddedIn(data), ExportFrom: "2026-01-14", ExportTo: folder}
	world := app.System()
	world.Now = func() time.Time { return time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC) }
	if _, err := app.ExportDays(t.Context(), settings, world, 0); err != nil {
		t.Fatal(err)
	}
	for day, want := range map[string]struct {
		kind  delivery.EventType
		cells map[string]string
		facts string // the members of facts
	}{
		"2026-01-14": {
			delivery.EventStockLow, map[string]string{"product_id": fmt.Sprint(lamp), "total": "5", "movement_id": ""},
			"stock",
		},
		"2026-02-01": {
			delivery.EventStatementClosed,
			map[string]string{"statement_id": closed.Text("statement_id"), "period": "2026-01"}, "statement",
		},
	} {
		text, err := os.ReadFile(filepath.Join(folder, "day="+day, "events.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		row := slices.IndexFunc(rows, func(cells []string) bool { return cells[2] == string(want.kind) })
		want.cells["status"], want.cells["at"], want.cells["order_id"] = "", "", ""
		for name, cell := range want.cells {
			if at := slices.Index(rows[0], name); at < 0 || row < 0 || rows[row][at] != cell {
				t.Errorf("%s: got %s, want %q in it as %s", want.kind, text, cell, name)
			}
		}
		if text, err = os.ReadFile(filepath.Join(folder, "day="+day, "events.jsonl")); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		var line struct {
			Facts map[string]any `json:"facts"`
		}
		if err := json.Unmarshal([]byte(lines[max(row, 1)-1]), &line); err != nil || len(line.Facts) != 1 ||
			line.Facts[want.facts] == nil {
			t.Errorf("%s: got %s, %v, want facts with %s only", want.kind, text, err, want.facts)
		}
	}
}

// TestExportFailureMails has exports fail for hours: admins get one mail about it after an hour, and another one when
// it happens again after a success. Other operators get none.
func TestExportFailureMails(t *testing.T) {
	t.Parallel()
	server, folder := testkit.StartMailServer(t, "dropyard:hunter2", nil), t.TempDir()
	clock := testkit.NewClock(testkit.Epoch)
	s := apptest.Start(t, apptest.OnClock(clock), withMail(server), exportingTo(folder))
	s.Operate(t).As(t, "dispatcher")
	begun(t, s)
	for _, day := range []string{"2026-01-14", "2026-01-15"} {
		foreign := filepath.Join(folder, "day="+day)
		if err := errors.Join(os.Mkdir(foreign, 0o700),
			os.WriteFile(filepath.Join(foreign, exports.ManifestName), []byte("{}"), 0o600)); err != nil {
			t.Fatal(err)
		}
		ended, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		clock.Advance(ended.AddDate(0, 0, 1).Add(7*time.Hour + 30*time.Minute).Sub(clock.Now()))
		o := s.Operate(t)
		for failed := range 10 { // in two and a half hours
			if failed > 0 {
				clock.Advance(15 * time.Minute)
			}
			o.Call(t, "POST", "/ops/v1/exports", nil).Must(t, 202)
			apptest.Await(t, "the next failure", func() bool {
				at := s.Query(t, "SELECT value FROM settings WHERE name = 'exports' AND value LIKE '%failed_at%'")
				return len(at) == 1 && failedAt(t, at[0]).Equal(clock.Now())
			})
			if failed < 4 {
				noMail(t, server)
			}
		}
		got := <-server.Mails
		if got.To != apptest.OperatorEmail || got.Subject() != "Nightly exports are failing" ||
			!strings.Contains(got.Text, "set --export-to to another folder") || !strings.Contains(got.Text, "/console/system") {
			t.Errorf("got the mail %q to %s:\n%s", got.Subject(), got.To, got.Text)
		}
		s.Until(t, "SELECT count(*) FROM mails", "0")
		noMail(t, server)
		if err := os.RemoveAll(foreign); err != nil {
			t.Fatal(err)
		}
		clock.Advance(15 * time.Minute)
		o.Call(t, "POST", "/ops/v1/exports", nil) // refused if the exporter has looked already
		apptest.Await(t, "a success", func() bool {
			return len(s.Query(t, "SELECT 1 FROM export_days WHERE done_at <> 0")) > ended.Day()-14
		})
	}
}

// begun waits until a service has noted the day of its first start.
func begun(t *testing.T, s *apptest.Service) {
	t.Helper()
	s.Until(t, `SELECT count(*) FROM settings WHERE name = 'exports' AND value LIKE '%"first":%'`, "1")
}

// failedAt returns when the latest attempt failed, by the setting.
func failedAt(t *testing.T, setting string) time.Time {
	t.Helper()
	var state exports.State
	if err := json.Unmarshal([]byte(setting), &state); err != nil {
		t.Fatal(err)
	}
	return state.FailedAt
}
