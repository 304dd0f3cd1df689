package dropyard_test

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dropyard/dropyard/"

// rules says which packages of this module each package may import, and which
// others it must not. docs/architecture.md has the same table for readers.
var rules = map[string]rule{
	"api":               {},
	"docs":              {},
	"client":            {may: []string{"internal/signature"}},
	"packaging/clients": {may: []string{"internal/downloads"}},
	"packaging/sbom":    {},
	"cmd/dropyard": {
		may: []string{
			"internal/app", "internal/config", "internal/delivery", "internal/orderfile", "internal/pricing", "internal/profile",
			"client", foundation,
		},
	},

	"internal/foundation/fair":    {mayNot: pure},
	"internal/foundation/barcode": {mayNot: pure},
	"internal/foundation/csvfile": {mayNot: pure},
	"internal/foundation/form": {
		may: []string{
			"internal/foundation/date", "internal/foundation/refusal", "internal/foundation/timestamp",
		}, mayNot: pure,
	},
	"internal/foundation/inbound":    {may: []string{"internal/foundation/throttle"}, mayNot: useCase},
	"internal/foundation/identifier": {mayNot: pure},
	"internal/foundation/machine":    {mayNot: useCase},
	"internal/foundation/clock": {
		may: []string{"internal/foundation/refusal", "internal/foundation/timestamp"}, mayNot: pure,
	},
	"internal/foundation/date":      {mayNot: pure},
	"internal/foundation/paging":    {mayNot: pure},
	"internal/foundation/pace":      {mayNot: useCase},
	"internal/foundation/refusal":   {mayNot: pure},
	"internal/foundation/timestamp": {mayNot: pure},
	"internal/foundation/credential": {may: []string{
		"internal/foundation/durable", "internal/foundation/form", "internal/foundation/identifier",
		"internal/foundation/pace", "internal/foundation/refusal", "internal/foundation/throttle",
	}, mayNot: useCase},
	"internal/foundation/durable": {mayNot: useCase},
	"internal/foundation/picture": {
		may: []string{"internal/foundation/form", "internal/foundation/refusal", "internal/foundation/fair"}, mayNot: pure,
	},
	"internal/foundation/sqlitefile": {mayNot: useCase},
	"internal/foundation/outbound":   {may: []string{"internal/foundation/form"}},
	"internal/foundation/strictjson": {may: []string{
		"internal/foundation/form", "internal/foundation/refusal", "internal/foundation/timestamp",
	}, mayNot: useCase},
	"internal/foundation/openid": {
		may: []string{"internal/foundation/credential", "internal/foundation/refusal", "internal/foundation/strictjson"},
	},
	"internal/foundation/accesslog":   {may: []string{"internal/foundation/terminal"}, mayNot: useCase},
	"internal/foundation/securitylog": {mayNot: useCase},
	"internal/foundation/throttle":    {mayNot: useCase},
	"internal/foundation/tracing":     {},
	"internal/foundation/zone":        {mayNot: useCase},
	"internal/foundation/terminal":    {mayNot: useCase},
	"internal/foundation/manual":      {mayNot: useCase},
	"internal/foundation/progress":    {mayNot: pure},

	"internal/delivery":    {may: []string{foundation}, mayNot: pure},
	"internal/audit":       {may: []string{foundation}, mayNot: pure},
	"internal/actor":       {may: []string{foundation}, mayNot: pure},
	"internal/board":       {may: []string{"internal/delivery"}, mayNot: pure},
	"internal/figures":     {may: []string{"internal/delivery", foundation}, mayNot: pure},
	"internal/signature":   {mayNot: pure},
	"internal/movement":    {may: []string{"internal/delivery"}, mayNot: pure},
	"internal/idempotency": {may: []string{foundation}, mayNot: pure},
	"internal/record":      {may: []string{"internal/delivery", foundation}, mayNot: useCase},
	"internal/mail":        {may: []string{"internal/foundation/zone"}, mayNot: pure},
	"internal/label":       {may: []string{"internal/delivery", "internal/foundation/barcode"}, mayNot: pure},
	"internal/orderfile":   {may: []string{"internal/delivery", foundation}, mayNot: pure},
	"internal/requestlog":  {may: []string{"internal/delivery", foundation}, mayNot: pure},
	"internal/outbox":      {may: []string{"internal/delivery", "internal/foundation/identifier"}, mayNot: pure},
	"internal/route":       {mayNot: pure},
	"internal/search":      {may: []string{"internal/board", "internal/delivery", foundation}, mayNot: useCase},
	"internal/pricing":     {may: []string{"internal/delivery", foundation}, mayNot: pure},
	"internal/money":       {may: []string{"internal/delivery", "internal/pricing", foundation}, mayNot: pure},

	"internal/statement": {
		may: []string{"internal/delivery", "internal/label", "internal/money", foundation}, mayNot: pure,
	},
	"internal/installation": {mayNot: pure},
	"internal/profile":      {may: []string{foundation}, mayNot: useCase},

	"internal/recipient": {
		may: []string{"internal/delivery", "internal/board", "internal/mail", foundation}, mayNot: useCase,
	},
	"internal/order": {may: []string{
		"internal/figures", "internal/delivery", "internal/idempotency", "internal/movement", "internal/mail",
		"internal/outbox", "internal/board", "internal/audit", "internal/label", "internal/money", "internal/pricing",
		"internal/record", "internal/route",
		foundation, "internal/actor",
	}, mayNot: useCase},
	"internal/stock": {may: []string{
		"internal/outbox",
		"internal/delivery", "internal/idempotency", "internal/movement", "internal/audit", foundation,
	}, mayNot: useCase},
	"internal/accounting": {
		may: []string{
			"internal/audit", "internal/delivery", "internal/mail", "internal/money", "internal/outbox", "internal/statement",
			foundation,
		}, mayNot: useCase,
	},
	"internal/saved":  {may: []string{"internal/delivery", foundation}, mayNot: useCase},
	"internal/report": {may: []string{"internal/delivery", "internal/figures", foundation}, mayNot: useCase},
	"internal/ratecard": {
		may: []string{"internal/delivery", "internal/audit", "internal/pricing", foundation}, mayNot: useCase,
	},
	"internal/mailer": {may: []string{"internal/mail", foundation}, mayNot: useCase},
	"internal/signin": {
		may: []string{"internal/delivery", "internal/audit", "internal/mail", foundation, "internal/actor"}, mayNot: useCase,
	},
	"internal/partner": {may: []string{
		"internal/delivery", "internal/audit", "internal/mail", "internal/signature", "internal/signin", foundation,
		"internal/actor",
	}, mayNot: useCase},
	"internal/dispatch": {
		may: []string{
			"internal/delivery", "internal/board", "internal/audit", "internal/route", "internal/search", foundation,
		}, mayNot: useCase,
	},
	"internal/operator": {may: []string{
		"internal/delivery", "internal/audit", "internal/signin", foundation, "internal/actor",
	}, mayNot: useCase},
	"internal/retention": {may: []string{
		"internal/audit", "internal/delivery", "internal/board", "internal/idempotency", "internal/money", "internal/outbox",
		"internal/record", "internal/requestlog", foundation,
	}, mayNot: useCase},
	"internal/proof": {
		may: []string{"internal/delivery", "internal/audit", foundation, "internal/actor"}, mayNot: useCase,
	},
	"internal/proof/s3": {may: []string{"internal/proof", foundation}},
	"internal/webhook": {may: []string{
		"internal/audit", "internal/figures", "internal/delivery", "internal/mail", "internal/outbox", "internal/signature",
		foundation,
	}, mayNot: useCase},
	"internal/downloads": {mayNot: pure},

	"internal/demo":     {may: []string{"internal/delivery", foundation}, mayNot: useCase},
	"internal/simulate": {may: []string{"internal/delivery", "internal/audit", foundation}, mayNot: useCase},

	"internal/requestlogger": {may: []string{"internal/requestlog", foundation}, mayNot: useCase},
	"internal/dispatch/feed": {
		may: []string{"internal/delivery", "internal/board", "internal/dispatch", foundation}, mayNot: useCase,
	},

	"internal/metrics": {may: []string{
		"internal/httpd", "internal/db", "internal/dispatch/feed", "internal/installation", "internal/mailer",
		"internal/order", "internal/requestlogger", "internal/retention", "internal/webhook", foundation,
	}},
	"internal/config": {may: []string{foundation}},
	"internal/api": {may: []string{
		"api", "internal/api/ops", "internal/api/v1", "internal/delivery", "internal/httpd", "internal/installation",
		"internal/order", "internal/partner", "internal/proof", "internal/requestlog", "internal/signin", "internal/web",
		foundation,
	}},

	"internal/api/shared": {may: []string{
		"internal/accounting", "internal/delivery", "internal/figures", "internal/httpd", "internal/money",
		"internal/partner", "internal/report", "internal/signin", "internal/statement", "internal/web", foundation,
	}},
	"internal/api/v1": {may: []string{
		"internal/accounting",
		"internal/actor", "internal/api/shared", "internal/audit", "internal/delivery", "internal/httpd", "internal/label",
		"internal/order", "internal/outbox", "internal/partner", "internal/pricing", "internal/record", "internal/report",
		"internal/requestlog",
		"internal/requestlogger", "internal/signature", "internal/signin", "internal/stock", "internal/webhook",
		"internal/web", foundation,
	}},
	"internal/api/ops": {may: []string{"internal/accounting", "internal/money", "internal/statement",
		"internal/actor", "internal/api/shared", "internal/audit", "internal/board", "internal/delivery", "internal/dispatch",
		"internal/dispatch/feed", "internal/httpd", "internal/installation", "internal/label", "internal/operator",
		"internal/order", "internal/partner", "internal/pricing", "internal/proof", "internal/ratecard", "internal/record",
		"internal/report", "internal/retention", "internal/signin", "internal/stock", "internal/web", foundation,
	}},

	"internal/httpd": {may: []string{
		"internal/actor", "internal/audit", "internal/idempotency", "internal/signature", "internal/web", foundation,
	}},

	"internal/web":      {may: []string{foundation}},
	"internal/web/page": {may: []string{"internal/delivery", "internal/signin", "internal/web", foundation}},
	"internal/web/track": {may: []string{
		"internal/delivery", "internal/partner", "internal/recipient", "internal/route", "internal/web/basemap",
		"internal/web/page", "internal/web", foundation,
	}},
	"internal/web/docs": {may: []string{
		"api", "docs", "internal/downloads", "internal/signature", "internal/web/page", "internal/web/samples",
		"internal/web", foundation,
	}},
	"internal/web/home": {may: []string{"internal/web/page", "internal/web"}},

	"internal/web/login": {may: []string{
		"internal/actor", "internal/operator", "internal/partner", "internal/signin", "internal/web/page", "internal/web",
		foundation,
	}},

	"internal/web/samples": {},

	"internal/web/orderform": {may: []string{
		"internal/delivery", "internal/idempotency", "internal/order", "internal/pricing", "internal/record",
		"internal/saved", "internal/stock", "internal/web/page", foundation,
	}},
	"internal/web/billing": {may: []string{
		"internal/accounting", "internal/money", "internal/statement", "internal/web/page", "internal/web", foundation,
	}},
	"internal/web/inventory": {
		may: []string{"internal/delivery", "internal/stock", "internal/web/page", "internal/web", foundation},
	},
	"internal/web/basemap": {may: []string{"internal/route", "internal/web/page", "internal/web", foundation}},
	"internal/web/charts": {may: []string{
		"internal/delivery", "internal/figures", "internal/report", "internal/web/page", "internal/web", foundation,
	}},

	"internal/web/portal": {may: []string{
		"internal/delivery", "internal/figures", "internal/idempotency", "internal/label", "internal/order",
		"internal/outbox", "internal/partner", "internal/pricing", "internal/record", "internal/report",
		"internal/requestlog", "internal/requestlogger", "internal/signature", "internal/signin", "internal/stock",
		"internal/webhook", "internal/web/page", "internal/web/samples", "internal/web/inventory",
		"internal/web/orderform", "internal/web", foundation, "internal/orderfile", "internal/saved", "internal/route",
		"internal/web/basemap", "internal/accounting", "internal/web/billing",
	}},

	"internal/web/console": {may: []string{
		"internal/accounting", "internal/audit", "internal/backups", "internal/board", "internal/delivery",
		"internal/dispatch", "internal/figures", "internal/idempotency", "internal/installation", "internal/label",
		"internal/money", "internal/movement", "internal/operator",
		"internal/order", "internal/partner", "internal/pricing", "internal/proof", "internal/ratecard", "internal/report",
		"internal/retention", "internal/route", "internal/signin", "internal/stock", "internal/web/basemap",
		"internal/web/page", "internal/web/billing", "internal/web/inventory", "internal/web/orderform", "internal/web",
		foundation,
	}},

	"internal/web/account": {may: []string{
		"internal/operator", "internal/partner", "internal/signin", "internal/web/page", "internal/web", foundation,
	}},

	"internal/web/courier": {may: []string{"internal/operator", "internal/web/page", "internal/web"}},

	"internal/web/pagetest": everything,
	"internal/web/types":    everything,
	"internal/web/browser":  everything,
	"cmd/screenshots": {may: []string{
		"internal/app", "internal/config", "internal/web/browser", "internal/web/pagetest",
	}},

	"internal/db":      {may: []string{foundation}, mayNot: storage},
	"internal/backups": {may: []string{foundation}, mayNot: storage},
	"internal/exports": {
		may: []string{"internal/audit", "internal/delivery", "internal/mail", "internal/money", "internal/record",
			foundation},
		mayNot: useCase,
	},
	"internal/db/backup": {may: []string{"internal/db", foundation}, mayNot: storage},
	"internal/store": {may: []string{"internal/accounting", "internal/exports", "internal/money", "internal/statement",
		"internal/db", "internal/db/backup", "internal/installation", "internal/figures", "internal/report",
		"internal/delivery", "internal/mail", "internal/mailer", "internal/idempotency", "internal/movement",
		"internal/outbox", "internal/board", "internal/audit", "internal/record", "internal/order", "internal/stock",
		"internal/partner", "internal/dispatch", "internal/dispatch/feed", "internal/operator", "internal/proof",
		"internal/ratecard", "internal/requestlog", "internal/requestlogger", "internal/retention", "internal/signin",
		"internal/simulate", "internal/webhook", "internal/recipient", foundation, "internal/actor", "internal/search",
		"internal/saved",
	}, mayNot: storage},
	"internal/store/storetest": everything,

	"examples/quickstart":   {may: []string{"client"}},
	"examples/receivers/go": {may: []string{"client"}},
	"examples/shop/go":      {may: []string{"client"}},
	"examples/signing":      {},

	"internal/testkit":            everything,
	"internal/testkit/disk":       everything,
	"internal/testkit/repeatable": {},
	"internal/app":                everything,
	"internal/app/apptest":        everything,
	"internal/app/contract":       everything,
	"internal/app/cluster":        everything,
	"internal/app/upgrade":        everything,
	"internal/app/model":          everything,
	"internal/generated":          everything,
	"bench":                       everything,

	"internal/testkit/spreadsheet": {},
}

