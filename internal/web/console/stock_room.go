package console

import (
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/web/inventory"
	"github.com/dropyard/dropyard/internal/web/page"
)

// lastPartner is the cookie with the id of the partner whose stock was looked at last.
const lastPartner = "stock_partner"

// storeroom is the stock of a partner as its pages show it.
type storeroom struct {
	*sheet
	PartnerID, Name string
}

// storeroom returns the stock of the partner that the path names. The error may be
// not_found.
func (s *sheet) storeroom() (*storeroom, error) {
	found, err := s.storeroomOf(s.ID("partner_id"))
	if err == nil && s.Request.Method == http.MethodGet {
		s.Site.Remember(s.Header, lastPartner, found.PartnerID, stockPath)
	}
	return found, err
}

func (s *sheet) storeroomOf(partnerID string) (*storeroom, error) {
	found, err := s.pages.config.Partners.Overview(s.Context(), partnerID)
	if err != nil {
		return nil, err
	}
	return &storeroom{s, found.PartnerID, found.Name}, nil
}

// Path returns the address of a page of the partner's stock.
func (r *storeroom) Path(page string) string { return stockPath + "/" + r.PartnerID + page }

// ProductPath returns the address of the page of a product.
func (r *storeroom) ProductPath(productID int64) string {
	return r.Path("/products/" + strconv.FormatInt(productID, 10))
}

// BookPath returns the address of the form that books a movement of a product.
func (r *storeroom) BookPath(kind delivery.MovementType, productID int64) string {
	return r.Link(r.Path("/book"), "type", string(kind), "product", strconv.FormatInt(productID, 10))
}

// shelf returns the partner's stock as a page shows it.
func (r *storeroom) shelf(page string) *inventory.View {
	view := &inventory.View{
		Sheet: r.Sheet, Stock: r.pages.config.Stock, PartnerID: r.PartnerID, Path: r.Path(page), Link: r.Link,
		ProductPath: r.ProductPath, Notes: true,
		Numbers: func(ids []string) (map[string]string, error) {
			return r.pages.config.Orders.Numbers(r.Context(), r.PartnerID, ids)
		},
	}
	if r.MayDispatch() {
		view.OrderPath = func(orderID string) string { return "/console/orders/" + orderID }
	}
	return view
}

// Ways returns the pages of the partner's stock.
func (r *storeroom) Ways() (links []page.Link) {
	ways := []struct{ key, path string }{
		{"warehouse.products", ""}, {
			"warehouse.count", "/count",
		}, {"warehouse.book", "/book"}, {"movements", "/movements"}, {"warehouse.import", "/import"},
	}
	paths := make([]string, len(ways))
	for i, way := range ways {
		paths[i] = r.Path(way.path)
		links = append(links, page.Link{Text: r.Text(way.key), Path: paths[i]})
	}
	current := page.Nearest(r.Request.URL.Path, paths...)
	for i := range links {
		links[i].Current = links[i].Path == current
	}
	return links
}

// show shows a page of the partner's stock under the partner's name.
func (r *storeroom) show(l leaf) (int, []byte, error) {
	l.back = &page.Link{Text: r.Text("console.stock"), Path: stockPath}
	if l.title == "" {
		l.title = r.Name
	} else {
		l.title += " · " + r.Name
	}
	return r.sheet.show(l)
}
