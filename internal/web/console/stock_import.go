package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// importPlan is what a checked file would do.
type importPlan struct {
	Form                      *page.Form // which imports the file
	Content                   string     // of the file, which the form carries
	Created, Changed, Opening int        // numbers of products; Opening is of those with opening stock
	Unchanged                 int
	Rows                      []plannedRow
	More                      int           // lines that are not shown
	Problem                   *page.Message // why the file was not imported; may be nil
}

// plannedRow is a line that adds or changes a product.
type plannedRow struct {
	Line    int
	Name    string
	Path    string // of the product's page; empty for a new one
	Changes []plannedChange
}

// plannedChange is a field of a product before and after an import.
type plannedChange struct{ Label, Before, After string }

// maxPlanShown is the number of lines that the page shows of a plan.
const maxPlanShown = 200

// showPlan shows what a file would do, with the form that imports it.
func (r *storeroom) showPlan(v *importView, content string, status int) (int, []byte, error) {
	plan, err := r.pages.config.Stock.PlanImport(r.Context(), r.PartnerID, []byte(content))
	if err != nil {
		return r.refuseImport(v, err)
	}
	if v.Plan == nil {
		v.Plan = &importPlan{}
	}
	p := v.Plan
	if p.Form, err = r.form(r.Path("/import/book"), versionOfPlan(plan)); err != nil {
		return 0, nil, err
	}
	p.Content, p.Unchanged = content, plan.Unchanged
	for _, line := range plan.Lines {
		if line.New() {
			p.Created++
		} else {
			p.Changed++
		}
		if line.OpeningQuantity > 0 {
			p.Opening++
		}
	}
	known, err := r.locations()
	if err != nil {
		return 0, nil, err
	}
	p.More = max(0, len(plan.Lines)-maxPlanShown)
	for _, line := range plan.Lines[:len(plan.Lines)-p.More] {
		p.Rows = append(p.Rows, r.plannedRow(line, known))
	}
	return r.showImport(v, status)
}

// labels are the phrases for the fields of a product.
var labels = map[string]string{
	"name": "stock.name", "price": "warehouse.product.price", "stock_min": "stock.minimum", "stock_max": "stock.maximum",
	"barcode": "stock.barcode", "sku": "stock.sku", "status": "stock.state",
}

// states are the phrases for the states of a product.
var states = map[string]string{
	string(delivery.ProductActive): "warehouse.product.active", string(delivery.ProductInactive): "stock.is.inactive",
}

// plannedRow returns a line as the page shows it. A location that is not one of the known ones is marked as new.
func (r *storeroom) plannedRow(line stock.PlannedLine, known []string) plannedRow {
	row := plannedRow{Line: line.Line, Name: line.After.Name}
	before, after := map[string]string{
		"name": row.Name, "stock_min": "0", "stock_max": "0", "status": string(delivery.ProductActive),
	}, valuesOf(line.After)
	if !line.New() {
		before, row.Path = valuesOf(line.Before), r.ProductPath(line.After.ProductID)
	}
	for _, field := range productFields {
		was, is := before[field], after[field]
		if was == is {
			continue
		}
		if field == "status" {
			was, is = r.Text(states[was]), r.Text(states[is])
		}
		if field == "price" {
			was = r.Language.Money(line.Before.PriceCents, delivery.CAD)
			is = r.Language.Money(line.After.PriceCents, delivery.CAD)
		}
		if line.New() {
			was = ""
		}
		row.Changes = append(row.Changes, plannedChange{r.Text(labels[field]), was, is})
	}
	if line.OpeningQuantity > 0 {
		key := "warehouse.import.opening.at"
		if len(known) > 0 && !slices.Contains(known, line.OpeningLocation) {
			key = "warehouse.import.opening.new"
		}
		opening := r.Text(key, "n", r.Language.Number(int(line.OpeningQuantity)), "location",
			line.OpeningLocation)
		row.Changes = append(row.Changes, plannedChange{Label: r.Text("warehouse.import.opening"), After: opening})
	}
	return row
}

// versionOfPlan differs when a file would do something else.
func versionOfPlan(p *stock.Plan) int64 {
	values := append(make([]string, 0, 1+len(p.Lines)), strconv.Itoa(p.Unchanged))
	for _, line := range p.Lines {
		values = append(values, fmt.Sprint(line.Line, line.After.ProductID, versionOfProduct(line.Before),
			versionOfProduct(line.After), line.OpeningQuantity, line.OpeningLocation))
	}
	return page.VersionOf(values...)
}

// importProducts adds and changes products by the file that was checked, if it still does
// what the reader was shown.
func (pages *Pages) importProducts(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	content := sent.Values.Get("content")
	request := once(of, sent, content, func(done stock.Imported) ([]byte, error) {
		return strictjson.Marshal(done)
	})
	answer, err := pages.config.Stock.ImportFrom(s.Context(), request, page.Basis(sent, versionOfPlan), []byte(content))
	if err != nil {
		return pages.showImportAgain(s, content, err)
	}
	var done stock.Imported
	if err := strictjson.Unmarshal(answer.Body, &done); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(of.Path(""), page.Flash{Key: "warehouse.imported", Arguments: []string{
		"created", s.Language.Number(done.Created), "changed", s.Language.Number(done.Changed), "unchanged",
		s.Language.Number(done.Unchanged),
	}})
}

// showImportAgain shows why a file that was checked has not been imported: what it would do
// now, or which lines have faults now.
func (pages *Pages) showImportAgain(s *sheet, content string, refused error) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	of.sheet = s.on(of.Path("/import"))
	v := &importView{}
	if v.Form, err = s.form(of.Path("/import"), 0); err != nil {
		return 0, nil, err
	}
	if !errors.Is(refused, form.ErrStale) {
		return of.refuseImport(v, refused)
	}
	v.Plan = &importPlan{Problem: &page.Message{Text: s.Text("warehouse.import.stale"), Danger: true}}
	return of.showPlan(v, content, http.StatusConflict)
}
