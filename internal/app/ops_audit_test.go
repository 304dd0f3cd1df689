package app_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// TestAuditEntries changes a partner and an operator. The entries hold the values
// before and after, and the request.
func TestAuditEntries(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o, p := s.Operate(t), s.Register(t, "metro")
	entry := func(query, action string, answer *apptest.Answer, before, after string) {
		t.Helper()
		log := o.Call(t, "GET", "/ops/v1/audit?limit=1&"+query, nil).Must(t, 200)
		was, _ := json.Marshal(log.JSON("entries", 0, "before"))
		is, _ := json.Marshal(log.JSON("entries", 0, "after"))
		if log.Text("entries", 0, "action") != action || log.Text("entries", 0, "operator_id") != o.OperatorID ||
			log.Text("entries", 0, "request_id") != answer.Header.Get("X-Request-Id") || string(was) != before ||
			string(is) != after {
			t.Errorf("got %s, want %s from %s to %s", log.Body, action, before, after)
		}
	}
	s.Clock.Advance(time.Second)
	changed := set(t, o, p, `{"suspended":true,"suspended_reason":"unpaid","rate_limit":7}`)
	entry("partner_id="+p.PartnerID, "partner.changed", changed,
		`{"established":false,"orders_per_day":null,"rate_card":null,"rate_limit":null,"stored_bytes":null,"suspended":false,"suspended_reason":""}`,
		`{"established":false,"orders_per_day":null,"rate_card":null,"rate_limit":7,"stored_bytes":null,"suspended":true,"suspended_reason":"unpaid"}`)
	set(t, o, p, `{"rate_limit":7}`) // changes nothing, and is not logged
	entry("partner_id="+p.PartnerID, "partner.changed", changed,
		`{"established":false,"orders_per_day":null,"rate_card":null,"rate_limit":null,"stored_bytes":null,"suspended":false,"suspended_reason":""}`,
		`{"established":false,"orders_per_day":null,"rate_card":null,"rate_limit":7,"stored_bytes":null,"suspended":true,"suspended_reason":"unpaid"}`)
	desk := o.As(t, "dispatcher")
	target := "/ops/v1/operators/" + desk.OperatorID
	s.Clock.Advance(time.Second)
	changed = o.Call(t, "PATCH", target, []byte(`{"role":"warehouse","password":"un autre mot de passe"}`)).Must(t, 200)
	entry("action=operator.changed&object_id="+desk.OperatorID, "operator.changed", changed,
		`{"active":true,"courier_id":"","email":"dispatcher@example.com","role":"dispatcher"}`,
		`{"active":true,"courier_id":"","email":"dispatcher@example.com","password_changed":true,"role":"warehouse"}`)
	if none := o.Call(t, "GET", "/ops/v1/audit?operator_id="+desk.OperatorID+"&from=2026-01-14T15:00:02Z", nil).Must(t,
		200); none.Len("entries") != 0 {
		t.Errorf("got %s, want no entries of the dispatcher", none.Body)
	}
}

// TestAuditExport compares an export, which begins with the oldest entry, with the
// pages of the log.
func TestAuditExport(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	courier := o.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Robin","phone":"+15145550111","vehicle":"van"}`)).Must(t, 201).Text("courier_id")
	for i := range 600 { // more than an export reads at once
		s.Clock.Advance(time.Second)
		for _, vehicle := range []string{"bike", "van"} {
			o.Call(t, "PATCH", "/ops/v1/couriers/"+courier, fmt.Appendf(nil, `{"vehicle":"%s %d"}`, vehicle, i)).Must(t, 200)
		}
	}
	var paged []string
	for cursor := ""; ; {
		page := o.Call(t, "GET", "/ops/v1/audit?limit=500"+cursor, nil).Must(t, 200)
		for i := range page.Len("entries") {
			paged = append([]string{page.Text("entries", i, "audit_id")}, paged...)
		}
		if cursor = "&cursor=" + page.Text("next_cursor"); cursor == "&cursor=" {
			break
		}
	}
	export := func(from, to time.Time) (ids []string) {
		t.Helper()
		var out bytes.Buffer
		settings := &config.Config{Data: s.Data, DatabaseURL: s.Database, DatabaseMayLoseData: true}
		if err := app.ExportAudit(t.Context(), settings, app.System(), from, to, &out); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(&out); lines.Scan(); {
			var entry struct {
				AuditID string `json:"audit_id"`
			}
			if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, entry.AuditID)
		}
		return ids
	}
	if all := export(time.Time{}, time.Time{}); fmt.Sprint(all) != fmt.Sprint(paged) || len(all) < 1200 {
		t.Errorf("got %d entries exported, want those of the pages, %d", len(all), len(paged))
	}
	begin := s.Clock.Now()
	if some := export(begin.Add(-2*time.Second), begin); len(some) != 4 {
		t.Errorf("two seconds: got %d entries, want 4", len(some))
	}
}
