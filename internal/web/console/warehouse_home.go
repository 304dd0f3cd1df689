package console

import (
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// warehousePath is where the warehouse begins.
const warehousePath = "/console/warehouse"

// homeView is what the first page of the warehouse shows.
type homeView struct {
	*sheet
	ToPick  string // how many orders
	Receive page.Link
	Low     string      // how many products
	Restock []restocked // by partner
	More    bool        // there are other products that are low
}

// restocked is what a partner's stock lacks.
type restocked struct {
	*storeroom
	Rows []lowRow
}

// lowAtHome is how many products the first page counts and lists.
const lowAtHome = 200

// warehouseHome shows what is to pick today, where goods are received, and what is to be restocked, by
// partner.
func (pages *Pages) warehouseHome(s *sheet) (int, []byte, error) {
	count, err := pages.config.Dispatch.CountToPick(s.Context(), pages.endOfToday())
	if err != nil {
		return 0, nil, err
	}
	v := homeView{sheet: s, ToPick: s.Language.Number(int(count)), Receive: s.receiveLink()}
	low, more, err := pages.config.Stock.LowStock(s.Context(), stock.PartnerProduct{}, lowAtHome)
	if err != nil {
		return 0, nil, err
	}
	v.More = more
	if v.Low = s.Language.Number(len(low)); more {
		v.Low += "+"
	}
	rows := s.warehouseView()
	for _, one := range low {
		row, err := rows.lowRow(one)
		if err != nil {
			return 0, nil, err
		}
		at := slices.IndexFunc(v.Restock, func(r restocked) bool { return r.PartnerID == one.PartnerID })
		if at < 0 {
			at = len(v.Restock)
			v.Restock = append(v.Restock, restocked{storeroom: &storeroom{s, one.PartnerID, row.PartnerName}})
		}
		v.Restock[at].Rows = append(v.Restock[at].Rows, row)
	}
	return s.show(leaf{template: "warehouse-home", title: s.Text("warehouse.home"), data: &v})
}

// receiveLink returns where goods are received: for the partner that was looked at last, or at the list of
// partners.
func (s *sheet) receiveLink() page.Link {
	if cookie, err := s.Request.Cookie(lastPartner); err == nil && form.IsText(cookie.Value) {
		if last, err := s.storeroomOf(cookie.Value); err == nil {
			return page.Link{Text: last.Name, Path: last.Path("/book")}
		}
	}
	return page.Link{Text: s.Text("warehouse.home.choose"), Path: stockPath + "#partners"}
}
