package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Chart describes a chart of columns, with a place for each step of time. What a chart
// says must be on the page as text or as a table, too.
type Chart struct {
	Title string // what is counted
	About string // the same in a sentence, for those who do not see the chart
	Steps []Step // from left to right
	// Names are those of the series; the values of each step are in the same order.
	Names []string
	// Tones are the classes that colour the series.
	Tones []string
	// Stacked puts the values of a step on top of each other instead of side by side.
	Stacked bool
	// Top is the value at the upper edge; 0 for a round number above all values.
	Top int64
}

// Step is one place of a chart.
type Step struct {
	Label  string  // for the axis
	Note   string  // what its values are, shown when it is pointed at
	Values []int64 // at least 0
}

// The size of a chart in its own units: each step is stepWidth wide. Browsers stretch it
// to the width of the page.
const (
	stepWidth   = 12
	chartHeight = 100
	// fewSteps is the number of steps below which columns do not fill their places.
	fewSteps = 7
	// maxNotes is the most steps with notes, because a page must stay light.
	maxNotes = 100
)

// Scale returns the values beside the chart, from the upper edge to the lower.
func (c Chart) Scale() []int64 { return []int64{c.top(), c.top() / 2, 0} }

// Axis returns the labels below the chart: all if they are few, and else the first and
// the last.
func (c Chart) Axis() []string {
	var labels []string
	for i, step := range c.Steps {
		if c.Few() || i == 0 || i == len(c.Steps)-1 {
			labels = append(labels, step.Label)
		}
	}
	return labels
}

// Few reports whether each step has a label below the chart.
func (c Chart) Few() bool { return len(c.Steps) <= 3 }

// top returns the value at the upper edge, which is at least 2.
func (c Chart) top() int64 {
	if c.Top > 0 {
		return c.Top
	}
	var most int64
	for _, step := range c.Steps {
		if c.Stacked {
			most = max(most, sumUp(step.Values))
		} else {
			most = max(most, slices.Max(append(step.Values, 0)))
		}
	}
	return roundUp(most)
}

// sumUp returns the sum of values, or the largest number if they have none.
func sumUp(values []int64) (total int64) {
	for _, value := range values {
		if total += min(value, math.MaxInt64-total); total == math.MaxInt64 {
			break
		}
	}
	return total
}

// roundUp returns the next of 2, 4, 6, 8, 10, 20, 40 and so on. Numbers too large for
// that stay as they are.
func roundUp(most int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for digit := int64(2); digit <= 10; digit += 2 {
			if unit > math.MaxInt64/digit {
				return most
			}
			if digit*unit >= most {
				return digit * unit
			}
		}
	}
}

// SVG draws the chart. Its colours are those of the classes in Tones.
func (c Chart) SVG() template.HTML {
	if len(c.Steps) == 0 {
		return ""
	}
	var out strings.Builder
	width := len(c.Steps) * stepWidth
	fmt.Fprintf(&out,
		`<svg class="columns" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img"><title>%s</title><desc>%s</desc>`,
		width, chartHeight, template.HTMLEscapeString(c.Title), template.HTMLEscapeString(c.About))
	fmt.Fprintf(&out, `<path class="grid" vector-effect="non-scaling-stroke" d="M0 0H%[1]dM0 %[2]dH%[1]dM0 %[3]dH%[1]d"/>`,
		width, chartHeight/2, chartHeight)
	for series := range c.Names {
		fmt.Fprintf(&out, `<path class="%s" d="%s"/>`, template.HTMLEscapeString(c.Tones[series]), c.columns(series))
	}
	if len(c.Steps) <= maxNotes {
		for i, step := range c.Steps {
			fmt.Fprintf(&out, `<rect class="note" x="%d" width="%d" height="%d"><title>%s</title></rect>`, i*stepWidth,
				stepWidth, chartHeight, template.HTMLEscapeString(step.Note))
		}
	}
	out.WriteString("</svg>")
	return template.HTML(out.String())
}

// columns returns the path of the columns of a series.
func (c Chart) columns(series int) string {
	var path strings.Builder
	top := float64(c.top())
	share := 0.8 * float64(min(len(c.Steps), fewSteps)) / fewSteps // of a step that its columns take
	for i, step := range c.Steps {
		width := stepWidth * share
		left := float64(i)*stepWidth + (stepWidth-width)/2
		base := 0.0
		if c.Stacked {
			base = float64(sumUp(step.Values[:series])) / top * chartHeight
		} else {
			width /= float64(len(c.Names))
			left += width * float64(series)
		}
		if height := float64(step.Values[series]) / top * chartHeight; height > 0 {
			fmt.Fprintf(&path, "M%.5g %.5gv%.5gh%.5gv%.5gz", left, chartHeight-base, -height, width, height)
		}
	}
	return path.String()
}

// bar returns a horizontal bar as long as a part of a whole.
func bar(tone string, part, whole int64) template.HTML {
	length := 0.0
	if whole > 0 {
		length = 100 * min(1, float64(max(0, part))/float64(whole))
	}
	return template.HTML(fmt.Sprintf(`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="%s" width="%.5g" height="8"/></svg>`,
		template.HTMLEscapeString(tone), length))
}
