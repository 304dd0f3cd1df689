package portal

import (
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// movementsOnPage is the number of movements on a page of the journal.
const movementsOnPage = 50

// movementsView is what the journal of stock shows.
type movementsView struct {
	*sheet
	// Product is the one whose movements are shown, with its Levels; nil for all.
	Product   *delivery.Product
	Levels    []delivery.Level
	Type      delivery.MovementType // empty for all
	Chips     []page.Link
	Movements []movementRow
	Shown     string // how many movements, and which
	Pages     page.Pages
}

// movements shows what has changed a partner's stock, newest first.
func (room *Room) movements(s *sheet) (int, []byte, error) {
	v := movementsView{sheet: s}
	if err := v.choose(); err != nil {
		return 0, nil, err
	}
	before, _ := strconv.ParseInt(s.parameter("cursor"), 10, 64)
	filter := stock.MovementFilter{PartnerID: s.Account, Type: v.Type, Before: max(0, before), Limit: movementsOnPage + 1}
	if v.Product != nil {
		filter.ProductID = v.Product.ProductID
	}
	found, err := room.config.Stock.Movements(s.Context(), filter)
	if err != nil {
		return 0, nil, err
	}
	found, next := paging.Cut(found, movementsOnPage, func(m delivery.Movement) int64 { return m.MovementID })
	for _, m := range found {
		v.Movements = append(v.Movements, movementRow{m, s.Language})
	}
	v.setPages(filter.Before, next)
	title, back := s.Text("portal.movements"), page.Link{Text: s.Text("portal.stock"), Path: s.Link("/portal/stock")}
	return s.show(leaf{template: "portal-movements", title: title, back: &back, data: &v})
}

// choose reads which movements are asked for. The error is not_found if the partner has
// no such product.
func (v *movementsView) choose() error {
	if kind := delivery.MovementType(v.parameter("type")); slices.Contains(delivery.MovementTypes, kind) {
		v.Type = kind
	}
	if asked := v.parameter("product_id"); asked != "" {
		productID, _ := strconv.ParseInt(asked, 10, 64)
		product, levels, err := v.room.config.Stock.Product(v.Context(), v.Account, productID)
		if err != nil {
			return err
		}
		v.Product, v.Levels = &product, levels
	}
	v.Chips = []page.Link{{Text: v.Text("portal.movements.all"), Path: v.to("", ""), Current: v.Type == ""}}
	for _, kind := range delivery.MovementTypes {
		v.Chips = append(v.Chips, page.Link{Text: v.Text("movement." + string(kind)), Path: v.to(kind, ""), Current: v.Type == kind})
	}
	return nil
}

// to returns the address of the journal of the same product.
func (v *movementsView) to(kind delivery.MovementType, cursor string) string {
	product := ""
	if v.Product != nil {
		product = strconv.FormatInt(v.Product.ProductID, 10)
	}
	return v.Link("/portal/stock/movements", "product_id", product, "type", string(kind), "cursor", cursor)
}

// setPages sets what the journal says about its pages. A cursor of 0 is none.
func (v *movementsView) setPages(before, next int64) {
	key := "portal.movements.shown"
	if next != 0 {
		key = "portal.movements.shown.more"
		v.Pages.Next = v.to(v.Type, strconv.FormatInt(next, 10))
	}
	if before != 0 {
		key = "portal.movements.shown.older"
		v.Pages.First = v.to(v.Type, "")
	}
	v.Shown = v.Language.Count(key, len(v.Movements))
}

// movementRow is a movement as the journal shows it.
type movementRow struct {
	delivery.Movement
	language page.Language
}

// Signed returns what the movement added to the stock, with its sign.
func (m movementRow) Signed() string { return m.language.Signed(m.Change()) }
