package console_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestStaleFormNamesTheChange sends the form of an operator after another admin has
// changed the role.
func TestStaleFormNamesTheChange(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	second, dispatcher := admin.As(t, "admin"), admin.As(t, "dispatcher")
	path := "/console/operators/" + dispatcher.OperatorID
	v := admin.Visit(t)
	stale := v.Open(t, path)
	s.Clock.Advance(time.Second) // changes of one millisecond have no order
	second.Call(t, "PATCH", "/ops/v1/operators/"+dispatcher.OperatorID, []byte(`{"role":"warehouse"}`)).Must(t, 200)
	v.Send(t, stale, path, "role", "admin").Leads(t, path)
	v.Open(t, path).Shows(t, 200, "Latest change: just now, by admin@example.com.", `value="warehouse" required checked`)
}
