package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
)

// fillOf says how full the icon of a status is: it fills as the order advances.
var fillOf = map[delivery.Status]string{
	delivery.StatusPending: "empty", delivery.StatusAccepted: "empty",
	delivery.StatusCourierAssigned: "half", delivery.StatusPickedUp: "half", delivery.StatusInTransit: "half",
	delivery.StatusOutForDelivery: "half", delivery.StatusDelivered: "full", delivery.StatusFailed: "full",
	delivery.StatusCancelled: "none",
}

// icons are drawn on a square of 24 by 24.
var icons = map[string]string{
	"empty": `<circle cx="12" cy="12" r="10"/>`,
	"half":  `<circle cx="12" cy="12" r="10"/><path d="M12 2a10 10 0 0 0 0 20z" fill="currentColor"/>`,
	"full":  `<circle cx="12" cy="12" r="10" fill="currentColor"/>`,
	"low":   `<path d="M12 3 2 21h20z"/><path d="M12 10v5"/><path d="M12 17v1"/>`,
	"none":  `<circle cx="12" cy="12" r="10"/><path d="M5 19 19 5"/>`,
}

// icon returns an icon that says nothing by itself: words stand beside it.
func icon(name string) (template.HTML, error) {
	drawn, known := icons[name]
	if !known {
		return "", fmt.Errorf("there is no icon %q", name)
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="3">` + drawn + `</svg>`), nil
}

// label returns the attribute of a cell with the heading of its column, which style sheets
// show where a table has no room for columns.
func label(heading string) template.HTMLAttr {
	return template.HTMLAttr(`data-label="` + template.HTMLEscapeString(heading) + `"`)
}

// badge returns the badge of a status: an icon, a word and a colour. names begins the keys of
// the names of statuses: "status." or, for recipients, "tracked.".
func badge(status delivery.Status, l Language, names string) template.HTML {
	drawn, err := icon(fillOf[status])
	if err != nil { // a status that this version does not know
		return template.HTML(template.HTMLEscapeString(string(status)))
	}
	return template.HTML(fmt.Sprintf(`<span class="status status-%s">%s<span>%s</span></span>`, status, drawn,
		template.HTMLEscapeString(l.Text(names+string(status)))))
}

// Shorten cuts a long id in the middle: ord_qggv…edhr5.
func Shorten(id string) string {
	if len(id) <= 16 {
		return id
	}
	return id[:8] + "…" + id[len(id)-5:]
}

// spark returns a small chart of values, oldest first. It shows the course only; the
// figures stand beside it.
func spark(class string, values []int64) template.HTML {
	const width, height = 200, 32
	if len(values) < 2 {
		return ""
	}
	least, most := slices.Min(values), slices.Max(values)
	var points strings.Builder
	for i, value := range values {
		y := float64(height) / 2
		if most > least {
			y = float64(most-value) / float64(most-least) * height
		}
		fmt.Fprintf(&points, "%.1f,%.1f ", float64(i)*width/float64(len(values)-1), y)
	}
	return template.HTML(fmt.Sprintf(`<svg class="spark %s" viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true"><polyline vector-effect="non-scaling-stroke" points="%s"/></svg>`,
		template.HTMLEscapeString(class), width, height, strings.TrimSpace(points.String())))
}
