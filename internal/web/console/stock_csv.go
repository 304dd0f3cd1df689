package console

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// exportProducts sends the partner's products as CSV.
func (pages *Pages) exportProducts(s *sheet) (int, []byte, error) {
	export, err := pages.config.Stock.Export(s.Context(), s.ID("partner_id"), page.CSVLayout(s.PageRequest))
	if err != nil {
		return 0, nil, err
	}
	var file bytes.Buffer
	if err := export(&file); err != nil {
		return 0, nil, err
	}
	return page.ShowCSV(s.PageRequest, "products.csv", file.Bytes())
}

// exportMovements sends the journal of the partner's stock as CSV.
func (pages *Pages) exportMovements(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	file, err := of.shelf("/movements").MovementsCSV(page.CSVLayout(s.PageRequest))
	if err != nil {
		return 0, nil, err
	}
	return page.ShowCSV(s.PageRequest, "movements.csv", file)
}

// importView is what the page that imports products shows.
type importView struct {
	*storeroom
	Form   *page.Form // which checks a file
	Lines  []lineFault
	Shown  string // how many faults, and which of them
	Fault  string // what is wrong with the whole file
	Column []string
	Plan   *importPlan // of a file without faults; nil before one was checked
}

// lineFault is what is wrong with a line of a file.
type lineFault struct {
	Line                int // 0 if the fault is of the whole file
	Column, Value, Text string
}

func (r *storeroom) showImport(v *importView, status int) (int, []byte, error) {
	v.storeroom, v.Column = r, stock.ImportColumns()
	return r.show(leaf{template: "stock-import", title: r.Text("warehouse.import"), data: v, status: status})
}

func (pages *Pages) importForm(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	form, err := s.form(of.Path("/import"), 0)
	if err != nil {
		return 0, nil, err
	}
	return of.showImport(&importView{Form: form}, http.StatusOK)
}

// maxFaultsShown is the number of faults that the page shows of an import.
const maxFaultsShown = 200

// checkImport shows what a file would do, or what is wrong with its lines. Nothing is
// changed yet.
func (pages *Pages) checkImport(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	v := &importView{}
	if v.Form, err = page.ReadForm(s.PageRequest); err != nil {
		return 0, nil, err
	}
	content, err := s.File("file")
	if err != nil {
		return 0, nil, err
	}
	text, err := csvfile.Text(content)
	if err != nil {
		return of.refuseImport(v, err)
	}
	return of.showPlan(v, text, http.StatusOK)
}

// unreadableFile has the phrases for files that cannot be read.
var unreadableFile = map[csvfile.Reason]string{
	csvfile.Empty: "warehouse.import.choose", csvfile.NotText: "warehouse.import.text",
	csvfile.Unpaired: "warehouse.import.malformed",
}

// onLine fits the field of a problem of an import.
var onLine = regexp.MustCompile(`^lines\[([0-9]+)\](?:\.(.+))?$`)

// refuseImport shows what is wrong with a file, by line.
func (r *storeroom) refuseImport(v *importView, refused error) (int, []byte, error) {
	problems, columns := form.ProblemsOf(refused), stock.ImportColumns()
	var unreadable *csvfile.ReadError
	switch {
	case errors.As(refused, &unreadable):
		v.Fault = r.Text(unreadableFile[unreadable.Reason], "line", r.Language.Number(unreadable.Line))
	case len(problems) == 0:
		return 0, nil, refused
	}
	for _, problem := range problems {
		fault := lineFault{Column: problem.Field, Text: page.FaultText(problem, r.Language)}
		if at := onLine.FindStringSubmatch(problem.Field); at != nil {
			fault.Column = at[2]
			fault.Line, _ = strconv.Atoi(at[1])
		}
		if problem.Value != nil {
			fault.Value = fmt.Sprint(problem.Value)
		}
		v.Lines = append(v.Lines, fault)
	}
	slices.SortStableFunc(v.Lines, func(a, b lineFault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line),
			cmp.Compare(slices.Index(columns, a.Column), slices.Index(columns, b.Column)))
	})
	v.Lines = v.Lines[:min(len(v.Lines), maxFaultsShown)]
	v.Shown = r.Language.Count("warehouse.import.faults", len(problems))
	if len(problems) > maxFaultsShown {
		v.Shown = r.Text("warehouse.import.faults.first", "shown", r.Language.Number(maxFaultsShown), "all",
			r.Language.Number(len(problems)))
	}
	return r.showImport(v, http.StatusUnprocessableEntity)
}