// foundation stands for every package below internal/foundation: none of them
// knows of deliveries, and none imports a package outside of that folder.
const foundation = "internal/foundation/"

// rule describes what a package may import: may lists packages of this module
// ("*" for all), mayNot other packages with the reason.
type rule struct {
	may    []string
	mayNot map[string]string
}

// admits reports whether the package may import a package of this module.
func (r rule) admits(target string) bool {
	return slices.ContainsFunc(r.may, func(may string) bool {
		return may == "*" || may == target || strings.HasSuffix(may, "/") && strings.HasPrefix(target, may)
	})
}

// everything marks the packages that put others together.
var everything = rule{may: []string{"*"}}

var (
	storage = map[string]string{
		"net/http": "storage does not know of requests",
	}
	useCase = map[string]string{
		"net/http": "what happens and who asks for it are different questions",
	}
	pure = map[string]string{
		"net/http":     "pure packages send nothing",
		"os":           "pure packages read no files",
		"math/rand/v2": "pure packages are given their randomness",
		"crypto/rand":  "pure packages are given their randomness",
	}
)

// zoneCalls are what takes time zones from Go's own data, which are as old as the release of Go.
var zoneCalls = regexp.MustCompile(`time\.LoadLocation\(|"time/tzdata"`)

// TestZonesHaveOneSource: local times of one place are the same wherever they are computed.
func TestZonesHaveOneSource(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || path == "packages_test.go" ||
			path == "internal/foundation/zone/zone.go" {
			return err
		}
		source, err := os.ReadFile(path)
		if found := zoneCalls.Find(source); found != nil {
			t.Errorf("%s has %s: take the zones of internal/foundation/zone, which follow the current law", path, found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// drivers are the packages that reach a database; a name that ends in a slash
// stands for every package below it.
var drivers = []string{
	"database/sql", "database/sql/",
	"github.com/jackc/pgx/v5", "github.com/jackc/pgx/v5/",
	"github.com/pressly/goose/v3", "github.com/pressly/goose/v3/",
	"modernc.org/sqlite", "modernc.org/sqlite/",
	"zombiezen.com/go/sqlite", "zombiezen.com/go/sqlite/",
}

// mayReachDatabase names the packages that may import drivers, each with the reason.
// Test files may, too.
var mayReachDatabase = map[string]string{
	"internal/db":          "it is what every database is reached through",
	"internal/db/backup":   "it copies the file of the embedded database through SQLite",
	"internal/testkit":     "it starts servers for tests, and records their protocol",
	"internal/app/apptest": "it looks into the database behind the service under test",
	"bench":                "it measures the database without the service, and fills it",
}

func reachesDatabase(imported string) bool {
	return slices.ContainsFunc(drivers, func(driver string) bool {
		return imported == driver || strings.HasSuffix(driver, "/") && strings.HasPrefix(imported, driver)
	})
}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages returns the packages of this module by the names of their packages.
func packages(t *testing.T) map[string]listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(p.ImportPath, module)
		if ok && !strings.HasPrefix(name, "internal/tests/") { // neither the tests of the root nor those there
			all[name] = p
		}
	}
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	all := packages(t)
	for name, p := range all {
		rule, known := rules[name]
		if !known {
			t.Errorf("%s is not in the table of packages: add what it may import, here and in docs/architecture.md", name)
		}
		for _, imported := range p.Imports {
			if why, banned := rule.mayNot[imported]; banned {
				t.Errorf("%s imports %s: %s", name, imported, why)
			}
			if reachesDatabase(imported) && mayReachDatabase[name] == "" {
				t.Errorf("%s imports %s: databases are reached through internal/db", name, imported)
			}
			if strings.HasPrefix(imported, "go.opentelemetry.io/") && name != "internal/foundation/tracing" {
				t.Errorf("%s imports %s: packages begin spans through internal/foundation/tracing", name, imported)
			}
			if target, own := strings.CutPrefix(imported, module); own && known && !rule.admits(target) {
				t.Errorf("%s imports %s, which is not in its row of the table of packages", name, target)
			}
		}
	}
	for name := range rules {
		if _, exists := all[name]; !exists {
			t.Errorf("%s is in the table of packages but does not exist", name)
		}
	}
	for name := range mayReachDatabase {
		if !slices.ContainsFunc(all[name].Imports, reachesDatabase) {
			t.Errorf("%s may reach the database but does not: take it off the list", name)
		}
	}
}

// documentedRow matches a row of the table of packages in docs/architecture.md: the
// room's path, what is there, and what it may import.
var documentedRow = regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\| ([^|]+) \\| ([^|]+) \\|$")

func TestPackagesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	documented, purePackages := map[string]string{}, map[string]bool{}
	for _, row := range documentedRow.FindAllStringSubmatch(string(text), -1) {
		if _, twice := documented[row[1]]; twice {
			t.Errorf("docs/architecture.md: %s has two rows", row[1])
		}
		documented[row[1]] = row[3]
		purePackages[row[1]] = strings.HasSuffix(row[2], ". Pure")
	}
	for name, rule := range rules {
		if got, want := documented[name], rule.documented(); got != want {
			t.Errorf("docs/architecture.md: %s may import: got %q, want %q", name, got, want)
		}
		if got, want := purePackages[name], rule.isPure(); got != want {
			t.Errorf("docs/architecture.md: %s is called pure: got %t, want %t", name, got, want)
		}
	}
	for name := range documented {
		if _, known := rules[name]; !known {
			t.Errorf("docs/architecture.md: %s is not in the table of packages of packages_test.go", name)
		}
	}
}

// documented returns the last column of the package's row in docs/architecture.md:
// the packages in alphabetical order, by short names.
func (r rule) documented() string {
	if len(r.may) == 0 {
		return "–"
	}
	names := make([]string, len(r.may))
	for i, may := range r.may {
		names[i] = shortName(may)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// isPure reports whether the package may not touch the world outside.
func (r rule) isPure() bool { return r.mayNot["os"] != "" }

// shortName returns a package's path without the folders that most are in, unless
// that would be the path of another package.
func shortName(path string) string {
	switch path {
	case "*":
		return "all"
	case foundation:
		return "foundation"
	}
	short := strings.TrimPrefix(strings.TrimPrefix(path, foundation), "internal/")
	if _, taken := rules[short]; taken && short != path {
		return path
	}
	return short
}
