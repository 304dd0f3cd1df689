package upgrade_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// fixture is the data directory of a release, with who used it and what it answered.
type fixture struct {
	PartnerID string            `json:"partner_id"`
	PublicKey string            `json:"public_key"`
	SecretKey string            `json:"secret_key"`
	CourierID string            `json:"courier_id"`
	Pending   string            `json:"pending"` // an order that can be cancelled
	Answers   map[string]string `json:"answers"` // by path

	dir string
	url string // of the PostgreSQL database; empty if the database is in dir
}

// The files that a fixture has in its data directory besides those of the service.
const (
	answersFile = "answers.json"
	dumpFile    = "database.sql"
)

// anIndex is an index of the first release.
const anIndex = "api_keys_of_partner"

// fill makes a data directory with something in each kind of table that orders, stock and
// operators use, and returns it.
func fill(t *testing.T, engine string) (dir string) {
	t.Helper()
	f := &fixture{dir: t.TempDir(), Answers: map[string]string{}}
	if engine == postgreSQL {
		f.url = testkit.PostgresURL(t)
	}
	s := apptest.Start(t, apptest.DataIn(f.dir), apptest.DatabaseAt(f.url), apptest.Webhooks(), publicly)
	partner, operator := s.Register(t, "metro"), s.Operate(t)
	f.PartnerID, f.PublicKey, f.SecretKey, f.CourierID = partner.PartnerID, partner.PublicKey, partner.SecretKey,
		operator.CourierID
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3, "TOR-1": 50})
	partner.SetEndpoint(t, apptest.NewReceiver(t).URL)
	paths := []string{"/v1/orders", "/v1/inventory/products", "/v1/inventory/movements", "/v1/webhooks/endpoint"}
	way := []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered"}
	for steps := range len(way) + 1 { // an order in each state
		id := partner.Create(t, testkit.OrderJSON(fmt.Sprint("A-", steps),
			fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, lamp))).Must(t, 201).Text("order_id")
		for _, status := range way[:steps] {
			operator.Move(t, id, status).Must(t, 200)
		}
		if steps == 0 {
			f.Pending = id
		}
		operator.Call(t, "POST", "/ops/v1/orders/"+id+"/notes", []byte(`{"text":"left with the porter"}`)).Must(t, 201)
		paths = append(paths, "/v1/orders/"+id, "/track/"+id, "/ops/v1/orders/"+id)
	}
	cancelled := partner.Create(t, testkit.OrderJSON("A-cancelled", "")).Must(t, 201).Text("order_id")
	partner.Cancel(t, cancelled, "by the customer").Must(t, 200)
	paths = append(paths, "/v1/orders/"+cancelled, "/ops/v1/couriers/"+f.CourierID, "/ops/v1/partners/"+f.PartnerID)
	paths = append(paths, f.live(t, partner, operator, lamp)...)
	for _, path := range paths {
		f.Answers[path] = string(ask(t, partner, operator, path).Must(t, http.StatusOK).Body)
	}
	s.Stop()
	content, err := json.MarshalIndent(f, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join(f.dir, answersFile), content, 0o600)
	}
	if err == nil && engine == postgreSQL {
		err = testkit.RunPostgresProgram("pg_dump", "--no-owner", "--no-privileges", "--file",
			filepath.Join(f.dir, dumpFile), f.url)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.dir
}

// publicly gives the service an address that stays: orders keep the address of their
// tracking page.
func publicly(c *config.Config, _ *app.Surroundings) { c.BaseURL = "http://delivery.example.com" }

// ask reads a path as the one who may.
func ask(t *testing.T, partner *apptest.Partner, operator *apptest.Operator, path string) *apptest.Answer {
	t.Helper()
	switch {
	case strings.HasPrefix(path, "/ops/"):
		return operator.Call(t, http.MethodGet, path, nil)
	case strings.HasPrefix(path, "/v1/"):
		return partner.Call(t, http.MethodGet, path, nil)
	default:
		return partner.Do(t, http.MethodGet, path, nil)
	}
}

