package app_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// exposition is what a service exports.
type exposition struct{ families map[string]*dto.MetricFamily }

// targetLabels are added by Prometheus.
var targetLabels = []string{"job", "instance"}

// check returns an error if an expression names a metric, a label or a value of a label that
// is not exported, or if its result lacks one of the labels that are shown. It returns the
// names of the families that it reads.
func (e exposition) check(expr string, shown []string) (used map[string]bool, err error) {
	expr = strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h").Replace(expr)
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		return nil, err
	}
	used = map[string]bool{}
	known := slices.Clone(targetLabels)
	var grouping []string
	aggregates := false
	var errs []error
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			family, names, err := e.selects(node)
			used[family] = true
			known, errs = append(known, names...), append(errs, err)
		case *parser.AggregateExpr:
			aggregates, grouping = true, append(grouping, node.Grouping...)
			if node.Without {
				errs = append(errs, errors.New("without: name the labels that stay"))
			}
		}
		return nil
	})
	for _, name := range grouping {
		if !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("by (%s): no metric of the expression has this label", name))
		}
	}
	for _, name := range shown {
		if aggregates && !slices.Contains(grouping, name) || !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("the result has no label %s", name))
		}
	}
	return used, errors.Join(errs...)
}

// selects returns the family of a selector and the names of its labels, or an error if no
// series has the labels that it asks for.
func (e exposition) selects(selector *parser.VectorSelector) (name string, names []string, err error) {
	if selector.Name == "up" { // Prometheus makes it
		return selector.Name, nil, nil
	}
	name, family := e.family(selector.Name)
	if family == nil {
		if !served(selector.Name) {
			return selector.Name, nil, nil
		}
		return selector.Name, nil, fmt.Errorf("%s is not exported", selector.Name)
	}
	values := map[string][]string{}
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			values[label.GetName()] = append(values[label.GetName()], label.GetValue())
		}
	}
	names = append(slices.Collect(maps.Keys(values)), "le")
	for _, m := range selector.LabelMatchers {
		if m.Name != model.MetricNameLabel && !slices.Contains(targetLabels, m.Name) {
			err = errors.Join(err, checkMatcher(m, values[m.Name]))
		}
	}
	return name, names, err
}

// family returns the family of a series and its name. Histograms and summaries have several.
func (e exposition) family(series string) (string, *dto.MetricFamily) {
	if family := e.families[series]; family != nil && family.GetType() != dto.MetricType_HISTOGRAM {
		return series, family
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base, cut := strings.CutSuffix(series, suffix)
		if family := e.families[base]; cut && family != nil && (family.GetType() == dto.MetricType_HISTOGRAM || family.GetType() == dto.MetricType_SUMMARY && suffix != "_bucket") {
			return base, family
		}
	}
	return "", nil
}

// checkMatcher returns an error if a label has none of the values that it is compared with.
// Which statuses there have been depends on what has failed, which pools there are on the
// engine.
func checkMatcher(m *labels.Matcher, values []string) error {
	if len(values) == 0 {
		return fmt.Errorf("%v: no series has the label", m)
	}
	if m.Type == labels.MatchNotEqual || m.Type == labels.MatchNotRegexp {
		m, _ = m.Inverse()
	}
	varies := m.Name == "status" || m.Name == "pool" && !onSQLite()
	if !varies && !slices.ContainsFunc(values, m.Matches) {
		return fmt.Errorf("%v: no series has the value, only %q", m, values)
	}
	return nil
}
