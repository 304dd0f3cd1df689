package contract_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/httpd"
)

// unaudited are operations of the operator document that take a body or use DELETE, and
// change nothing, or only ask for a change.
var unaudited = []string{
	"validateRateCard", "previewRateCard", "requestOperatorReset", "beginOperatorTOTP", "proposeCourierSequence",
}

// bulk are the operations that make any number of changes, or none where nothing
// differs.
var bulk = []string{
	"changeOrderStatuses", "importProducts", "createCount", "putCourierSequence", "changeServiceSettings", "changeBooks",
	"checkPartnerDomain",
}

// TestEveryChangeIsAudited sends every documented request of the operator document.
// Changes are in the audit log, under the request's id; failed requests are not;
// and the log contains no secret.
func TestEveryChangeIsAudited(t *testing.T) {
	t.Parallel()
	changes := 0
	for _, o := range read(t).operations {
		if o.document.name != "ops.yaml" || o.method == "GET" || slices.Contains(unaudited, o.id) {
			continue
		}
		for _, example := range o.examples() {
			if example.answers < "300" {
				changes++
			}
			t.Run(o.id+"/"+example.name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t, roomy)
				body := encode(t, example.value)
				if o.takesType() != "application/json" {
					body = []byte(example.value.(string))
				}
				o.tryAudited(t, f, call{operation: o.id, body: body, path: f.prepare(t, o)})
			})
		}
	}
	if changes < 15 {
		t.Errorf("got %d documented changes, want at least 15", changes)
	}
}

// tryAudited sends a request and looks for its entries in the audit log.
func (o *operation) tryAudited(t *testing.T, f *fixture, request call) {
	admin := f.operator.As(t, "admin") // because the request may revoke the token of the other
	before := audited(t, admin)
	f.Clock.Advance(time.Second)
	answer := f.send(t, request)
	after := audited(t, admin)
	added := after[:len(after)-len(before)]
	done := answer.Status < 300
	if want := map[bool]int{true: 1, false: 0}[done]; len(added) != want && (!done || !slices.Contains(bulk, o.id)) {
		t.Fatalf("status %d: got %d entries, want %d: %v", answer.Status, len(added), want, added)
	}
	for _, entry := range added {
		if entry["request_id"] != answer.Header.Get("X-Request-Id") || entry["operator_id"] != f.senderOf(t, o).OperatorID ||
			entry["at"] != "2026-01-14T15:00:01.000Z" {
			t.Errorf("got %v, want request %s of operator %s", entry, answer.Header.Get("X-Request-Id"),
				f.senderOf(t, o).OperatorID)
		}
	}
	all := admin.Call(t, "GET", "/ops/v1/audit?limit=500", nil).Must(t, 200)
	for _, secret := range []string{
		exampleNight, examplePassword, "lune-sur-les-quais-88", "argon2", f.operator.Token, admin.Token, "password_hash",
		"sk_", "whsec_",
	} {
		if strings.Contains(string(all.Body), secret) {
			t.Errorf("got %q in the audit log, want it left out: %s", secret, all.Body)
		}
	}
}

// audited returns the entries of the audit log, the newest first. It compares every
// page with the documents.
func audited(t *testing.T, admin *apptest.Operator) (entries []map[string]any) {
	t.Helper()
	o := read(t).operation("listAudit")
	if o.access() != httpd.AccessOperator {
		t.Fatal("got the audit log open to all, want it to need an operator")
	}
	for cursor := ""; ; {
		answer := admin.Call(t, "GET", "/ops/v1/audit?limit=3"+cursor, nil).Must(t, 200)
		o.check(t, answer, true)
		list, _ := answer.JSON("entries").([]any)
		for _, entry := range list {
			entries = append(entries, entry.(map[string]any))
		}
		next := answer.Text("next_cursor")
		if next == "" {
			return entries
		}
		cursor = "&cursor=" + next
	}
}
