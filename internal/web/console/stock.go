package console

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/inventory"
	"github.com/dropyard/dropyard/internal/web/page"
)

const stockPath = "/console/stock"

func (pages *Pages) stockRoutes() []web.Route {
	book := large(pages.post("/stock/{partner_id}/import/book", warehousing, (*Pages).importProducts))
	book.Long = true
	return []web.Route{
		pages.get("/stock", warehousing, (*Pages).stock),
		pages.get("/stock/{partner_id}", warehousing, (*Pages).products),
		pages.get("/stock/{partner_id}/new", warehousing, (*Pages).newProduct),
		pages.post("/stock/{partner_id}/new", warehousing, (*Pages).createProduct),
		pages.get("/stock/{partner_id}/products/{product_id}", warehousing, (*Pages).product),
		pages.post("/stock/{partner_id}/products/{product_id}", warehousing, (*Pages).changeProduct),
		large(pages.get("/stock/{partner_id}/products.csv", warehousing, (*Pages).exportProducts)),
		pages.get("/stock/{partner_id}/import", warehousing, (*Pages).importForm),
		asking(large(pages.post("/stock/{partner_id}/import", warehousing, (*Pages).checkImport))),
		book,
	}
}

func (pages *Pages) movementRoutes() []web.Route {
	return []web.Route{
		pages.get("/stock/{partner_id}/movements", warehousing, (*Pages).movements),
		large(pages.get("/stock/{partner_id}/movements.csv", warehousing, (*Pages).exportMovements)),
		pages.get("/stock/{partner_id}/book", warehousing, (*Pages).bookForm),
		pages.post("/stock/{partner_id}/book", warehousing, (*Pages).book),
		pages.get("/stock/{partner_id}/count", warehousing, (*Pages).countForm),
		asking(pages.post("/stock/{partner_id}/count", warehousing, (*Pages).count)),
		pages.get("/stock/{partner_id}/count/lines", warehousing, (*Pages).countLines),
		pages.post("/stock/{partner_id}/count/book", warehousing, (*Pages).bookCount),
	}
}

// large returns the route of a page that takes or sends all products of a partner.
func large(r web.Route) web.Route {
	r.Heavy, r.LargeBody = true, r.Method == http.MethodPost
	return r
}

// asking returns the route of a form that changes nothing.
func asking(r web.Route) web.Route {
	r.ChangesNothing = true
	return r
}

// parameter returns a parameter of the page's address.
func (s *sheet) parameter(name string) string {
	return strings.TrimSpace(s.Request.URL.Query().Get(name))
}

// The numbers of rows on the first page of the warehouse.
const (
	lowOnPage        = 50
	partnersToChoose = 10
)

// warehouseView is what the first page of the warehouse shows.
type warehouseView struct {
	*sheet
	Low      []lowRow
	Shown    string // how many of them
	Pages    page.Pages
	Product  string   // what is searched for among the products of all partners
	Found    []lowRow // the first of those that were found
	Others   bool     // there are other ones
	Search   string
	Partners []partner.Listed
	More     bool       // there are other partners
	Last     *storeroom // the partner whose stock was looked at last; nil if there is none
	names    map[string]string
	promised map[string]dispatch.Promised // by partner
}

func (s *sheet) warehouseView() *warehouseView {
	return &warehouseView{
		sheet: s, Product: s.parameter("product"), Search: s.parameter("partner"), names: map[string]string{},
		promised: map[string]dispatch.Promised{},
	}
}

// lowRow is a product in a list of those of all partners.
type lowRow struct {
	inventory.Product
	PartnerName, PartnerPath, ReceivePath string
	Promised                              int64 // to orders, and not picked yet
	Missing                               int64 // up to the maximum
}

// stock finds products, shows which are low, of all partners, and lets people choose a partner. A search that
// finds one product leads to its page, so that the scan of a barcode does.
func (pages *Pages) stock(s *sheet) (int, []byte, error) {
	v := s.warehouseView()
	if err := v.find(); err != nil {
		return 0, nil, err
	}
	if len(v.Found) == 1 && !v.Others {
		return s.LeadTo(v.Found[0].Path, page.Flash{})
	}
	if err := v.list(); err != nil {
		return 0, nil, err
	}
	if err := v.low(); err != nil {
		return 0, nil, err
	}
	if cookie, err := s.Request.Cookie(lastPartner); err == nil && form.IsText(cookie.Value) {
		v.Last, _ = s.storeroomOf(cookie.Value) // the partner may be gone
	}
	return s.show(leaf{template: "console-stock", title: s.Text("console.stock"), data: v})
}

