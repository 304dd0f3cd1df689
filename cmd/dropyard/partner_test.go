package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPartnerExportAndErase runs both commands while the service runs.
func TestPartnerExportAndErase(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: []string{
		"DROPYARD_OPERATOR_EMAIL=boss@example.com", "DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword,
	}}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")

	got := r.do(t, "partner", "export", partner.PartnerID)
	if kinds := recordKinds(t, got.stdout); got.code != 0 || got.stderr != "" ||
		!slices.Equal(kinds, []string{"partner", "user", "api_key", "order"}) ||
		!strings.Contains(got.stdout, `{"type":"order","record":{"order_id":"`+id) {
		t.Errorf("export: got %+v with %q, want four records, the last of them the order", got, kinds)
	}
	if got := r.do(t, "partner", "erase", partner.PartnerID, "--order", id); got.code != 1 ||
		!strings.Contains(got.stderr, id+" (pending)") {
		t.Errorf("erase an order under way: got %+v, want exit code 1 and its id", got)
	}
	partner.Cancel(t, id, "").Must(t, 200)
	if got := r.do(t, "partner", "erase", partner.PartnerID, "--recipient", "alex@example.com"); got.code != 0 ||
		got.stdout != "orders erased: 1\n" {
		t.Errorf("erase: got %+v, want exit code 0 and one order", got)
	}
	if got := partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200); got.Text("dropoff", "name") != "erased" {
		t.Errorf("erased order: got %s, want the name erased", got.Body)
	}
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 || strings.Contains(log, "ERROR") {
		t.Errorf("SIGTERM: got exit code %d and log %s, want 0 and no error", code, log)
	}
}

// recordKinds returns the types of the exported records, without those of requests: the
// service stores them a while after its answers.
func recordKinds(t *testing.T, exported string) (kinds []string) {
	t.Helper()
	for line := range strings.Lines(exported) {
		var record struct{ Type string }
		must(t, json.Unmarshal([]byte(line), &record))
		if record.Type != "request" {
			kinds = append(kinds, record.Type)
		}
	}
	return kinds
}

// TestPartnerApprove approves an account while the service runs.
func TestPartnerApprove(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: []string{"DROPYARD_REGISTRATION=approval"}}
	s := r.serve(t)
	made := s.Do(t, "POST", "/v1/auth/register",
		[]byte(`{"name":"Port","email":"new@example.com","password":"brume-et-vent"}`)).Must(t, 201)
	id := made.Text("partner_id")
	if got := r.do(t, "partner", "approve", id); got.code != 0 || got.stdout != "partner "+id+" approved\n" ||
		got.stderr != "" {
		t.Errorf("approve: got %+v, want exit code 0 and one line", got)
	}
	s.Do(t, "POST", "/v1/auth/login", []byte(`{"email":"new@example.com","password":"brume-et-vent"}`)).Must(t, 200)
	if got := r.do(t, "partner", "approve", "par_00000000"); got.code != 1 ||
		!strings.Contains(got.stderr, "the partner does not exist") {
		t.Errorf("approve an unknown partner: got %+v, want exit code 1 and the reason", got)
	}
}

// TestPartnerErrors expects one line on standard error, and no database to be
// created.
func TestPartnerErrors(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]struct {
		code int
		text string // part of the message
	}{
		"partner export": {2, "partner-id"},
		"partner export par_00000001 --data gone":                            {1, "open the database"},
		"partner approve par_00000001 --data gone":                           {1, "--data names the data directory"},
		"serve --registration invited":                                       {2, "--registration"},
		"partner erase par_00000001":                                         {2, "--order"},
		"partner erase par_00000001 --order ord_1 --recipient a@example.com": {2, "--recipient"},
		"partner erase par_00000001 --order ord_1":                           {1, "open the database"},
		"serve --retain-orders 3d":                                           {2, "--retain-orders"},
		"serve --retain-events soon":                                         {2, "--retain-events"},
	} {
		r := run{dir: testkit.FastDir(t)}
		got := r.do(t, strings.Fields(args)...)
		if got.code != want.code || got.stdout != "" || !strings.Contains(got.stderr, want.text) ||
			strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: got %+v, want exit code %d and one line with %q", args, got, want.code, want.text)
		}
		if files, err := os.ReadDir(r.dir); err != nil || len(files) != 0 {
			t.Errorf("%s: got files %v (%v), want none", args, files, err)
		}
	}
}

// TestAuditExport runs the command while the service runs.
func TestAuditExport(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: []string{
		"DROPYARD_OPERATOR_EMAIL=boss@example.com", "DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword,
	}}
	s := r.serve(t)
	const hostile = "Ève\u009b2J\u202e"
	boss := s.Operate(t)
	boss.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Ève","phone":"+15145550100","vehicle":"`+hostile+`"}`)).Must(t, 201)
	got := r.do(t, "audit", "export")
	if strings.ContainsAny(got.stdout, "\u009b\u202e") || !strings.Contains(got.stdout, `Ève\u009b2J\u202e`) {
		t.Errorf("export: got %s, want the vehicle with escapes", got.stdout)
	}
	if got.code != 0 || got.stderr != "" || strings.Count(got.stdout, "\n") != 4 ||
		strings.Contains(got.stdout, apptest.OperatorPassword) ||
		!strings.HasPrefix(got.stdout, `{"audit_id":"`) || !strings.Contains(got.stdout, `"operator_id":"settings"`) {
		t.Errorf("export: got %+v, want four lines without a password", got)
	}
	if got := r.do(t, "audit", "export", "--to", "2020-01-01T00:00:00Z"); got.code != 0 || got.stdout != "" {
		t.Errorf("export of a period without entries: got %+v, want no output", got)
	}
	for args, want := range map[string]string{
		"audit export --from yesterday": "--from", "audit export --data gone": "open the database",
	} {
		if got := r.do(t, strings.Fields(args)...); got.code == 0 || got.stdout != "" || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: got %+v, want an error with %q", args, got, want)
		}
	}
	if code, log := s.signal(t, syscall.SIGTERM); code != 0 || strings.Contains(log, "ERROR") {
		t.Errorf("SIGTERM: got exit code %d and log %s, want 0 and no error", code, log)
	}
}
