package app_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scanned is what an expression of PromQL names. Whether it is one, promtool says.
type scanned struct {
	selectors  []selector
	aggregates bool
	grouping   []string // the labels in by (…)
}

// selector selects series: name{matchers}.
type selector struct {
	name     string
	matchers []matcher
}

// matcher compares a label with a value. Its operator is =, !=, =~ or !~.
type matcher struct{ name, operator, value string }

func (m matcher) String() string { return m.name + m.operator + fmt.Sprintf("%q", m.value) }

var (
	promToken = regexp.MustCompile(
		`^(?:\s+|[a-zA-Z_][a-zA-Z0-9_:]*|[0-9.]+[a-z]*|"[^"\\]*"|=~|!~|!=|==|>=|<=|[-+*/%^<>=(){}\[\],:])`,
	)
	promName = regexp.MustCompile(`^[a-zA-Z_]`)

	promAggregations = []string{"sum", "min", "max", "avg", "count", "group", "topk", "bottomk", "quantile", "stddev"}
	promOperators    = []string{"and", "or", "unless", "bool", "offset"}
)

// scan returns what an expression names, or an error if it has what scan does not know.
func scan(expr string) (found scanned, err error) {
	s := promScanner{}
	for rest := strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h").Replace(expr); rest != ""; {
		token := promToken.FindString(rest)
		if token == "" {
			return found, fmt.Errorf("this is not known: %s", rest)
		}
		rest = rest[len(token):]
		if token = strings.TrimSpace(token); token != "" {
			s.tokens = append(s.tokens, token)
		}
	}
	for len(s.tokens) > 0 {
		if err := s.next(&found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// promScanner holds the tokens that are left.
type promScanner struct{ tokens []string }

// take returns the next token; empty at the end.
func (s *promScanner) take() (token string) {
	if len(s.tokens) > 0 {
		token, s.tokens = s.tokens[0], s.tokens[1:]
	}
	return token
}

// skip takes the next token if it is this one.
func (s *promScanner) skip(token string) bool {
	if len(s.tokens) > 0 && s.tokens[0] == token {
		s.take()
		return true
	}
	return false
}

// next takes a selector, a grouping, or a token that names nothing.
func (s *promScanner) next(found *scanned) error {
	token := s.take()
	called := len(s.tokens) > 0 && s.tokens[0] == "("
	switch {
	case token == "{":
		return fmt.Errorf("a selector without a name")
	case !promName.MatchString(token), slices.Contains(promOperators, token):
		return nil
	case token == "by":
		return s.list(&found.grouping)
	case slices.Contains(promAggregations, token):
		found.aggregates = true
		return nil
	case slices.Contains([]string{"without", "on", "ignoring", "group_left", "group_right"}, token):
		return fmt.Errorf("%s: name the labels that stay, with by", token)
	case called: // a function
		return nil
	}
	selected := selector{name: token}
	if s.skip("{") {
		for !s.skip("}") {
			m := matcher{s.take(), s.take(), strings.Trim(s.take(), `"`)}
			if !promName.MatchString(m.name) || !slices.Contains([]string{"=", "!=", "=~", "!~"}, m.operator) {
				return fmt.Errorf("%s: %v is not known", token, m)
			}
			selected.matchers = append(selected.matchers, m)
			s.skip(",")
		}
	}
	found.selectors = append(found.selectors, selected)
	return nil
}

// list takes names in parentheses.
func (s *promScanner) list(names *[]string) error {
	if !s.skip("(") {
		return fmt.Errorf("by: want names in parentheses")
	}
	for !s.skip(")") {
		name := s.take()
		if !promName.MatchString(name) {
			return fmt.Errorf("by: %q is not a name", name)
		}
		*names = append(*names, name)
		s.skip(",")
	}
	return nil
}

// TestExpressionsThatAreWrong checks expressions whose names are not those of an exposition.
func TestExpressionsThatAreWrong(t *testing.T) {
	t.Parallel()
	exported := exposition{familiesOf(t, `
# TYPE dropyard_asked_total counter
dropyard_asked_total{method="GET",route="/v1/orders"} 5
# TYPE dropyard_took_seconds histogram
dropyard_took_seconds_bucket{le="+Inf"} 1
dropyard_took_seconds_sum 1
dropyard_took_seconds_count 1
`)}
	for expr, want := range map[string]string{
		`sum by (method) (rate(dropyard_asked_total{job="$job",method!="PUT|"}[5m]))`: "no series has the value",
		`sum by (job, route) (rate(dropyard_asked_total{route=~"/v1/.*"}[5m])) > 1.5`: "",
		`topk(5, sum by (route) (increase(dropyard_asked_total[$__range]))) or up`:    "",
		`dropyard_asked_total and on (job) up`:                                        "on: name the labels that stay",
		`sum without (route) (dropyard_asked_total)`:                                  "without: name the labels that stay",
		`sum(dropyard_asked_total)`:                                                   "the result has no label route",
		`sum by (courier) (dropyard_asked_total)`:                                     "no metric of the expression has this label",
		`dropyard_answered_total + dropyard_asked_total`:                              "dropyard_answered_total is not exported",
		`dropyard_asked_total{courier="a"}`:                                           "no series has the label",
		`dropyard_asked_total{route="/v1/.*"}`:                                        "no series has the value",
		`dropyard_asked_total{route=~"v1"}`:                                           "no series has the value",
		`dropyard_asked_total{route=~"("}`:                                            "error parsing regexp",
		`dropyard_took_seconds and dropyard_asked_total`:                              "dropyard_took_seconds is not exported",
		`histogram_quantile(0.9, rate(dropyard_took_seconds_bucket[5m]))`:             "the result has no label route",
		`{job="a"}`:                      "a selector without a name",
		`dropyard_asked_total{route `:    "is not known",
		`sum by (`:                       "is not a name",
		"dropyard_asked_total # comment": "this is not known",
	} {
		shown := []string{"route"}
		if strings.Contains(want, "this label") {
			shown = nil
		}
		_, err := exported.check(expr, shown)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got error %v, want %q", expr, err, want)
		}
	}
}
