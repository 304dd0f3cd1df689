package portal

import (
	"strconv"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/inventory"
	"github.com/dropyard/dropyard/internal/web/page"
)

const movementsPath = "/portal/stock/movements"

func (pages *Pages) stockRoutes() []web.Route {
	return []web.Route{
		pages.get("/stock", partner.PermissionStockRead, (*Pages).stock),
		pages.get("/stock/movements", partner.PermissionStockRead, (*Pages).movements),
	}
}

// shelf returns the stock of the account as the page at a path shows it.
func (s *sheet) shelf(path string) *inventory.View {
	return &inventory.View{
		Sheet: s.Sheet, Stock: s.pages.config.Stock, PartnerID: s.Account, Path: path, Link: s.Link,
		ProductPath: func(productID int64) string {
			return s.Link(movementsPath, "product_id", strconv.FormatInt(productID, 10))
		},
		OrderPath: func(orderID string) string { return s.Link("/portal/orders/" + orderID) },
		Numbers: func(ids []string) (map[string]string, error) {
			return s.pages.config.Orders.Numbers(s.Context(), s.Account, ids)
		},
	}
}

// stockView is what the list of products shows.
type stockView struct {
	*sheet
	Products *inventory.Products
}

// stock shows the products that are held for a partner, by their ids. Only operators
// change them.
func (pages *Pages) stock(s *sheet) (int, []byte, error) {
	found, err := s.shelf("/portal/stock").Products()
	if err != nil {
		return 0, nil, err
	}
	return s.show(leaf{template: "portal-stock", title: s.Text("portal.stock"), data: stockView{s, found}})
}

// movementsView is what the journal of stock shows.
type movementsView struct {
	*sheet
	Journal *inventory.Movements
}

// movements shows what has changed a partner's stock, newest first.
func (pages *Pages) movements(s *sheet) (int, []byte, error) {
	found, err := s.shelf(movementsPath).Movements()
	if err != nil {
		return 0, nil, err
	}
	title, back := s.Text("movements"), page.Link{Text: s.Text("portal.stock"), Path: s.Link("/portal/stock")}
	return s.show(leaf{template: "portal-movements", title: title, back: &back, data: movementsView{s, found}})
}