// find finds the products that have the text that was typed, or scanned, in their name, barcode or SKU.
func (v *warehouseView) find() error {
	found, more, err := v.pages.config.Stock.FindProducts(v.Context(), v.Product, lowOnPage)
	if err != nil {
		return err
	}
	v.Others = more
	v.Found, err = v.rows(found)
	return err
}

// rows returns products as the page lists them.
func (v *warehouseView) rows(products []stock.PartnerProduct) (rows []lowRow, err error) {
	for _, one := range products {
		row, err := v.lowRow(one)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// list finds partners by their names and ids.
func (v *warehouseView) list() error {
	found, err := v.pages.config.Partners.List(v.Context(),
		partner.ListFilter{Search: v.Search, NamesOnly: true, Limit: partnersToChoose})
	v.Partners, v.More = found.Partners, found.Next != ""
	return err
}

// low lists the products that are low, those after the one that the address names.
func (v *warehouseView) low() error {
	var after stock.PartnerProduct
	partnerID, productID, _ := strings.Cut(v.parameter("low"), ".")
	if id, err := strconv.ParseInt(productID, 10, 64); err == nil && form.IsText(partnerID) {
		after.PartnerID, after.ProductID = partnerID, id
	}
	low, more, err := v.pages.config.Stock.LowStock(v.Context(), after, lowOnPage)
	if err != nil {
		return err
	}
	if v.Low, err = v.rows(low); err != nil {
		return err
	}
	v.Shown = v.Language.Count("warehouse.low.shown", len(low))
	if more {
		last := low[len(low)-1]
		v.Shown = v.Language.Count("warehouse.low.shown.more", len(low))
		v.Pages.Next = v.Link(stockPath, "partner", v.Search, "low", last.PartnerID+"."+strconv.FormatInt(last.ProductID, 10))
	}
	if after.PartnerID != "" {
		v.Pages.First = v.Link(stockPath, "partner", v.Search)
	}
	return nil
}

func (v *warehouseView) lowRow(low stock.PartnerProduct) (lowRow, error) {
	name, known := v.names[low.PartnerID]
	if !known {
		found, err := v.pages.config.Partners.Overview(v.Context(), low.PartnerID)
		if err != nil {
			return lowRow{}, err
		}
		name = found.Name
		v.names[low.PartnerID] = name
		if v.promised[low.PartnerID], err = v.pages.config.Dispatch.Promised(v.Context(), low.PartnerID); err != nil {
			return lowRow{}, err
		}
	}
	of := storeroom{sheet: v.sheet, PartnerID: low.PartnerID}
	return lowRow{
		Product: inventory.Product{
			Product: low.Product, Path: of.ProductPath(low.ProductID),
		}, PartnerName: name, PartnerPath: of.Path(""),
		ReceivePath: of.BookPath(delivery.MovementIn, low.ProductID), Missing: max(0, low.StockMax-low.Quantity),
		Promised: v.promised[low.PartnerID].Of(low.ProductID),
	}, nil
}

// productsView is what the list of a partner's products shows.
type productsView struct {
	*storeroom
	Products *inventory.Products
	Promised dispatch.Promised
}

func (pages *Pages) products(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	found, err := of.shelf("").Products()
	if err != nil {
		return 0, nil, err
	}
	promised, err := pages.config.Dispatch.Promised(s.Context(), of.PartnerID)
	if err != nil {
		return 0, nil, err
	}
	action := page.Link{Text: s.Text("warehouse.new"), Path: of.Path("/new")}
	return of.show(leaf{template: "stock-products", data: productsView{of, found, promised}, action: &action})
}

// movementsView is what the journal of a partner's stock shows.
type movementsView struct {
	*storeroom
	Journal *inventory.Movements
}

func (pages *Pages) movements(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	found, err := of.shelf("/movements").Movements()
	if err != nil {
		return 0, nil, err
	}
	return of.show(leaf{template: "stock-movements", title: s.Text("movements"), data: movementsView{of, found}})
}
