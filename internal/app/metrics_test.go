package app_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// documentedMetric is a row of the table in docs/metrics.md.
type documentedMetric struct{ kind, labels string }

var metricRow = regexp.MustCompile("(?m)^\\| `(dropyard_[a-z_]+)` \\| ([a-z]+) \\| *([^|]*)\\|")

// onSQLite reports whether the tests run on the embedded database.
func onSQLite() bool { return os.Getenv(testkit.EngineVariable) == "" }

// served reports whether a documented metric exists on the engine under test.
func served(name string) bool {
	return !strings.HasPrefix(name, "dropyard_wal_") && name != "dropyard_last_backup_timestamp_seconds" || onSQLite()
}

// documentedMetrics reads the table of metrics. Those of the embedded store are
// left out on PostgreSQL.
func documentedMetrics(t *testing.T) map[string]documentedMetric {
	t.Helper()
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]documentedMetric{}
	for _, row := range metricRow.FindAllStringSubmatch(string(text), -1) {
		if !served(row[1]) {
			continue
		}
		labels := strings.FieldsFunc(row[3], func(r rune) bool { return strings.ContainsRune("`, ", r) })
		slices.Sort(labels)
		documented[row[1]] = documentedMetric{row[2], strings.Join(labels, ",")}
	}
	if len(documented) < 10 {
		t.Fatalf("docs/metrics.md lists %d metrics, want at least 10", len(documented))
	}
	return documented
}

// scrape is one response of /metrics.
type scrape struct {
	text     []byte
	families map[string]*dto.MetricFamily
}

func newScrape(t *testing.T, url string) *scrape {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	s := &scrape{}
	if s.text, err = io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("scrape: status %d, error %v", response.StatusCode, err)
	}
	s.families = familiesOf(t, string(s.text))
	return s
}

// familiesOf parses what a service exports.
func familiesOf(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// value returns the value of a counter or gauge, or the number of observations
// of a histogram, added up over all series that have the labels, given as name
// and value in turn.
func (s *scrape) value(name string, labels ...string) (sum float64) {
	for _, metric := range s.families[name].GetMetric() {
		if hasLabels(metric, labels) {
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue() +
				float64(metric.GetHistogram().GetSampleCount()) + float64(metric.GetSummary().GetSampleCount())
		}
	}
	return sum
}

func hasLabels(metric *dto.Metric, labels []string) bool {
	for pair := range slices.Chunk(labels, 2) {
		if !slices.ContainsFunc(metric.GetLabel(),
			func(l *dto.LabelPair) bool { return l.GetName() == pair[0] && l.GetValue() == pair[1] }) {
			return false
		}
	}
	return true
}

// documented returns how a family looks in the table.
func documented(family *dto.MetricFamily) documentedMetric {
	labels := map[string]bool{}
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			labels[label.GetName()] = true
		}
	}
	return documentedMetric{strings.ToLower(family.GetType().String()), strings.Join(slices.Sorted(maps.Keys(labels)),
		",")}
}

