package contract_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// driveBoardChanges lists a row and an order that is no longer on the board.
func driveBoardChanges(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.newOrder(t)
	snapshot := f.send(t, call{operation: "getBoardSnapshot"}).Must(t, 200)
	return f.send(t, call{operation: o.id, query: "?after=" + snapshot.Text("after")})
}

// driveBoardGone asks with a position of another node, from long ago.
func driveBoardGone(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, query: "?after=a.1.1"})
}

// boardBefore returns the position of the board before a change.
func (f *fixture) boardBefore(t *testing.T) string {
	t.Helper()
	after := f.send(t, call{operation: "getBoardSnapshot"}).Must(t, 200).Text("after")
	f.newOrder(t)
	f.Clock.Advance(time.Second) // desks are sent changes at intervals
	return after
}
