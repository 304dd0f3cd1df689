package app_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestKilledOlderNode has a node of release 0.1 killed during an upgrade, which cannot say that it has ended: what
// waits for its end waits for minutes, not for as long as the list of nodes has it.
func TestKilledOlderNode(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.Sharable(t))
	admin := s.Operate(t)
	seen := func(ago time.Duration) {
		t.Helper()
		at := s.Clock.Now().Add(-ago).UnixMicro()
		s.Execute(t, "DELETE FROM nodes WHERE node_id = 'nod_old'")
		s.Execute(t, fmt.Sprintf(
			"INSERT INTO nodes (node_id, version, started_at, seen_at, keys) VALUES ('nod_old', '0.1.0', %[1]d, %[1]d, '')", at))
	}
	change := []byte(`{"books_from":"2020-01-01"}`)
	seen(10*time.Minute - time.Second)
	admin.Call(t, "PATCH", "/ops/v1/books", change).Refused(t, 503, "unavailable")
	seen(10 * time.Minute)
	admin.Call(t, "PATCH", "/ops/v1/books", change).Must(t, 200)
}
