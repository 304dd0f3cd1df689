package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestExportOverHTTP compares an export over HTTP with that of the command.
func TestExportOverHTTP(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for i := range 120 { // more than one page
		f.partner.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201)
	}
	f.partner.Owner(t).Call(t, "GET", "/v1/logs", nil).Must(t, 200) // writes the requests that wait
	target := "/ops/v1/partners/" + f.partner.PartnerID + "/export"
	got := f.operator.Call(t, "POST", target, nil).Must(t, 200)
	if want := f.export(t); string(got.Body) != string(want) {
		t.Errorf("got %d bytes over HTTP, want the %d bytes of the command", len(got.Body), len(want))
	}
	if kind, name := got.Header.Get("Content-Type"), got.Header.Get("Content-Disposition"); kind != "application/jsonl" ||
		!strings.Contains(name, f.partner.PartnerID+".jsonl") {
		t.Errorf("got the type %q and the disposition %q, want a file of JSON Lines", kind, name)
	}
	f.operator.Call(t, "POST", "/ops/v1/partners/par_zzzzzzzz/export", nil).Refused(t, 404, "not_found")
	by := []string{}
	log := f.operator.Call(t, "GET", "/ops/v1/audit?partner_id="+f.partner.PartnerID+"&action=partner.exported",
		nil).Must(t, 200)
	for i := range log.Len("entries") {
		by = append(by, log.Text("entries", i, "operator_id"))
	}
	if len(by) != 2 || !strings.Contains(strings.Join(by, " "), "command line") {
		t.Errorf("got the exports audited by %v, want the operator and the command", by)
	}
}

// TestEraseOverHTTP erases a recipient's data, of which nothing remains.
func TestEraseOverHTTP(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	done, underWay := f.orderIn(t, "A-1", delivery.StatusDelivered), f.orderIn(t, "A-2", delivery.StatusPickedUp)
	target := "/ops/v1/partners/" + f.partner.PartnerID + "/erasures"
	erase := func(body string) *apptest.Answer { return f.operator.Call(t, "POST", target, []byte(body)) }
	for _, wrong := range []string{`{}`, `{"force":true}`, `{"order_ids":[]}`, `{"recipient":"alex"}`, `{"order_ids":["` +
		done + `"],"recipient":"alex@example.com"}`} {
		erase(wrong).Refused(t, 422, "validation_error")
	}
	erase(`{"order_ids":["ord_unknown"]}`).Refused(t, 404, "not_found")
	refused := erase(`{"recipient":"Alex@example.com"}`).Refused(t, 409, "conflict")
	if message := refused.Text("error", "message"); !strings.Contains(message, underWay+" (picked_up)") {
		t.Errorf("got the message %q, want it to name %s", message, underWay)
	}
	f.Clock.Advance(time.Second)
	if got := erase(`{"order_ids":["`+done+`"]}`).Must(t,
		200); string(got.Body) != `{"orders_erased":1,"pictures_pending":false}` {
		t.Errorf("got %s, want one order erased", got.Body)
	}
	f.Clock.Advance(time.Second)
	if got := erase(`{"recipient":"alex@example.com","force":true}`).Must(t,
		200); got.JSON("orders_erased") != float64(1) {
		t.Errorf("forced: got %s, want one order more", got.Body)
	}
	for _, id := range []string{done, underWay} {
		checkErased(t, "the order", string(f.read(t, id).Body))
	}
	log := f.operator.Call(t, "GET", "/ops/v1/audit?partner_id="+f.partner.PartnerID+"&action=partner.erased", nil).Must(t,
		200)
	checkErased(t, "the audit log", string(log.Body))
	if log.Len("entries") != 2 || log.JSON("entries", 0, "after", "by_recipient") != true ||
		log.JSON("entries", 1, "after", "orders") != float64(1) {
		t.Errorf("got %s in the audit log, want both erasures", log.Body)
	}
}

// TestSystem reads the description of an installation, with a second node if there can
// be one, and after a backup if there can be one.
func TestSystem(t *testing.T) {
	t.Parallel()
	first := apptest.Start(t, apptest.DataIn(t.TempDir()))
	admin := first.Operate(t)
	read := func() *apptest.Answer { return admin.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200) }
	if got := read(); got.Len("nodes") != 1 || got.JSON("nodes", 0, "answers") != true || got.Len("problems") != 0 ||
		got.JSON("last_backup_at") != nil {
		t.Errorf("got %s, want one node, no problem and no backup", got.Body)
	}
	if strings.Contains(string(read().Body), first.Data) {
		t.Errorf("got %s, want it without a path", read().Body)
	}
	if first.Database == "" {
		settings := &config.Config{Data: first.Data}
		if _, err := app.Backup(t.Context(), settings, t.TempDir()+"/backup.db"); err != nil {
			t.Fatal(err)
		}
		if got := read(); got.Text("engine") != "sqlite" || got.Text("last_backup_at") == "" || got.JSON("log_bytes") == nil {
			t.Errorf("got %s, want the time of the backup", got.Body)
		}
		return
	}
	second := first.Beside(t)
	if got := read(); got.Text("engine") == "sqlite" || got.Len("nodes") != 2 ||
		got.JSON("nodes", 1, "answers") != false || got.JSON("log_bytes") != nil {
		t.Errorf("got %s, want two nodes", got.Body)
	}
	second.Stop()
	if got := read(); got.Len("nodes") != 1 {
		t.Errorf("after the second node has stopped: got %s, want one node", got.Body)
	}
}

// TestPartnerNamesForWarehouse lists partners as the warehouse, which sees no addresses
// and cannot search by them.
func TestPartnerNamesForWarehouse(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	warehouse := s.Operate(t).As(t, "warehouse")
	want := fmt.Sprintf(`{"partners":[{"partner_id":%q,"name":"metro"}]}`, p.PartnerID)
	for query, want := range map[string]string{
		"": want, "?q=METRO": want, "?q=" + p.PartnerID: want, "?q=" + p.Email: `{"partners":[]}`,
		"?q=example.com": `{"partners":[]}`,
	} {
		if got := warehouse.Call(t, "GET", "/ops/v1/partners"+query, nil).Must(t, 200); string(got.Body) != want {
			t.Errorf("%q: got %s, want %s", query, got.Body, want)
		}
	}
	warehouse.Call(t, "GET", "/ops/v1/partners/"+p.PartnerID, nil).Refused(t, 403, "forbidden")
}
