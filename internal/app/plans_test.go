package app_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// overAll matches statements of the senders of webhooks, of the metrics and of the
// simulation. They
// concern all partners and use an index of each shard.
var overAll = regexp.MustCompile(
	`wake_at > (0|\$1)|sum\(enabled\)|min\(\(SELECT e\.due_at|SET holder = \$1|partner_id >= 'par_g'`,
)

// TestOneShard sends every request that partners, recipients and operators can
// send. Every statement that the database gets concerns one shard of one node.
func TestOneShard(t *testing.T) {
	t.Parallel()
	if os.Getenv(testkit.EngineVariable) != "citus" {
		t.Skip("only Citus has shards")
	}
	dir := t.TempDir()
	database := apptest.DatabaseOf(t, dir)
	recorder, through := testkit.NewRecorder(t, database)
	service := apptest.Start(t, apptest.DataIn(dir), apptest.DatabaseAt(through), apptest.RateLimit(10000))
	recorder.Forget() // migrations
	everyday(t, service)
	statements := recorder.Statements()
	service.Stop()

	db, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(t.Context()) }()
	tables := names(t, db, "SELECT logicalrelid::regclass::text FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY 1")
	seen := map[string]bool{}
	for _, statement := range statements {
		named := slices.DeleteFunc(slices.Clone(tables), func(table string) bool {
			return !regexp.MustCompile(`\b` + table + `\b`).MatchString(statement.SQL)
		})
		// Commands read the schema when they open the store.
		if strings.HasPrefix(statement.SQL, "SHOW ") || overAll.MatchString(statement.SQL) ||
			strings.Contains(statement.SQL, "pg_catalog.") || strings.Contains(statement.SQL, "information_schema.") {
			continue
		}
		plan := explain(t, db, statement)
		counts := regexp.MustCompile(`Task Count: \d+`).FindAllString(plan, -1)
		if slices.Contains(counts, "Task Count: 1") {
			counts = slices.DeleteFunc(counts, func(count string) bool { return count == "Task Count: 1" })
		} else if len(named) > 0 {
			counts = append(counts, "no task")
		}
		if len(counts) > 0 || strings.Contains(plan, "pull to coordinator") || strings.Contains(plan, "Distributed Subplan") {
			t.Errorf("%s: got this plan, want one task:\n%s", statement.SQL, plan)
		}
		for _, table := range named {
			seen[table] = true
		}
	}
	for _, table := range tables {
		if !seen[table] {
			t.Errorf("got no statement that reads %s, want one", table)
		}
	}
	t.Logf("%d different statements", len(statements))
}

// everyday sends every request that a service answers.
func everyday(t *testing.T, service *apptest.Service) {
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	partner.Call(t, "PUT", "/v1/webhooks/endpoint", []byte(`{"url":"https://shop.example/hook"}`)).Must(t, 201)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 300, "TOR-1": 500})
	bulb := operator.Stock(t, partner.PartnerID, "Bulb", map[string]int{"MTL-1": 300, "TOR-1": 500})
	body := func(reference string) []byte {
		return testkit.OrderJSON(reference,
			fmt.Sprintf(`[{"product_id":%d,"quantity":1},{"product_id":%d,"quantity":2}]`, lamp, bulb))
	}
	key := uuid.NewString()
	first := partner.Call(t, "POST", "/v1/orders", body("A-1"), "Idempotency-Key", key).Must(t, 201).Text("order_id")
	partner.Call(t, "POST", "/v1/orders", body("A-1"), "Idempotency-Key", key).Must(t, 201)
	partner.Call(t, "POST", "/v1/orders", []byte(`{}`), "Idempotency-Key", uuid.NewString()).Must(t, 422)
	ids := apptest.Together(60, func(i int) string { // sets of many rows
		return partner.Create(t, body(fmt.Sprintf("B-%d", i))).Must(t, 201).Text("order_id")
	})
	apptest.Together(10, func(i int) int { return partner.Cancel(t, ids[i], "").Must(t, 200).Status })
	for _, status := range waysTo["delivered"] {
		apptest.Together(10, func(i int) int { return operator.Move(t, ids[20+i], status).Must(t, 200).Status })
	}
	for _, target := range []string{
		"/v1/orders/" + first, "/v1/orders", "/v1/orders?status=delivered&offset=1", "/v1/orders?partner_order_id=A-1",
		"/v1/orders?limit=5&created_from=2020-01-01T00:00:00Z&created_to=2030-01-01T00:00:00Z", "/v1/orders?cursor=" + first,
		"/v1/webhooks/endpoint", "/v1/webhooks/events", "/v1/webhooks/events?state=pending&order_id=" + first,
		"/v1/inventory/products", "/v1/inventory/products?search=amp", "/v1/inventory/movements",
		fmt.Sprintf("/v1/inventory/movements?product_id=%d", lamp),
	} {
		partner.Call(t, "GET", target, nil).Must(t, 200)
	}
	event := "/v1/webhooks/events/" + partner.Call(t, "GET", "/v1/webhooks/events", nil).Text("events", 0, "event_id")
	partner.Call(t, "GET", event, nil).Must(t, 200)
	partner.Call(t, "POST", event+"/redeliver", nil)
	partner.Call(t, "POST", "/v1/webhooks/endpoint/rotate-secret", nil)
	for _, page := range []string{"", "/html"} {
		service.Do(t, "GET", "/track/"+ids[20]+page, nil).Must(t, 200)
	}

	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, partner.Email, partner.Password)
	cookie, _, _ := strings.Cut(service.Do(t, "POST", "/v1/auth/login", login).Must(t, 200).Header.Get("Set-Cookie"), ";")
	service.Do(t, "GET", "/v1/auth/me", nil, "Cookie", cookie).Must(t, 200)
	service.Do(t, "POST", "/v1/auth/logout", nil, "Cookie", cookie).Must(t, 200)
	spare := partner.NewKey(t)
	partner.Do(t, "GET", "/v1/auth/api-keys", nil, partner.Login()...).Must(t, 200)
	partner.Do(t, "DELETE", "/v1/auth/api-keys/"+spare.KeyID, nil, partner.Login()...).Must(t, 200)

	settings := &config.Config{Data: service.Data, DatabaseURL: service.Database, DatabaseMayLoseData: true}
	if err := app.ExportPartner(t.Context(), settings, app.System(), partner.PartnerID, &strings.Builder{}); err != nil {
		t.Error(err)
	}
	if _, err := app.ErasePartnerOrders(t.Context(), settings, app.System(), partner.PartnerID, nil, "alex@example.com",
		true); err != nil {
		t.Error(err)
	}
	service.Clock.Advance(40 * day)
	service.Sweep(t, retention.Policy{Orders: 30 * day, Events: 10 * day})
}

// names returns the first column of a query.
func names(t *testing.T, db *pgx.Conn, query string) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// explain returns the plan of a statement.
func explain(t *testing.T, db *pgx.Conn, s testkit.Statement) string {
	t.Helper()
	plan := db.PgConn().ExecParams(t.Context(), "EXPLAIN (COSTS off) "+s.SQL, s.Parameters, nil, s.Formats, nil).Read()
	if plan.Err != nil {
		t.Errorf("%s: %v", s.SQL, plan.Err)
	}
	var lines []string
	for _, row := range plan.Rows {
		lines = append(lines, string(row[0]))
	}
	return strings.Join(lines, "\n")
}
