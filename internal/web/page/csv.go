package page

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/web"
)

// semicolons is the parameter of a download that asks for semicolons and decimal commas.
const semicolons = "separator=semicolon"

// DateRule is what a day of a filter must be. A file cannot show the fault beside its field, as pages do.
var DateRule = form.Define("date", "a date")

// CSVLayout returns the layout of the file that a page offers: people open it in a spreadsheet.
func CSVLayout(v *web.PageRequest) csvfile.Layout {
	return csvfile.Layout{Spreadsheet: true, Semicolons: v.Request.URL.Query().Get("separator") == "semicolon"}
}

// WithSemicolons returns the address of the same file with semicolons and decimal commas.
func WithSemicolons(path string) string {
	if strings.Contains(path, "?") {
		return path + "&" + semicolons
	}
	return path + "?" + semicolons
}

// ShowCSV responds with a file for a spreadsheet.
func ShowCSV(v *web.PageRequest, name string, content []byte) (int, []byte, error) {
	v.Header.Set("Content-Type", "text/csv; charset=utf-8")
	v.Header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	v.Header.Set("Cache-Control", "no-store")
	return http.StatusOK, content, nil
}
