package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"go.yaml.in/yaml/v4"
)

const monitoring = "../../docs/monitoring"

// notOnDashboard has the metrics that the dashboard leaves out, with the reason.
var notOnDashboard = map[string]string{
	"dropyard_messages_held":     "it is 0 but after a restore, and an alert says when it is not",
	"dropyard_trace_spans_total": "traces are optional, and the log says when they are not sent",
}

// dashboard is what the tests look at in dashboard.json.
type dashboard struct {
	UID        string `json:"uid"`
	Title      string `json:"title"`
	Templating struct {
		List []struct {
			Name, Type string
			Datasource json.RawMessage
		} `json:"list"`
	} `json:"templating"`
	Panels []panel `json:"panels"`
}

type panel struct {
	ID         int         `json:"id"`
	Type       string      `json:"type"`
	Title      string      `json:"title"`
	GridPos    gridPos     `json:"gridPos"`
	Datasource *datasource `json:"datasource"`
	Targets    []target    `json:"targets"`
}

type gridPos struct{ X, Y, W, H int }

type target struct {
	RefID        string      `json:"refId"`
	Datasource   *datasource `json:"datasource"`
	Expr         string      `json:"expr"`
	LegendFormat string      `json:"legendFormat"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(monitoring, "dashboard.json"))
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil || d.UID == "" || d.Title == "" || len(d.Panels) < 10 {
		t.Fatalf("got dashboard %q with %d panels, error %v", d.Title, len(d.Panels), err)
	}
	return d
}

// alerts is the format of alerts.yml.
type alerts struct {
	Groups []struct {
		Name  string
		Rules []alert
	}
}

type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func readAlerts(t *testing.T) (all []alert) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(monitoring, "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var read alerts
	if err := yaml.Load(text, &read, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	for _, group := range read.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) < 10 {
		t.Fatalf("got %d alerts, want at least 10", len(all))
	}
	return all
}

// TestMonitoringFollowsMetrics compares each expression of the dashboard and of the alerts
// with a scrape of a service that has been driven: metrics, labels and their values.
func TestMonitoringFollowsMetrics(t *testing.T) {
	t.Parallel()
	accessLog := func(c *config.Config, _ *app.Surroundings) { c.AccessLog = filepath.Join(t.TempDir(), "access.log") }
	h := newHooked(t, apptest.WithMetrics(), apptest.RateLimit(40), accessLog)
	driveMetrics(t, h)
	untilReady(t, h.Service)
	exported := exposition{finalScrape(t, h).families}

	shown := map[string]bool{}
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			used, err := exported.check(target.Expr, fieldsOf(legendLabel, target.LegendFormat))
			if err != nil {
				t.Errorf("dashboard.json: %q: %v\n%s", p.Title, err, target.Expr)
			}
			maps.Copy(shown, used)
		}
	}
	for name := range documentedMetrics(t) {
		if shown[name] == (notOnDashboard[name] != "") {
			t.Errorf("%s: want it on the dashboard or, with a reason, in notOnDashboard", name)
		}
	}
	for _, a := range readAlerts(t) {
		said := a.Annotations["summary"] + a.Annotations["description"]
		if _, err := exported.check(a.Expr, fieldsOf(alertLabel, said)); err != nil {
			t.Errorf("alerts.yml: %s: %v\n%s", a.Alert, err, a.Expr)
		}
	}
}

var (
	legendLabel = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)
	alertLabel  = regexp.MustCompile(`\$labels\.(\w+)`)
)

func fieldsOf(pattern *regexp.Regexp, text string) (names []string) {
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}

// TestDashboardLayout holds the dashboard against what Grafana expects.
func TestDashboardLayout(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	ids, variables := map[int]bool{}, map[string]bool{}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
	}
	if d.Templating.List[0].Type != "datasource" || d.Templating.List[0].Name != "datasource" {
		t.Errorf("got first variable %+v, want the data source", d.Templating.List[0])
	}
	for i, p := range d.Panels {
		if ids[p.ID] || p.ID <= 0 || p.Title == "" {
			t.Errorf("panel %d %q: want a title and an id of its own", p.ID, p.Title)
		}
		ids[p.ID] = true
		if p.GridPos.X < 0 || p.GridPos.W < 1 || p.GridPos.H < 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%q: got %+v, want it within 24 columns", p.Title, p.GridPos)
		}
		for _, other := range d.Panels[:i] {
			if p.GridPos.overlaps(other.GridPos) {
				t.Errorf("%q and %q overlap", p.Title, other.Title)
			}
		}
		p.checkTargets(t, variables)
	}
}

func (g gridPos) overlaps(o gridPos) bool {
	return g.X < o.X+o.W && o.X < g.X+g.W && g.Y < o.Y+o.H && o.Y < g.Y+g.H
}

var variable = regexp.MustCompile(`\$(\w+)`)

func (p *panel) checkTargets(t *testing.T, variables map[string]bool) {
	t.Helper()
	if (p.Type == "row") != (len(p.Targets) == 0) {
		t.Errorf("%q: got %d expressions in a panel of type %s", p.Title, len(p.Targets), p.Type)
	}
	refs := map[string]bool{}
	for _, target := range p.Targets {
		for _, source := range []*datasource{p.Datasource, target.Datasource} {
			if source == nil || *source != (datasource{"prometheus", "${datasource}"}) {
				t.Errorf("%q: got data source %+v, want the variable", p.Title, source)
			}
		}
		if refs[target.RefID] || target.RefID == "" {
			t.Errorf("%q: got refId %q, want one for each expression", p.Title, target.RefID)
		}
		refs[target.RefID] = true
		for _, used := range variable.FindAllStringSubmatch(target.Expr, -1) {
			if !variables[used[1]] && !strings.HasPrefix(used[1], "__") {
				t.Errorf("%q: there is no variable %s", p.Title, used[0])
			}
		}
		if !strings.Contains(target.Expr, `{job="$job", instance=~"$instance"`) {
			t.Errorf("%q: want the nodes that were selected: %s", p.Title, target.Expr)
		}
	}
}

// TestAlertsSayWhatToDo expects each alert to lead to a section of a document.
func TestAlertsSayWhatToDo(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, a := range readAlerts(t) {
		if names[a.Alert] {
			t.Errorf("there are two alerts %s", a.Alert)
		}
		names[a.Alert] = true
		if a.For == "" || a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s: want for, summary and description", a.Alert)
		}
		if severity := a.Labels["severity"]; !slices.Contains([]string{"critical", "warning", "info"}, severity) {
			t.Errorf("%s: got severity %q, want critical, warning or info", a.Alert, severity)
		}
		file, anchor, _ := strings.Cut(strings.TrimPrefix(a.Annotations["runbook_url"],
			"https://github.com/dropyard/dropyard/blob/main/docs/"), "#")
		text, err := os.ReadFile(filepath.Join("../../docs", file))
		if err != nil || !slices.Contains(anchors(string(text)), anchor) {
			t.Errorf("%s: docs/%s has no section %q (%v)", a.Alert, file, anchor, err)
		}
	}
}

// anchors returns the anchors of a document's headings.
func anchors(text string) (all []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		words := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		all = append(all, strings.ReplaceAll(words, " ", "-"))
	}
	return all
}

// TestAlertsFire runs the unit tests of the alerts, of which each has one, in Prometheus' own
// tool.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	files := []string{"alerts_test.yml", "alerts_day_test.yml"}
	var cases []byte
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(monitoring, file))
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, text...)
	}
	for _, a := range readAlerts(t) {
		if !regexp.MustCompile(a.Alert + `\b`).Match(cases) {
			t.Errorf("%v: got no case of %s", files, a.Alert)
		}
	}
	promtool(t, append([]string{"test", "rules"}, files...)...)
}

// TestDashboardParses has Prometheus' own tool parse each expression of the dashboard, as a
// rule.
func TestDashboardParses(t *testing.T) {
	t.Parallel()
	type rule struct{ Record, Expr string }
	type group struct {
		Name  string
		Rules []rule
	}
	var dashboard struct{ Groups []group }
	ranges := strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h")
	for i, p := range readDashboard(t).Panels {
		panel := group{Name: fmt.Sprint(i, " ", p.Title)}
		for _, target := range p.Targets {
			panel.Rules = append(panel.Rules, rule{"dashboard:" + target.RefID, ranges.Replace(target.Expr)})
		}
		dashboard.Groups = append(dashboard.Groups, panel)
	}
	text, err := yaml.Marshal(dashboard)
	file := filepath.Join(t.TempDir(), "dashboard.yml")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", "--lint=none", file)
}

// promtool runs it where the alerts are, and fails the test if it finds anything.
func promtool(t *testing.T, arguments ...string) {
	t.Helper()
	testkit.NeedPromtool.OrSkip(t)
	command := exec.CommandContext(t.Context(), "promtool", arguments...)
	command.Dir = monitoring
	if printed, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v:\n%s", err, printed)
	}
}