// upgrade opens the database with the current code, and returns what is missing or
// different. Fields may have been added since the release.
func (f *fixture) upgrade(t *testing.T) (faults []string) {
	t.Helper()
	s, partner, operator := f.start(t)
	for path, kept := range f.Answers {
		answer := ask(t, partner, operator, path)
		if answer.Status != http.StatusOK {
			faults = append(faults, fmt.Sprintf("%s: got status %d %s, want 200", path, answer.Status, answer.Body))
			continue
		}
		var got, want any
		if err := json.Unmarshal(answer.Body, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(kept), &want); err != nil {
			t.Fatal(err)
		}
		faults = append(faults, differences(path+": ", got, want)...)
	}
	if got, want := f.schema(t, s), fresh(t, f.url != ""); !slices.Equal(got, want) {
		missing := slices.DeleteFunc(slices.Clone(want), func(line string) bool { return slices.Contains(got, line) })
		extra := slices.DeleteFunc(slices.Clone(got), func(line string) bool { return slices.Contains(want, line) })
		faults = append(faults, fmt.Sprintf(
			"the schema is not that of a new database: was a released migration edited? It lacks %q and has %q", missing, extra,
		))
	}
	s.Stop()
	return faults
}

// differences returns where got lacks a value of want.
func differences(where string, got, want any) (faults []string) {
	switch want := want.(type) {
	case map[string]any:
		members, _ := got.(map[string]any)
		for name, value := range want {
			faults = append(faults, differences(strings.TrimSuffix(where, ".")+dot(where)+name, members[name], value)...)
		}
	case []any:
		elements, _ := got.([]any)
		if len(elements) != len(want) {
			return []string{fmt.Sprintf("%s: got %d elements, want %d", where, len(elements), len(want))}
		}
		if strings.HasSuffix(where, "moves") { // 0.1.0 listed those of one moment in no order
			slices.SortFunc(elements, newest)
			slices.SortFunc(want, newest)
		}
		for i := range want {
			faults = append(faults, differences(fmt.Sprintf("%s[%d]", where, i), elements[i], want[i])...)
		}
	default:
		if !reflect.DeepEqual(got, want) {
			faults = append(faults, fmt.Sprintf("%s: got %v, want %v", where, got, want))
		}
	}
	return faults
}

// newest compares moves by their versions.
func newest(a, b any) int {
	version := func(move any) float64 { return move.(map[string]any)["version"].(float64) } //nolint:forcetypeassert // moves have one
	return cmp.Compare(version(b), version(a))
}

func dot(where string) string {
	if strings.HasSuffix(where, " ") {
		return ""
	}
	return "."
}

// schema describes the tables, columns, indexes and constraints of the service's database.
func (f *fixture) schema(t *testing.T, s *apptest.Service) (lines []string) {
	t.Helper()
	queries := []string{"SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"}
	if f.url != "" {
		queries = []string{
			"SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns WHERE table_schema = 'public'",
			"SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
			"SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'",
		}
	}
	for _, query := range queries {
		lines = append(lines, s.Query(t, query)...)
	}
	slices.Sort(lines)
	return lines
}

// fresh returns the schema of a new database of the current code.
func fresh(t *testing.T, onPostgres bool) []string {
	t.Helper()
	f := &fixture{dir: t.TempDir()}
	if onPostgres {
		f.url = testkit.PostgresURL(t)
	}
	if _, err := app.Migrate(t.Context(),
		&config.Config{Data: f.dir, DatabaseURL: f.url, DatabaseMayLoseData: true}); err != nil {
		t.Fatal(err)
	}
	return f.schema(t, f.service())
}

// service returns a service that is not running, for queries of its database.
func (f *fixture) service() *apptest.Service {
	s := apptest.Attach("")
	s.Data, s.Database = f.dir, f.url
	return s
}

func (f *fixture) execute(t *testing.T, statement string) {
	t.Helper()
	f.service().Execute(t, statement)
}
