package inventory

import (
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/paging"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Movements is a page of the journal of a partner's stock.
type Movements struct {
	*View
	// Product is the one whose movements are shown, with its Levels; nil for all.
	Product *delivery.Product
	Levels  []delivery.Level
	Type    delivery.MovementType // empty for all
	Chips   []page.Link
	Rows    []Movement
	Shown   string // how many movements, and which
	Pages   page.Pages
}

// Movements returns the movements that the page's address asks for, newest first. The
// error is not_found if the partner has no such product.
func (v *View) Movements() (*Movements, error) {
	m := &Movements{View: v}
	if err := m.choose(); err != nil {
		return nil, err
	}
	before, _ := strconv.ParseInt(v.parameter("cursor"), 10, 64)
	filter := stock.MovementFilter{PartnerID: v.PartnerID, Type: m.Type, Before: max(0, before), Limit: onPage + 1}
	if m.Product != nil {
		filter.ProductID = m.Product.ProductID
	}
	found, err := v.Stock.Movements(v.Context(), filter)
	if err != nil {
		return nil, err
	}
	found, next := paging.Cut(found, onPage, func(m delivery.Movement) int64 { return m.MovementID })
	m.setPages(filter.Before, next, len(found))
	m.Rows, err = v.rows(found)
	return m, err
}

// choose reads which movements are asked for.
func (m *Movements) choose() error {
	if kind := delivery.MovementType(m.parameter("type")); slices.Contains(delivery.MovementTypes, kind) {
		m.Type = kind
	}
	if asked := m.parameter("product_id"); asked != "" {
		productID, _ := strconv.ParseInt(asked, 10, 64)
		product, levels, err := m.Stock.Product(m.Context(), m.PartnerID, productID)
		if err != nil {
			return err
		}
		m.Product, m.Levels = &product, levels
	}
	m.Chips = []page.Link{{Text: m.Text("movements.all"), Path: m.to("", ""), Current: m.Type == ""}}
	for _, kind := range delivery.MovementTypes {
		m.Chips = append(m.Chips,
			page.Link{Text: m.Text("movement." + string(kind)), Path: m.to(kind, ""), Current: m.Type == kind})
	}
	return nil
}

// to returns the address of the journal of the same product.
func (m *Movements) to(kind delivery.MovementType, cursor string) string {
	product := ""
	if m.Product != nil {
		product = strconv.FormatInt(m.Product.ProductID, 10)
	}
	return m.Link(m.Path, "product_id", product, "type", string(kind), "cursor", cursor)
}

// setPages sets what the journal says about its pages. A cursor of 0 is none.
func (m *Movements) setPages(before, next int64, rows int) {
	key := "movements.shown"
	if next != 0 {
		key = "movements.shown.more"
		m.Pages.Next = m.to(m.Type, strconv.FormatInt(next, 10))
	}
	if before != 0 {
		key = "movements.shown.older"
		m.Pages.First = m.to(m.Type, "")
	}
	m.Shown = m.Language.Count(key, rows)
}

// Movement is a movement as a journal shows it.
type Movement struct {
	delivery.Movement
	Number                 string // the partner's own number of the order; empty if there is none
	ProductPath, OrderPath string // of their pages; OrderPath is empty if there is none
	language               page.Language
}

func (v *View) rows(found []delivery.Movement) ([]Movement, error) {
	numbers, err := v.numbers(found)
	rows := make([]Movement, len(found))
	for i, m := range found {
		rows[i] = Movement{m, numbers[m.OrderID], v.ProductPath(m.ProductID), "", v.Language}
		if m.OrderID != "" && v.OrderPath != nil {
			rows[i].OrderPath = v.OrderPath(m.OrderID)
		}
	}
	return rows, err
}

// numbers returns the partner's own numbers of the orders of movements, by the ids of the orders.
func (v *View) numbers(of []delivery.Movement) (map[string]string, error) {
	var ids []string
	for _, m := range of {
		if m.OrderID != "" {
			ids = append(ids, m.OrderID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return v.Numbers(ids)
}

// Signed returns what the movement added to the stock, with its sign.
func (m Movement) Signed() string { return m.language.Signed(m.Change()) }

// Latest returns the newest movements of a product.
func (v *View) Latest(product *delivery.Product, levels []delivery.Level, limit int) (*Movements, error) {
	m := &Movements{View: v, Product: product, Levels: levels}
	found, err := v.Stock.Movements(v.Context(),
		stock.MovementFilter{PartnerID: v.PartnerID, ProductID: product.ProductID, Limit: limit})
	if err == nil {
		m.Rows, err = v.rows(found)
	}
	return m, err
}
