package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/web/page"
)

// chartOf returns a chart of two series with the same values.
func chartOf(values ...int64) page.Chart {
	c := page.Chart{Title: "<b>Orders", About: `"&`, Names: []string{"A", "B"}, Tones: []string{"a", "b"}}
	for _, value := range values {
		c.Steps = append(c.Steps, page.Step{Label: "day", Note: "<script>", Values: []int64{value, value}})
	}
	return c
}

// countOf parses an SVG and counts its elements by name.
func countOf(t *testing.T, svg string) map[string]int {
	t.Helper()
	elements := map[string]int{}
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
}

func TestChartScale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []int64
		want   int64
	}{
		{nil, 2}, {[]int64{0}, 2}, {[]int64{1}, 2}, {[]int64{3, 5}, 6}, {[]int64{10}, 10}, {[]int64{11}, 20},
		{[]int64{41}, 60}, {[]int64{1000001}, 2000000}, {[]int64{math.MaxInt64}, math.MaxInt64},
	} {
		if got := chartOf(c.values...).Scale(); !slices.Equal(got, []int64{c.want, c.want / 2, 0}) {
			t.Errorf("%d: got %d, want %d at the upper edge", c.values, got, c.want)
		}
	}
	stacked := chartOf(7, math.MaxInt64)
	stacked.Stacked = true
	if got := stacked.Scale()[0]; got != math.MaxInt64 {
		t.Errorf("stacked: got %d at the upper edge, want no overflow", got)
	}
}

func TestChartAxis(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]int{0: 0, 1: 1, 3: 3, 4: 2, 90: 2} {
		if got := len(chartOf(make([]int64, days)...).Axis()); got != want {
			t.Errorf("%d days: got %d labels, want %d", days, got, want)
		}
	}
}

// TestChartSVG draws charts of no, one, many, too many and huge values.
func TestChartSVG(t *testing.T) {
	t.Parallel()
	if got := chartOf().SVG(); got != "" {
		t.Errorf("no steps: got %q, want nothing", got)
	}
	for _, values := range [][]int64{{5}, make([]int64, 90), make([]int64, 366), {math.MaxInt64, 0, math.MaxInt64 / 3}} {
		chart := chartOf(values...)
		svg := string(chart.SVG())
		notes := len(values)
		if notes > 100 {
			notes = 0
		}
		if got := countOf(t, svg); got["path"] != 3 || got["rect"] != notes || got["title"] != notes+1 || got["desc"] != 1 {
			t.Errorf("%d values: got %v, want a grid, two series and a note for each of at most 100 steps", len(values), got)
		}
		for _, bad := range []string{"NaN", "Inf", "e+", "style=", "<script>", "<b>"} {
			if strings.Contains(svg, bad) {
				t.Errorf("%d values: got %q in %s", len(values), bad, svg)
			}
		}
	}
}

func TestChartColumns(t *testing.T) {
	t.Parallel()
	chart := chartOf(0, 1, 2, 1, 1, 1, 1)
	svg := string(chart.SVG())
	for _, want := range []string{`class="a" d="M13.2 100v-50h4.8v50z`, `class="b" d="M18 100v-50h4.8v50z`} {
		if !strings.Contains(svg, want) {
			t.Errorf("side by side: got %s, want %s", svg, want)
		}
	}
	chart.Stacked, chart.Top = true, 4
	svg = string(chart.SVG())
	for _, want := range []string{`class="a" d="M13.2 100v-25h9.6v25z`, `class="b" d="M13.2 75v-25h9.6v25z`} {
		if !strings.Contains(svg, want) {
			t.Errorf("stacked: got %s, want %s", svg, want)
		}
	}
}
