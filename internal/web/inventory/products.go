// Package inventory is what the pages of partners and those of operators share about stock:
// the list of a partner's products, and the journal of their movements.
package inventory

import (
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// View is the stock of a partner as a page shows it.
type View struct {
	page.Sheet
	Stock     *stock.Service
	PartnerID string
	Path      string // of the page
	// Link returns the address of a page with parameters, given as pairs of name and value.
	Link func(path string, parameters ...string) string
	// ProductPath returns the address of the page of a product, and OrderPath that of an
	// order; OrderPath is nil where orders have no page for the reader.
	ProductPath func(productID int64) string
	OrderPath   func(orderID string) string
	// Numbers returns the partner's own numbers of orders, by their ids.
	Numbers func(orderIDs []string) (map[string]string, error)
	Notes   bool // the notes of movements are shown
}

// parameter returns a parameter of the page's address.
func (v *View) parameter(name string) string {
	return strings.TrimSpace(v.Request.URL.Query().Get(name))
}

// Every returns the address of the page without any filter.
func (v *View) Every() string { return v.Link(v.Path) }

// onPage is the number of rows on a page of a list.
const onPage = 50

// Products is a page of a partner's products.
type Products struct {
	*View
	Search string
	Low    string // "yes" if the list shows only products that are low
	Status delivery.ProductStatus
	Chips  []page.Link
	Rows   []Product
	Shown  string // which products of how many
	Pages  page.Pages
	// Narrowed is set if the list does not show all products, so that there may be others.
	Narrowed bool
}

// Products returns the products that the page's address asks for, by their ids.
func (v *View) Products() (*Products, error) {
	p := &Products{View: v, Search: v.parameter("search")}
	filter := stock.ProductFilter{PartnerID: v.PartnerID, Search: p.Search, Limit: onPage}
	switch {
	case v.parameter("low") == "yes":
		p.Low, filter.LowStock, filter.Status = "yes", true, delivery.ProductActive
	case v.parameter("status") == string(delivery.ProductInactive):
		p.Status, filter.Status = delivery.ProductInactive, delivery.ProductInactive
	}
	total, err := p.count()
	if err != nil {
		return nil, err
	}
	number := pageNumber(v.parameter("page"), total)
	filter.Offset = (number - 1) * onPage
	found, _, err := v.Stock.Products(v.Context(), filter)
	if err != nil {
		return nil, err
	}
	for _, product := range found {
		p.Rows = append(p.Rows, Product{product, v.ProductPath(product.ProductID)})
	}
	p.Narrowed = p.Search != "" || p.Low != "" || p.Status != ""
	p.setPages(number, total)
	return p, nil
}

// count adds the chips with the number of products behind each of them, and returns the
// number behind the current one.
func (p *Products) count() (total int64, err error) {
	for _, chip := range []struct {
		key, low string
		status   delivery.ProductStatus
		filter   stock.ProductFilter
	}{
		{"stock.all", "", "", stock.ProductFilter{}},
		{"stock.low", "yes", "", stock.ProductFilter{LowStock: true, Status: delivery.ProductActive}},
		{"stock.inactive", "", delivery.ProductInactive, stock.ProductFilter{Status: delivery.ProductInactive}},
	} {
		chip.filter.PartnerID, chip.filter.Search = p.PartnerID, p.Search
		_, n, err := p.Stock.Products(p.Context(), chip.filter)
		if err != nil {
			return 0, err
		}
		current := chip.low == p.Low && chip.status == p.Status
		if current {
			total = n
		}
		p.Chips = append(p.Chips, page.Link{
			Text: p.Text(chip.key, "n", p.Language.Number(int(n))), Current: current,
			Path: p.Link(p.Path, "search", p.Search, "low", chip.low, "status", string(chip.status)),
		})
	}
	return total, nil
}

// pageNumber reads the number of a page. It returns the nearest one that there is.
func pageNumber(text string, total int64) int64 {
	number, _ := strconv.ParseInt(text, 10, 64)
	last := max(1, (total+onPage-1)/onPage)
	return max(1, min(number, last))
}

// setPages sets what the list says about its pages.
func (p *Products) setPages(number, total int64) {
	first, last := (number-1)*onPage+1, min(number*onPage, total)
	p.Shown = p.Language.Count("stock.shown", int(total))
	if total > onPage {
		p.Shown = p.Language.Count("stock.shown.part", int(total), "first", p.Language.Number(int(first)), "last",
			p.Language.Number(int(last)))
	}
	to := func(number int64) string {
		return p.Link(p.Path, "search", p.Search, "low", p.Low, "status", string(p.Status), "page",
			strconv.FormatInt(number, 10))
	}
	if number > 1 {
		p.Pages.Previous = to(number - 1)
	}
	if last < total {
		p.Pages.Next = to(number + 1)
	}
}

// Product is a product as a list shows it.
type Product struct {
	delivery.Product
	Path string // of its page
}

// State returns the key of the phrase that names the state of a product.
func (p Product) State() string {
	switch {
	case p.Status == delivery.ProductInactive:
		return "stock.is.inactive"
	case p.Quantity <= 0:
		return "stock.is.out"
	case p.LowStock():
		return "stock.is.low"
	default:
		return "stock.is.available"
	}
}

// Icon returns the icon of that state.
func (p Product) Icon() string {
	return map[string]string{"stock.is.inactive": "none", "stock.is.out": "empty", "stock.is.low": "low"}[p.State()]
}

// Tone returns the class that colours the state.
func (p Product) Tone() string {
	return map[string]string{"stock.is.inactive": "off", "stock.is.out": "danger", "stock.is.low": "warn"}[p.State()]
}
