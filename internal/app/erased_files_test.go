package app_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// traceOf begins every name in this test. No other text contains it, so that compression
// stores it as it is.
const traceOf = "zxqvwk"

// memberTrace is the same for users and those who are invited.
const memberTrace = "qkvzjw"

// inFiles returns how often a name is in the files of a service, in lower or upper case, and
// in which of them.
func inFiles(t *testing.T, s *apptest.Service, name string) (times int, where []string) {
	t.Helper()
	err := filepath.WalkDir(s.Data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if n := bytes.Count(content, []byte(name)) + bytes.Count(content, []byte(strings.ToUpper(name))); n > 0 {
			times, where = times+n, append(where, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return times, where
}

// tracedOrder returns the request for an order that has the name in every text about the
// recipient.
func tracedOrder(number int) []byte {
	body := string(testkit.OrderJSON(fmt.Sprint("T-", number), ""))
	for _, text := range []string{
		"Alex Martin", "alex@", "100 Queen", "Unit 4", "Ring twice", "PO 77", "Leave at", "métro\"", "Books",
	} {
		body = strings.Replace(body, text, fmt.Sprintf("%s%03d %s", traceOf, number%7, text), 1)
	}
	return []byte(strings.Replace(body, " alex@", "alex@", 1))
}

// traced creates an order and lets it go the way of its number, with the name in every text
// that can be written about it.
func (f floor) traced(t *testing.T, number int) (id string) {
	t.Helper()
	id = f.partner.Create(t, tracedOrder(number)).Must(t, 201).Text("order_id")
	if number%3 == 0 {
		f.partner.Cancel(t, id, traceOf+" does not want it").Must(t, 200)
		return id
	}
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/notes",
		fmt.Appendf(nil, `{"text":"%s has moved"}`, strings.ToUpper(traceOf))).Must(t, 201)
	for _, step := range waysTo[delivery.StatusOutForDelivery] {
		f.operator.Move(t, id, step).Must(t, 200)
	}
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status",
		fmt.Appendf(nil, `{"status":"failed","failure_reason":"%[1]s was out","notes":"%[1]s"}`, traceOf)).Must(t, 200)
	prove(t, f.operator, id, "photo", picture(number+1)).Must(t, 201)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status",
		fmt.Appendf(nil, `{"status":"cancelled","reason":"%s was out"}`, traceOf)).Must(t, 200)
	return id
}

// TestNothingErasedIsLeftInFiles erases people in every way: recipients by erasure, orders
// by their age, users and invitations by removal. Afterwards none of their names is in the
// bytes of any file: not in free parts of the database, nor in its log.
func TestNothingErasedIsLeftInFiles(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	if f.Database != "" {
		t.Skip("the files of PostgreSQL are its own: docs/security.md")
	}
	server.Away.Store(true)
	var ids []string
	for number := range testkit.Scaled(210, 42) {
		ids = append(ids, f.traced(t, number))
		f.orderIn(t, fmt.Sprint("other-", number), delivery.StatusPickedUp)
	}
	// into the request log
	f.partner.Create(t, fmt.Appendf(nil, `{"dropoff":{"name":"%s"}}`, traceOf)).Refused(t, 422, "validation_error")
	owner := f.partner.Owner(t)
	owner.Call(t, "GET", "/v1/logs", nil).Must(t, 200) // writes the requests that wait
	invited := owner.Call(t, "POST", "/v1/team/invitations",
		fmt.Appendf(nil, `{"email":"%s@example.com","role":"clerk"}`, memberTrace)).Must(t, 201)
	clerk := f.partner.As(t, "clerk")
	owner.Call(t, "PATCH", "/v1/team/"+clerk.UserID, fmt.Appendf(nil, `{"name":"%s"}`, memberTrace)).Must(t, 200)
	for _, name := range []string{traceOf, memberTrace} {
		if times, _ := inFiles(t, f.Service, name); times == 0 {
			t.Fatalf("before: %s is in no file, so that this test shows nothing", name)
		}
	}

	erase := func(body string) {
		f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures", []byte(body)).Must(t, 200)
	}
	for number := range 4 {
		erase(fmt.Sprintf(`{"recipient":"%s%03dalex@example.com","force":true}`, traceOf, number))
	}
	erase(fmt.Sprintf(`{"order_ids":[%q]}`, ids[4]))
	owner.Call(t, "DELETE", "/v1/team/invitations/"+invited.Text("invitation_id"), nil).Must(t, 200)
	owner.Call(t, "DELETE", "/v1/team/"+clerk.UserID, nil).Must(t, 200)
	f.Clock.Advance(31 * 24 * time.Hour)
	// The index of the search is filled now. While that is written, the log of the database cannot be emptied.
	apptest.Await(t, "the index of the search", func() bool {
		if soon := f.Clock.Now().Add(time.Second); f.Clock.Waiting(soon) > 0 { // it waits on, because these are many at once
			f.Clock.Advance(time.Second)
		}
		return f.Query(t, "SELECT count(*) FROM orders")[0] == f.Query(t, "SELECT count(*) FROM index_orders")[0]
	})
	if removed := f.Sweep(t, retention.Policy{
		Orders: 30 * 24 * time.Hour, Events: 30 * 24 * time.Hour,
	}); removed.Orders == 0 || removed.Pictures == 0 {
		t.Errorf("got %+v removed, want orders and pictures", removed)
	}
	if times, where := inFiles(t, f.Service, traceOf); times > 0 {
		t.Errorf("recipients: got the name %d times in %v, want it nowhere", times, where)
	}
	// The audit log keeps who was in a team (docs/security.md). Nothing else does.
	audited := strings.Count(strings.Join(f.Query(t, "SELECT before, after FROM audit"), " "), memberTrace)
	if times, where := inFiles(t, f.Service, memberTrace); times != audited || audited == 0 {
		t.Errorf("members: got the name %d times in %v, want it %d times, in the audit log only", times, where, audited)
	}
	if n := pictures(t, f.Service); n > 0 {
		t.Errorf("got %d pictures, want none", n)
	}
	f.Audit(t)
}

