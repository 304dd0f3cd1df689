package app_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// TestLeavingDatabaseThatSortsByLanguage has data in a Czech database, as an earlier release
// did, and follows the sentence with which a start on it is refused.
func TestLeavingDatabaseThatSortsByLanguage(t *testing.T) {
	t.Parallel()
	czech := testkit.PostgresURLIn(t, "cs-CZ")
	old, err := store.OpenPostgres(t.Context(), czech)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.SetSetting(t.Context(), "color", "blue"); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	settings := &config.Config{DatabaseURL: czech, DatabaseMayLoseData: true}
	_, migrated := app.Migrate(t.Context(), settings)
	served := apptest.StartError(t, apptest.DatabaseAt(czech))
	for what, err := range map[string]error{"serve": served, "migrate": migrated} {
		if err == nil || !strings.Contains(err.Error(), "sorts ord_ch after ord_hz") ||
			!strings.Contains(err.Error(), "dropyard copy") {
			t.Fatalf("%s on a Czech database: got %v, want how it sorts, and dropyard copy", what, err)
		}
	}
	fitting := createdBy(t, migrated.Error(), czech)
	to := &config.Config{DatabaseURL: fitting, DatabaseMayLoseData: true}
	if _, err := app.Copy(t.Context(), &config.Config{DatabaseURL: czech}, to, 0); err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenPostgres(t.Context(), fitting)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if got, err := s.Setting(t.Context(), "color"); err != nil || got != "blue" {
		t.Errorf("got the setting %q, %v, want it copied", got, err)
	}
	if _, err := app.Migrate(t.Context(), to); err != nil {
		t.Errorf("the database that was created: got %v, want it accepted", err)
	}
}

// createdBy runs the createdb command in a sentence, on the server of a database.
func createdBy(t *testing.T, sentence, database string) (created string) {
	t.Helper()
	where, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := testkit.FindPostgres("createdb")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`createdb (.+) NAME`).FindStringSubmatch(sentence)
	if found == nil {
		t.Fatalf("got %q, want a createdb command", sentence)
	}
	const name = "fitting"
	arguments := append(strings.Fields(found[1]), name)
	command := exec.CommandContext(t.Context(), filepath.Join(bin, "createdb"), arguments...)
	command.Env = []string{"PGHOST=" + where.Host, fmt.Sprint("PGPORT=",
		where.Port), "PGUSER=" + where.User, "PGSSLMODE=disable"}
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", command.Args, err, out)
	}
	t.Cleanup(func() {
		drop := exec.Command(filepath.Join(bin, "dropdb"), "--force", name)
		drop.Env = command.Env
		if out, err := drop.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", drop.Args, err, out)
		}
	})
	return strings.Replace(database, where.Database, name, 1)
}
