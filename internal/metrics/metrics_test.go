package metrics_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/accesslog"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/metrics"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/webhook"
)

// show returns the metrics as they are served.
func show(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if recorder.Code != http.StatusOK {
		t.Fatalf("got status %d, want 200: %s", recorder.Code, recorder.Body)
	}
	return recorder.Body.String()
}

// TestObservers calls every observer once for each outcome and compares the lines
// that are served.
func TestObservers(t *testing.T) {
	t.Parallel()
	m := metrics.New("1.2.3")
	route := m.API().Route("/v1/orders/{order_id}")
	route.Started()
	route.Started()
	route.Finished("GET", 200, 3*time.Millisecond)
	m.API().Limited(httpd.LimitTracking, false)
	m.API().Permit(httpd.PermitHeavy, time.Second/2, false)
	m.Orders().Committed(order.Group{Commands: 7, Took: 20 * time.Millisecond, Races: 2, Retries: 3, Blocked: 4})
	m.Orders().Settled(order.CommandCancel, order.OutcomeReplayed)
	m.Orders().Waited(time.Second)
	m.Orders().OverQuota(order.QuotaBytes)
	m.Webhooks().Attempted(webhook.Answer{Status: 503, Took: time.Second})
	m.Webhooks().Attempted(webhook.Answer{})
	m.Webhooks().Sent(2 * time.Second)
	m.SharedRates().Renewed(3, time.Millisecond, nil)
	m.SharedRates().Renewed(0, time.Millisecond, nil)
	m.SharedRates().Renewed(0, time.Millisecond, errors.New("no database"))
	m.Logins("operator").LoggedIn(credential.LoginThrottled, credential.Attempt{})
	m.Retention().Swept(retention.Removed{Orders: 4, Pictures: 2}, time.Minute, errors.New("no bucket"))
	m.RequestLog().Logged(requestlogger.Dropped, 3)
	m.Webhooks().Damaged()
	m.Webhooks().GaveUp(3)
	m.Security()(securitylog.SignatureForged)
	m.WatchAccessLog(func() accesslog.Stats { return accesslog.Stats{Written: 9, Dropped: 8, Failed: 7} })
	m.WatchInstallation(metrics.Installation{
		Reasons: func(context.Context) []installation.Reason { return []installation.Reason{{Reason: "disk_low"}} },
		Disks: func() ([]installation.Disk, error) {
			return []installation.Disk{{Holds: "data", FreeBytes: 5, TotalBytes: 6}}, nil
		},
		Delays:     func() order.Delays { return order.Delays{Blocked: 4} },
		Held:       func() bool { return true },
		DaysBehind: func(context.Context) (int, error) { return 2, nil },
		LastBackup: func() (*time.Time, error) { at := time.Unix(1_000_000, 0); return &at, nil },
	})
	m.Unreadable("rate_card")
	m.Unreadable("something new")
	served := show(t, m)
	for _, want := range []string{
		`dropyard_build_info{goversion="go`,
		`,version="1.2.3"} 1`,
		`dropyard_http_requests_total{method="GET",route="/v1/orders/{order_id}",status="200"} 1`,
		`dropyard_http_request_duration_seconds_bucket{method="GET",route="/v1/orders/{order_id}",status="200",le="0.005"} 1`,
		`dropyard_http_requests_in_flight 1`,
		`dropyard_order_quota_refusals_total{quota="stored_bytes"} 1`,
		`dropyard_slot_wait_seconds_bucket{outcome="refused",slot="heavy",le="0.5"} 1`,
		`dropyard_rate_limit_requests_total{limit="tracking",outcome="refused"} 1`,
		`dropyard_order_group_commands_sum 7`,
		`dropyard_order_group_duration_seconds_sum 0.02`,
		`dropyard_order_group_races_total 2`,
		`dropyard_order_group_retries_total 3`,
		`dropyard_order_group_blocks_total 4`,
		`dropyard_order_partners_blocked 4`,
		`dropyard_order_commands_total{command="cancel",outcome="replayed"} 1`,
		`dropyard_order_queue_wait_seconds_sum 1`,
		`dropyard_webhook_attempts_total{outcome="refused"} 1`,
		`dropyard_webhook_attempts_total{outcome="unreachable"} 1`,
		`dropyard_webhook_attempt_duration_seconds_count 2`,
		`dropyard_webhook_lag_seconds_sum 2`,
		`dropyard_rate_limit_lease_exchanges_total{outcome="granted"} 1`,
		`dropyard_rate_limit_lease_exchanges_total{outcome="empty"} 1`,
		`dropyard_rate_limit_lease_exchanges_total{outcome="failed"} 1`,
		`dropyard_logins_total{account="operator",outcome="throttled"} 1`,
		`dropyard_retention_sweeps_total{outcome="failed"} 1`,
		`dropyard_retention_removed_total{kind="orders"} 4`,
		`dropyard_retention_removed_total{kind="pictures"} 2`,
		`dropyard_request_log_entries_total{outcome="dropped"} 3`,
		`dropyard_webhook_events_given_up_total 3`,
		`dropyard_security_events_total{event="signature_forged"} 1`,
		`dropyard_access_log_lines_total{outcome="written"} 9`,
		`dropyard_access_log_lines_total{outcome="dropped"} 8`,
		`dropyard_access_log_lines_total{outcome="failed"} 7`,
		`dropyard_messages_held 1`,
		`dropyard_ready 0`,
		`dropyard_not_ready{reason="disk_low"} 1`,
		`dropyard_not_ready{reason="clock_off"} 0`,
		`dropyard_disk_free_bytes{holds="data"} 5`,
		`dropyard_disk_size_bytes{holds="data"} 6`,
		`dropyard_exports_late 2`,
		`dropyard_last_backup_timestamp_seconds 1e+06`,
		`dropyard_unreadable_documents_total{kind="rate_card"} 1`,
		`dropyard_unreadable_documents_total{kind="event"} 1`,
		`dropyard_unreadable_documents_total{kind="other"} 1`,
	} {
		if !strings.Contains(served, want) {
			t.Errorf("got no line with %s", want)
		}
	}
}

// TestMethodLabelIsBounded expects methods that a client has invented to share one
// series.
func TestMethodLabelIsBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New("")
	unmatched := m.API().Route("")
	for _, method := range []string{"BREW", "GETT", "get", ""} {
		unmatched.Started()
		unmatched.Finished(method, 404, 0)
	}
	if want := `dropyard_http_requests_total{method="other",route="unmatched",status="404"} 4`; !strings.Contains(show(t,
		m), want) {
		t.Errorf("got %s, want a line with %s", show(t, m), want)
	}
}

// BenchmarkOrder measures all that one order costs: its request, its rate limit,
// its command, and a group of one.
func BenchmarkOrder(b *testing.B) {
	m := metrics.New("")
	requests, orders, route := m.API(), m.Orders(), m.API().Route("/v1/orders")
	b.ReportAllocs()
	for b.Loop() {
		route.Started()
		requests.Limited(httpd.LimitPartner, true)
		orders.Waited(time.Millisecond)
		orders.Committed(order.Group{Commands: 1, Took: time.Millisecond})
		orders.Settled(order.CommandCreate, order.OutcomeDone)
		route.Finished("POST", 201, time.Millisecond)
	}
}
