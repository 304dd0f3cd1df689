package orderfile

import (
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// closing has the columns by which shops mark orders that need no delivery, with the texts that do; nil is any text.
// WooCommerce writes its states with or without wc- in front, or by their names in the shop's language.
var closing = map[Format]map[string][]string{
	FormatShopify: {
		"cancelledat": nil, "financialstatus": {"refunded", "voided"}, "fulfillmentstatus": {"fulfilled", "restocked"},
	},
	FormatWooCommerce: {"orderstatus": closedStates, "status": closedStates},
}

var closedStates = []string{
	"cancelled", "refunded", "failed", "completed", "trash", "annulee", "remboursee", "echouee", "terminee", "corbeille",
}

// closed returns the cell of a line by which its order needs no delivery; nil if there is none.
func (f *File) closed(line csvfile.Line) *Closed {
	for i, title := range f.Titles {
		states, isClosing := closing[f.Format][csvfile.Folded(title)]
		text := line.Cells[i].Text
		state := strings.TrimPrefix(strings.ToLower(text), "wc-")
		if isClosing && text != "" && (states == nil || slices.Contains(states, csvfile.Folded(state))) {
			return &Closed{title, text}
		}
	}
	return nil
}