// TestMetrics drives a service and compares a scrape with docs/metrics.md and
// with what was done.
func TestMetrics(t *testing.T) {
	t.Parallel()
	accessLog := func(c *config.Config, _ *app.Surroundings) { c.AccessLog = filepath.Join(t.TempDir(), "access.log") }
	h := newHooked(t, apptest.WithMetrics(), apptest.RateLimit(40), accessLog)
	driveMetrics(t, h)
	got := finalScrape(t, h)

	want := documentedMetrics(t)
	for name, row := range want {
		family := got.families[name]
		if family == nil {
			t.Errorf("%s is documented and not served", name)
		} else if is := documented(family); is != row {
			t.Errorf("%s: got type %s and labels %q, documented are %s and %q", name, is.kind, is.labels, row.kind, row.labels)
		}
	}
	for name := range got.families {
		if _, known := want[name]; !known && strings.HasPrefix(name, "dropyard_") {
			t.Errorf("%s is served and not documented", name)
		}
	}
	problems, err := promlint.New(bytes.NewReader(got.text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, error %v", problems, err)
	}
	checkMetrics(t, got)
}

// driveMetrics makes everything happen that is counted.
func driveMetrics(t *testing.T, h *hooked) {
	t.Helper()
	key, body := []string{"Idempotency-Key", uuid.NewString()}, testkit.OrderJSON("A-1", "")
	id := h.partner.Call(t, "POST", "/v1/orders", body, key...).Must(t, 201).Text("order_id")
	h.partner.Call(t, "POST", "/v1/orders", body, key...).Must(t, 201)
	h.operator.Move(t, id, "accepted").Must(t, 200)
	h.settled(t, id, "1 delivered 1")
	h.partner.Create(t, []byte(`{}`)).Must(t, 422)
	h.Do(t, "GET", "/nowhere/"+id, nil).Must(t, 404)
	h.Do(t, "BREW", "/v1/orders", nil).Must(t, 405)
	h.Do(t, "GET", "/track/"+id, nil).Must(t, 200)
	for h.partner.Call(t, "GET", "/v1/orders", nil).Status != 429 {
		continue
	}
	for h.Do(t, "POST", "/v1/auth/login",
		fmt.Appendf(nil, `{"email":%q,"password":"a wrong password"}`, h.partner.Email)).Status != 429 {
		continue
	}
	h.parked(t)
}

// finalScrape scrapes until everything that runs in the background, or a moment
// longer than the client of a request waits, has ended and is counted, and the service is
// ready: it is not while the machine is so busy that a look at the database takes a second.
func finalScrape(t *testing.T, h *hooked) (got *scrape) {
	t.Helper()
	apptest.Await(t, "ready, no requests in flight, no lanes, a sweep, and a line in the access log", func() bool {
		got = newScrape(t, h.MetricsURL)
		return got.value("dropyard_http_requests_in_flight") == 0 && got.value("dropyard_webhook_lanes") == 0 &&
			got.value("dropyard_retention_sweeps_total") > 0 && got.value("dropyard_ready") == 1 &&
			got.value("dropyard_access_log_lines_total", "outcome", "written") > 0
	})
	return got
}

func checkMetrics(t *testing.T, got *scrape) {
	t.Helper()
	exactly := func(want float64) func(float64) bool { return func(got float64) bool { return got == want } }
	notNegative := func(got float64) bool { return got >= 0 }
	positive := func(got float64) bool { return got > 0 }
	leases := positive // on PostgreSQL, whose nodes share the rates
	if onSQLite() {
		leases = exactly(0)
	}
	for _, check := range []struct {
		name   string
		labels []string
		holds  func(float64) bool
	}{
		{"dropyard_build_info", []string{"version", "test"}, exactly(1)},
		{"dropyard_http_requests_total", []string{"method", "POST", "route", "/v1/orders", "status", "201"}, exactly(2)},
		{"dropyard_http_requests_total", []string{"method", "POST", "route", "/v1/orders", "status", "422"}, exactly(1)},
		{"dropyard_http_requests_total", []string{"method", "GET", "route", "/v1/orders", "status", "429"}, exactly(1)},
		{
			"dropyard_http_requests_total", []string{"method", "GET", "route", "/track/{order_id}", "status", "200"}, exactly(1),
		},
		{"dropyard_http_requests_total", []string{"method", "GET", "route", "unmatched", "status", "404"}, exactly(1)},
		{"dropyard_http_requests_total", []string{"method", "other", "route", "unmatched", "status", "405"}, exactly(1)},
		{"dropyard_http_request_duration_seconds", []string{
			"method", "POST", "route", "/v1/orders", "status", "201",
		}, exactly(2)},
		{"dropyard_http_requests_in_flight", nil, exactly(0)},
		{"dropyard_rate_limit_requests_total", []string{"limit", "partner", "outcome", "allowed"}, exactly(40)},
		{"dropyard_in_flight_bytes", nil, exactly(0)},
		{"dropyard_in_flight_bytes_max", nil, positive},
		{"dropyard_in_flight_refused_total", nil, exactly(0)},
		{"dropyard_rate_limit_requests_total", []string{"limit", "concurrent", "outcome", "refused"}, exactly(0)},
		{"dropyard_rate_limit_requests_total", []string{"limit", "partner", "outcome", "refused"}, exactly(1)},
		{"dropyard_rate_limit_requests_total", []string{"limit", "tracking", "outcome", "allowed"}, exactly(1)},
		{"dropyard_rate_limit_lease_exchanges_total", nil, leases},
		{"dropyard_rate_limit_lease_exchanges_total", []string{"outcome", "failed"}, exactly(0)},
		{"dropyard_rate_limit_lease_exchange_duration_seconds", nil, leases},
		{"dropyard_order_commands_total", []string{"command", "create", "outcome", "done"}, exactly(1)},
		{"dropyard_order_commands_total", []string{"command", "create", "outcome", "replayed"}, exactly(1)},
		{"dropyard_order_commands_total", []string{"command", "create", "outcome", "refused"}, exactly(1)},
		{"dropyard_order_commands_total", []string{"command", "advance", "outcome", "done"}, exactly(1)},
		{"dropyard_order_commands_total", []string{"outcome", "failed"}, exactly(0)},
		{"dropyard_order_queue_wait_seconds", nil, exactly(4)},
		{"dropyard_order_group_commands", nil, exactly(4)},
		{"dropyard_order_group_duration_seconds", nil, exactly(4)},
		{"dropyard_order_group_races_total", nil, exactly(0)},
		{"dropyard_order_group_retries_total", nil, exactly(0)},
		{"dropyard_order_group_blocks_total", nil, exactly(0)},
		{"dropyard_order_partners_blocked", nil, exactly(0)},
		{"dropyard_database_connections", []string{"state", "idle"}, notNegative}, // 0 while each is in use
		{"dropyard_database_connections_max", nil, positive},
		{"dropyard_database_connection_waits_total", nil, notNegative},
		{"dropyard_database_connection_wait_seconds_total", nil, notNegative},
		{"dropyard_database_transaction_retries_total", nil, exactly(0)},
		{"dropyard_wal_size_bytes", nil, positive},
		{"dropyard_wal_pending_bytes", nil, positive},
		{"dropyard_wal_checkpoint_duration_seconds", nil, notNegative},
		{"dropyard_wal_checkpoint_pages_total", nil, notNegative},
		{"dropyard_webhook_attempts_total", []string{"outcome", "delivered"}, exactly(1)},
		{"dropyard_webhook_attempt_duration_seconds", nil, exactly(1)},
		{"dropyard_webhook_endpoints", []string{"state", "healthy"}, exactly(1)},
		{"dropyard_webhook_lag_seconds", nil, exactly(1)},
		{"dropyard_webhook_lanes", nil, exactly(0)},
		{"dropyard_webhook_lane_events", nil, exactly(0)},
		{"dropyard_webhook_settler_queue", nil, exactly(0)},
		{"dropyard_webhook_queue_age_seconds", nil, exactly(0)},
		{"dropyard_logins_total", []string{"account", "partner", "outcome", "succeeded"}, exactly(1)},
		{"dropyard_logins_total", []string{"account", "partner", "outcome", "failed"}, exactly(10)},
		{"dropyard_logins_total", []string{"account", "partner", "outcome", "throttled"}, exactly(1)},
		{"dropyard_logins_total", []string{"account", "operator", "outcome", "succeeded"}, exactly(1)},
		{"dropyard_webhook_events_given_up_total", nil, exactly(0)},
		{"dropyard_security_events_total", []string{"event", "sign_in_failed"}, exactly(10)},
		{"dropyard_trace_spans_total", []string{"outcome", "sent"}, exactly(0)},
		{"dropyard_trace_spans_total", []string{"outcome", "dropped"}, exactly(0)},
		{"dropyard_access_log_lines_total", []string{"outcome", "written"}, positive},
		{"dropyard_access_log_lines_total", []string{"outcome", "dropped"}, exactly(0)},
		{"dropyard_access_log_lines_total", []string{"outcome", "failed"}, exactly(0)},
		{"dropyard_ready", nil, exactly(1)},
		{"dropyard_not_ready", nil, exactly(0)},
		{"dropyard_disk_free_bytes", []string{"holds", "data"}, notNegative}, // none with PostgreSQL
		{"dropyard_disk_size_bytes", []string{"holds", "proofs"}, positive},
		{"dropyard_last_backup_timestamp_seconds", nil, exactly(0)},
		{"dropyard_retention_sweeps_total", []string{"outcome", "completed"}, exactly(1)},
		{"dropyard_retention_sweep_duration_seconds", nil, exactly(1)},
		{"dropyard_retention_removed_total", nil, exactly(0)},
		{"dropyard_unreadable_documents_total", nil, exactly(0)},
		{"process_start_time_seconds", nil, positive},
	} {
		if value := got.value(check.name, check.labels...); served(check.name) && !check.holds(value) {
			t.Errorf("%s%s: got %v", check.name, fmt.Sprint(check.labels), value)
		}
	}
	if bytes.Contains(got.text, []byte("ord_")) {
		t.Error("a label holds an order's id, want the pattern of its route")
	}
}
