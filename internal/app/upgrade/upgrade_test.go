// Package upgrade_test opens the databases of earlier releases with the current code.
// testdata holds a database of each release and engine, with what the release answered.
package upgrade_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

var makeRelease = flag.String("make", "",
	"write databases of this code into testdata, as those of a version such as 0.1.0")

func TestMain(m *testing.M) { testkit.Main(m) }

// The engines of databases. Those of PostgreSQL are kept as SQL.
const (
	embedded   = "sqlite"
	postgreSQL = "postgres"
)

var engines = []string{embedded, postgreSQL}

// archive returns the path of the database of a release.
func archive(version, engine string) string {
	return filepath.Join("testdata", version+"-"+engine+".tar.gz")
}

// release is a heading of CHANGELOG.md that has a date.
var release = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)$`)

// TestReleases upgrades a database of each release in CHANGELOG.md. It fails if a
// migration of a release has been edited, or if something that a release answered is
// now missing or different. With -make it writes databases of this code instead:
//
//	go test ./internal/app/upgrade -run TestReleases -make 0.1.0
func TestReleases(t *testing.T) {
	t.Parallel()
	if *makeRelease != "" {
		for _, engine := range engines {
			if _, err := os.Stat(archive(*makeRelease, engine)); err == nil {
				t.Fatalf("%s is there: a released database is never made again", archive(*makeRelease, engine))
			}
			pack(t, fill(t, engine), archive(*makeRelease, engine))
		}
		return
	}
	changes, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, heading := range release.FindAllStringSubmatch(string(changes), -1) {
		for _, engine := range engines {
			t.Run(heading[1]+" on "+engine, func(t *testing.T) {
				t.Parallel()
				f := unpack(t, archive(heading[1], engine), engine)
				for _, fault := range f.upgrade(t) {
					t.Error(fault)
				}
				f.continues(t)
			})
		}
	}
}

// TestCollectedAfterUpgrade opens databases of 0.1.0, as they are and as that release left them when it was killed
// within its first minute. Deliveries need not say what was collected, which the phones of 0.1.0 do not.
func TestCollectedAfterUpgrade(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		for name, statement := range map[string]string{
			"stopped": "", "killed": "DELETE FROM settings WHERE name = 'last_time'",
		} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				f := unpack(t, archive("0.1.0", engine), engine)
				if statement != "" {
					f.execute(t, statement)
				}
				_, _, operator := f.start(t)
				books := operator.Call(t, "GET", "/ops/v1/books", nil).Must(t, 200)
				if books.JSON("require_collected") != false {
					t.Errorf("got %s, want that it is not required", books.Body)
				}
			})
		}
	}
}

// TestUpgrade makes a database of this code, keeps it as one of a release is kept, and
// upgrades it. It expects that changes are found, as those of a released migration.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	changed := map[string]struct {
		statement, want string
	}{
		"nothing":              {"", ""},
		"an index is missing":  {"DROP INDEX " + anIndex, "schema"},
		"a column is new":      {"ALTER TABLE products ADD COLUMN colour TEXT NOT NULL DEFAULT ''", "schema"},
		"a product is renamed": {"UPDATE products SET name = 'Lantern'", "/v1/inventory/products: products[0].name"},
		"the notes are gone":   {"DELETE FROM order_notes", "/ops/v1/orders/"},
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			kept := filepath.Join(t.TempDir(), "kept.tar.gz")
			pack(t, fill(t, engine), kept)
			for name, c := range changed {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f := unpack(t, kept, engine)
					if c.statement != "" {
						f.execute(t, c.statement)
					}
					faults := f.upgrade(t)
					if c.want == "" && len(faults) > 0 {
						t.Errorf("got %q, want no faults", faults)
					} else if !slices.ContainsFunc(faults, func(fault string) bool { return strings.Contains(fault, c.want) }) &&
						c.want != "" {
						t.Errorf("got %q, want one of %s", faults, c.want)
					}
					if c.want == "" {
						f.continues(t)
					}
				})
			}
		})
	}
}

// continues expects that the upgraded database takes new orders and moves old ones, and
// that all laws of a database hold.
func (f *fixture) continues(t *testing.T) {
	t.Helper()
	s, partner, operator := f.start(t)
	id := partner.Create(t, testkit.OrderJSON("after-upgrade", "")).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered"} {
		operator.Move(t, id, status).Must(t, 200)
	}
	partner.Cancel(t, f.Pending, "after the upgrade").Must(t, 200)
	s.Audit(t)
	s.Stop()
}

// start starts a service on the database, with those who used the release.
func (f *fixture) start(t *testing.T) (*apptest.Service, *apptest.Partner, *apptest.Operator) {
	t.Helper()
	s := apptest.Start(t, apptest.DataIn(f.dir), apptest.DatabaseAt(f.url), publicly)
	partner := &apptest.Partner{Service: s, PartnerID: f.PartnerID, PublicKey: f.PublicKey, SecretKey: f.SecretKey}
	operator := s.Operate(t)
	operator.CourierID = f.CourierID
	return s, partner, operator
}

// TestDoctorBeforeUpgrade examines databases of 0.1.0 before a service of this release has started on them, as a
// careful operator does. It finds nothing, and changes nothing.
func TestDoctorBeforeUpgrade(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := unpack(t, archive("0.1.0", engine), engine)
			if err := os.Chmod(f.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			before := f.schema(t, f.service())
			found, err := app.Doctor(t.Context(), &config.Config{
				Data: f.dir, DatabaseURL: f.url, DatabaseMayLoseData: true, Listen: "127.0.0.1:0",
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Findings) > 0 {
				t.Errorf("got the findings %q, want none", found.Findings)
			}
			if !slices.ContainsFunc(found.Notes, func(note string) bool { return strings.Contains(note, "secrets sealed") }) {
				t.Errorf("got the notes %q, want that the secrets were opened", found.Notes)
			}
			if after := f.schema(t, f.service()); !slices.Equal(after, before) {
				t.Errorf("got the schema %q, want it unchanged: %q", after, before)
			}
		})
	}
}
