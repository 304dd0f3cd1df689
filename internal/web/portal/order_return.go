package portal

import (
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Received returns what came back of an order that was given up: a line for each product and
// condition.
func (v orderView) Received() (lines []string) {
	if v.Order.Course.Return == nil {
		return nil
	}
	names := map[int64]string{}
	for _, item := range v.Order.Items {
		names[item.ProductID] = item.Name
	}
	for _, line := range v.Order.Course.Return.Lines {
		text := v.Text("returns.quantity", "n", v.Count(line.Quantity), "name", names[line.ProductID])
		lines = append(lines, text+" · "+strings.ToLower(v.Text("disposition."+string(line.Disposition))))
	}
	return lines
}

// Due reports whether the parcels of an order that was given up are still on their way back.
func (v orderView) Due() bool {
	return v.Order.Course.Return != nil && v.Order.Course.Return.State == delivery.ReturnDue
}
