package app_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// exposition is what a service exports.
type exposition struct{ families map[string]*dto.MetricFamily }

// targetLabels are added by Prometheus.
var targetLabels = []string{"job", "instance"}

// check returns an error if an expression names a metric, a label or a value of a label that
// is not exported, or if its result lacks one of the labels that are shown. It returns the
// names of the families that it reads.
func (e exposition) check(expr string, shown []string) (used map[string]bool, err error) {
	scanned, err := scan(expr)
	errs := []error{err}
	used = map[string]bool{}
	known := slices.Clone(targetLabels)
	for _, selector := range scanned.selectors {
		family, names, err := e.selects(selector)
		used[family] = true
		known, errs = append(known, names...), append(errs, err)
	}
	for _, name := range scanned.grouping {
		if !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("by (%s): no metric of the expression has this label", name))
		}
	}
	for _, name := range shown {
		if scanned.aggregates && !slices.Contains(scanned.grouping, name) || !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("the result has no label %s", name))
		}
	}
	return used, errors.Join(errs...)
}

// selects returns the family of a selector and the names of its labels, or an error if no
// series has the labels that it asks for.
func (e exposition) selects(selector selector) (name string, names []string, err error) {
	if selector.name == "up" { // Prometheus makes it
		return selector.name, nil, nil
	}
	name, family := e.family(selector.name)
	if family == nil {
		if !served(selector.name) {
			return selector.name, nil, nil
		}
		return selector.name, nil, fmt.Errorf("%s is not exported", selector.name)
	}
	values := map[string][]string{}
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			values[label.GetName()] = append(values[label.GetName()], label.GetValue())
		}
	}
	names = append(slices.Collect(maps.Keys(values)), "le")
	for _, m := range selector.matchers {
		if !slices.Contains(targetLabels, m.name) {
			err = errors.Join(err, m.check(values[m.name]))
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
		if family := e.families[base]; cut && family != nil &&
			(family.GetType() == dto.MetricType_HISTOGRAM || family.GetType() == dto.MetricType_SUMMARY && suffix != "_bucket") {
			return base, family
		}
	}
	return "", nil
}

// check returns an error if a label has none of the values that it is compared with.
// Which statuses there have been depends on what has failed, which pools there are on the
// engine.
func (m matcher) check(values []string) error {
	if len(values) == 0 {
		return fmt.Errorf("%v: no series has the label", m)
	}
	value := m.value
	if m.operator == "=" || m.operator == "!=" {
		value = regexp.QuoteMeta(value)
	}
	pattern, err := regexp.Compile("^(?:" + value + ")$")
	if err != nil {
		return err
	}
	varies := m.name == "status" || m.name == "pool" && !onSQLite()
	if !varies && !slices.ContainsFunc(values, pattern.MatchString) {
		return fmt.Errorf("%v: no series has the value, only %q", m, values)
	}
	return nil
}
