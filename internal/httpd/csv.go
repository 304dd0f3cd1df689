package httpd

import (
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

var (
	markRule      = form.OneOf("0", "1")
	separatorRule = form.OneOf("comma", "semicolon")
)

// CSVLayout returns the layout of a CSV file that the parameters bom and separator ask for.
// Without them it is the one for programs.
func (q *Query) CSVLayout() csvfile.Layout {
	return csvfile.Layout{
		Spreadsheet: q.OneOf("bom", markRule) == "1", Semicolons: q.OneOf("separator", separatorRule) == "semicolon",
	}
}
