package generated_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestExportsInDuckDB runs the query of docs/exports.md over the files of a day, and reads all other files.
func TestExportsInDuckDB(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	testkit.NeedPython.OrSkip(t)
	guide, err := os.ReadFile("../../docs/exports.md")
	if err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(string(guide), "In DuckDB, for example:\n\n")
	query, _, found := strings.Cut(query, ";\n")
	if !found {
		t.Fatal("got no query in docs/exports.md")
	}
	data, folder := t.TempDir(), t.TempDir()
	s := apptest.Start(t, apptest.DataIn(data), apptest.Embedded())
	p, o := s.Register(t, "Metro"), s.Operate(t)
	o.Move(t, p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id"), "accepted").Must(t, 200)
	p.Cancel(t, p.Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201).Text("order_id"), "test").Must(t, 200)
	p.Create(t, testkit.OrderJSON("A-3", "")).Must(t, 201)
	s.Stop()
	settings := &config.Config{
		Data: data, DatabaseURL: "sqlite:" + filepath.Join(data, "embedded.db"), ExportFrom: "2026-01-14", ExportTo: folder,
	}
	world := app.System()
	world.Now = testkit.NewClock(testkit.Epoch.AddDate(0, 0, 1)).Now
	if _, err := app.ExportDays(t.Context(), settings, world, 0); err != nil {
		t.Fatal(err)
	}
	w := &workshop{t, t.TempDir()}
	python := w.venv("duckdb==2.0.1")
	writeFile(t, filepath.Join(w.dir, "query.py"), []byte(`import duckdb, sys
folder, query = sys.argv[1:]
orders = duckdb.sql(query.replace("/srv/exports", folder))
for row in duckdb.sql("SELECT partner_order_id, status FROM orders ORDER BY 1").fetchall():
    print(*row)
for kind in "orders", "order_edits", "events", "movements", "journal":
    for read, ending in ("read_csv", "csv"), ("read_json", "jsonl"):
        files = f"{folder}/day=*/{kind}.{ending}"
        duckdb.sql(f"SELECT * FROM {read}('{files}', union_by_name = true, hive_partitioning = false)").fetchall()
`))
	if got, want := w.run(python, "query.py", folder, query), "A-1 accepted\nA-2 cancelled\nA-3 pending\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
