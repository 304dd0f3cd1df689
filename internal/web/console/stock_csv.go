package console

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// exportProducts sends the partner's products as CSV.
func (room *Room) exportProducts(s *sheet) (int, []byte, error) {
	pages, err := room.config.Stock.Export(s.Context(), s.ID("partner_id"))
	if err != nil {
		return 0, nil, err
	}
	var file bytes.Buffer
	if err := pages(&file); err != nil {
		return 0, nil, err
	}
	s.Header.Set("Content-Type", "text/csv; charset=utf-8")
	s.Header.Set("Content-Disposition", `attachment; filename="products.csv"`)
	s.Header.Set("Cache-Control", "no-store")
	return http.StatusOK, file.Bytes(), nil
}

// importView is what the page that imports products shows.
type importView struct {
	*storeroom
	Form   *page.Form
	Lines  []lineFault
	Shown  string // how many faults, and which of them
	Fault  string // what is wrong with the whole file
	Column []string
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

func (room *Room) importForm(s *sheet) (int, []byte, error) {
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

// importProducts adds and changes products by a file. If lines have faults, it shows all
// of them, and nothing has been changed.
func (room *Room) importProducts(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	sent, err := page.ReadForm(s.Visit)
	if err != nil {
		return 0, nil, err
	}
	v := &importView{Form: sent}
	content, err := s.File("file")
	if err != nil {
		return 0, nil, err
	}
	if len(content) == 0 || !form.IsText(string(content)) {
		v.Fault = s.Text(map[bool]string{true: "warehouse.import.choose", false: "warehouse.import.text"}[len(content) == 0])
		return of.showImport(v, http.StatusUnprocessableEntity)
	}
	answer, err := room.config.Stock.Import(s.Context(), of.once(sent, content))
	if err != nil {
		return of.refuseImport(v, err)
	}
	var done stock.Imported
	if err := strictjson.Unmarshal(answer.Body, &done); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(of.Path(""), page.Flash{Key: "warehouse.imported", Arguments: []string{
		"created", s.Language.Number(done.Created), "changed", s.Language.Number(done.Changed), "unchanged", s.Language.Number(done.Unchanged),
	}})
}

// onLine fits the field of a problem of an import.
var onLine = regexp.MustCompile(`^lines\[([0-9]+)\](?:\.(.+))?$`)

// refuseImport shows what is wrong with a file, by line.
func (r *storeroom) refuseImport(v *importView, refused error) (int, []byte, error) {
	problems, columns := form.ProblemsOf(refused), stock.ImportColumns()
	switch {
	case refusal.HasCode(refused, refusal.CodeBadRequest):
		_, why, _ := strings.Cut(refused.Error(), "not CSV: ")
		v.Fault = r.Text("warehouse.import.malformed", "why", why)
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
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(slices.Index(columns, a.Column), slices.Index(columns, b.Column)))
	})
	v.Lines = v.Lines[:min(len(v.Lines), maxFaultsShown)]
	v.Shown = r.Language.Count("warehouse.import.faults", len(problems))
	if len(problems) > maxFaultsShown {
		v.Shown = r.Text("warehouse.import.faults.first", "shown", r.Language.Number(maxFaultsShown), "all", r.Language.Number(len(problems)))
	}
	return r.showImport(v, http.StatusUnprocessableEntity)
}
