package db

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestDamagedPages damages pages of a database in turn. Pages of trees are found out; in
// the others nothing may be seen.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	const pageSize = 4096
	_, e, path := openScrubbed(t)
	random := repeatable.Rand(t)
	fill(t, e, random, 100)
	must(t, e.emptyLog(t.Context()))
	sound, err := os.ReadFile(path)
	must(t, err)
	there := filepath.Join(testkit.FastDir(t), "dropyard.db")
	pages := random.Perm(len(sound)/pageSize - 1)[:testkit.Scaled(len(sound)/pageSize-1, 40)]
	found := 0
	for _, n := range pages {
		harmed := bytes.Clone(sound)
		clear(harmed[(n+1)*pageSize:][:pageSize])
		must(t, os.WriteFile(there, harmed, 0o600))
		_, err := serviceSchema.ExamineSQLite(t.Context(), there)
		if damage := (*FaultError)(nil); errors.As(err, &damage) && damage.Kind == FaultPage {
			found++
		} else if err != nil {
			t.Errorf("page %d zeroed: got %v, want damage of a page", n+2, err)
		}
	}
	if found < len(pages)/4 {
		t.Errorf("got %d of %d damaged pages found", found, len(pages))
	}
}
