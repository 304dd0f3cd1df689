package portal

import (
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

func (room *Room) stockRoutes() []visit.Route {
	return []visit.Route{
		room.get("/stock", partner.PermissionStockRead, (*Room).stock),
		room.get("/stock/movements", partner.PermissionStockRead, (*Room).movements),
	}
}

// productsOnPage is the number of products on a page of the list.
const productsOnPage = 50

// stockView is what the list of products shows.
type stockView struct {
	*sheet
	Search   string
	Low      string // "yes" if the list shows only products that are low
	Status   delivery.ProductStatus
	Chips    []page.Link
	Products []stockRow
	Shown    string // which products of how many
	Pages    page.Pages
	// Narrowed is set if the list does not show all products, so that there may be others.
	Narrowed bool
}

// stock shows the products that are held for a partner, by their ids. Only operators
// change them.
func (room *Room) stock(s *sheet) (int, []byte, error) {
	v := stockView{sheet: s, Search: s.parameter("search")}
	filter := stock.ProductFilter{PartnerID: s.Account, Search: v.Search, Limit: productsOnPage}
	switch {
	case s.parameter("low") == "yes":
		v.Low, filter.LowStock, filter.Status = "yes", true, delivery.ProductActive
	case s.parameter("status") == string(delivery.ProductInactive):
		v.Status, filter.Status = delivery.ProductInactive, delivery.ProductInactive
	}
	total, err := v.count()
	if err != nil {
		return 0, nil, err
	}
	number := pageNumber(s.parameter("page"), total)
	filter.Offset = (number - 1) * productsOnPage
	found, _, err := room.config.Stock.Products(s.Context(), filter)
	if err != nil {
		return 0, nil, err
	}
	for _, product := range found {
		v.Products = append(v.Products, stockRow{product})
	}
	v.Narrowed = v.Search != "" || v.Low != "" || v.Status != ""
	v.setPages(number, total)
	return s.show(leaf{template: "portal-stock", title: s.Text("portal.stock"), data: &v})
}

// count adds the chips with the number of products behind each of them, and returns the
// number behind the current one.
func (v *stockView) count() (total int64, err error) {
	for _, chip := range []struct {
		key, low string
		status   delivery.ProductStatus
		filter   stock.ProductFilter
	}{
		{"portal.stock.all", "", "", stock.ProductFilter{}},
		{"portal.stock.low", "yes", "", stock.ProductFilter{LowStock: true, Status: delivery.ProductActive}},
		{"portal.stock.inactive", "", delivery.ProductInactive, stock.ProductFilter{Status: delivery.ProductInactive}},
	} {
		chip.filter.PartnerID, chip.filter.Search = v.Account, v.Search
		_, n, err := v.room.config.Stock.Products(v.Context(), chip.filter)
		if err != nil {
			return 0, err
		}
		current := chip.low == v.Low && chip.status == v.Status
		if current {
			total = n
		}
		v.Chips = append(v.Chips, page.Link{
			Text: v.Text(chip.key, "n", v.Language.Number(int(n))), Current: current,
			Path: v.Link("/portal/stock", "search", v.Search, "low", chip.low, "status", string(chip.status)),
		})
	}
	return total, nil
}

// pageNumber reads the number of a page. It returns the nearest one that there is.
func pageNumber(text string, total int64) int64 {
	number, _ := strconv.ParseInt(text, 10, 64)
	last := max(1, (total+productsOnPage-1)/productsOnPage)
	return max(1, min(number, last))
}

// setPages sets what the list says about its pages.
func (v *stockView) setPages(number, total int64) {
	first, last := (number-1)*productsOnPage+1, min(number*productsOnPage, total)
	v.Shown = v.Language.Count("portal.stock.shown", int(total))
	if total > productsOnPage {
		v.Shown = v.Language.Count("portal.stock.shown.part", int(total), "first", v.Language.Number(int(first)), "last", v.Language.Number(int(last)))
	}
	to := func(number int64) string {
		return v.Link("/portal/stock", "search", v.Search, "low", v.Low, "status", string(v.Status), "page", strconv.FormatInt(number, 10))
	}
	if number > 1 {
		v.Pages.Previous = to(number - 1)
	}
	if last < total {
		v.Pages.Next = to(number + 1)
	}
}

// stockRow is a product as the list shows it.
type stockRow struct{ delivery.Product }

// State returns the key of the phrase that names the state of a product.
func (p stockRow) State() string {
	switch {
	case p.Status == delivery.ProductInactive:
		return "portal.stock.is.inactive"
	case p.Quantity <= 0:
		return "portal.stock.is.out"
	case p.LowStock():
		return "portal.stock.is.low"
	default:
		return "portal.stock.is.available"
	}
}

// Icon returns the icon of that state.
func (p stockRow) Icon() string {
	return map[string]string{"portal.stock.is.inactive": "none", "portal.stock.is.out": "empty", "portal.stock.is.low": "low"}[p.State()]
}

// Tone returns the class that colours the state.
func (p stockRow) Tone() string {
	return map[string]string{"portal.stock.is.inactive": "off", "portal.stock.is.out": "danger", "portal.stock.is.low": "warn"}[p.State()]
}