// TestErasureLeavesNothingInFiles erases recipients over HTTP and by the command. When that
// has ended, their names are in no file.
func TestErasureLeavesNothingInFiles(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"over HTTP", "by the command"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := newFloor(t)
			if f.Database != "" {
				t.Skip("the files of PostgreSQL are its own: docs/security.md")
			}
			var ids []string
			for number := range testkit.Scaled(140, 21) {
				ids = append(ids, f.traced(t, number))
			}
			if way == "by the command" {
				if erased, err := f.erase(t, ids, "", false); erased != len(ids) || err != nil {
					t.Fatalf("got %d orders erased, error %v, want %d", erased, err, len(ids))
				}
			} else {
				for number := range 7 {
					f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures",
						fmt.Appendf(nil, `{"recipient":"%s%03dalex@example.com"}`, traceOf, number)).Must(t, 200)
				}
			}
			if times, where := inFiles(t, f.Service, traceOf); times > 0 {
				t.Errorf("got the name %d times in %v, want it nowhere", times, where)
			}
			f.Audit(t)
		})
	}
}

// TestErasureOfEditsReturnsAndCash writes a name where an order is edited, its cancellation is requested, its cash is
// recorded and its goods come back. After an erasure the name is in no file, so not in the journal and the audit log.
func TestErasureOfEditsReturnsAndCash(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	if f.Database != "" {
		t.Skip("the files of PostgreSQL are its own: docs/security.md")
	}
	f.keepBooks(t)
	noor := f.rider(t, "noor")
	id := f.toCollect(t, noor, "C-1", 5000)
	named := func(body string) []byte { return []byte(strings.ReplaceAll(body, "NAME", traceOf)) }
	f.operator.Call(t, "PATCH", "/ops/v1/orders/"+id,
		named(`{"reason":"NAME called","dropoff":{"name":"NAME"}}`)).Must(t, 200)
	f.partner.Call(t, "POST", "/v1/orders/"+id+"/cancellation-request", named(`{"reason":"NAME has moved"}`),
		"Idempotency-Key", uuid.NewString()).Must(t, 202)
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/cancellation-request/answer",
		named(`{"grant":false,"answer":"NAME is at the door"}`)).Must(t, 200)
	move(t, noor, id, paid(3000, "cash", traceOf+" had no more")).Must(t, 200)
	f.operator.Call(t, "PUT", "/ops/v1/orders/"+id+"/collected",
		named(`{"amount_cents":2000,"currency":"CAD","method":"cash","notes":"NAME paid less"}`)).Must(t, 200)
	giveBack(t, f.partner, id, string(named(`{"reason":"NAME dislikes it","to":"sender",`+returnWindow+`}`))).Must(t, 201)
	if times, _ := inFiles(t, f.Service, traceOf); times == 0 {
		t.Fatalf("before: %s is in no file, so that this test shows nothing", traceOf)
	}
	erased := f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures",
		[]byte(`{"recipient":"alex@example.com","force":true}`)).Must(t, 200)
	if erased.JSON("orders_erased") != 2.0 {
		t.Errorf("got %s, want the order and its return erased", erased.Body)
	}
	if times, where := inFiles(t, f.Service, traceOf); times > 0 {
		t.Errorf("got the name %d times in %v, want it nowhere", times, where)
	}
}
