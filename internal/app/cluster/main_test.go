// Package cluster_test shows what holds when several nodes share a database,
// and nodes, networks and databases fail: nothing acknowledged is lost or
// doubled, stock is exact, and everything comes back by itself.
package cluster_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// oldBinary names a binary of an earlier release, for TestRollingUpgrade.
const oldBinary = "DROPYARD_OLD_BINARY"

// TestMain runs every test without the settings of whoever runs them.
func TestMain(m *testing.M) {
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "DROPYARD_") && name != "DROPYARD_REQUIRE" && name != oldBinary {
			_ = os.Unsetenv(name)
		}
	}
	code := m.Run()
	removeBinary()
	testkit.StopPostgres()
	os.Exit(code)
}

// scaled is smaller for a short run.
func scaled(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// buying is the items of an order.
func buying(product, quantity int) string {
	return fmt.Sprintf(`[{"product_id":%d,"quantity":%d}]`, product, quantity)
}

// startNodes starts so many services in this process on one fresh database.
func startNodes(t *testing.T, count int) []*apptest.Service {
	t.Helper()
	database, data := testkit.PostgresURL(t), t.TempDir()
	nodes := make([]*apptest.Service, count)
	for i := range nodes {
		nodes[i] = apptest.Start(t, apptest.DatabaseAt(database), apptest.DataIn(data))
	}
	return nodes
}

// at is the same partner, calling another node.
func at(p *apptest.Partner, node *apptest.Service) *apptest.Partner {
	there := *p
	there.Service = node
	return &there
}
