package console

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/inventory"
	"github.com/dropyard/dropyard/internal/web/page"
)

// productFields are the fields of the form of a product.
var productFields = []string{"name", "price", "stock_min", "stock_max", "barcode", "sku", "status"}

// valuesOf returns what the form of a product holds.
func valuesOf(p delivery.Product) map[string]string {
	return map[string]string{
		"name": p.Name, "price": strconv.FormatFloat(float64(p.PriceCents)/100, 'f', 2,
			64), "stock_min": strconv.FormatInt(p.StockMin, 10),
		"stock_max": strconv.FormatInt(p.StockMax, 10), "barcode": p.Barcode, "sku": p.SKU, "status": string(p.Status),
	}
}

// versionOfProduct differs when the form shows another product.
func versionOfProduct(p delivery.Product) int64 {
	values := valuesOf(p)
	texts := make([]string, len(productFields))
	for i, field := range productFields {
		texts[i] = values[field]
	}
	return page.VersionOf(texts...)
}

// plainNumber replaces the signs that people write numbers with by those of JSON.
var plainNumber = strings.NewReplacer(",", ".", "\u2212", "-", "\u00a0", "", "\u202f", "", " ", "", "+", "")

// typedNumbers reads the fields of the warehouse's forms: numbers as people write them.
func typedNumbers(path, text string) string {
	text = strings.TrimSpace(text)
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "quantity", "price", "stock_min", "stock_max":
		if plain := plainNumber.Replace(text); form.IsNumber(plain) {
			return plain
		}
	}
	return text
}

// productView is what the page of a product, and that of a new one, shows.
type productView struct {
	*storeroom
	Form    *page.Form
	Held    inventory.Product // of a product that exists
	Levels  []productLevel
	Journal *inventory.Movements // its latest movements
	Fields  []page.Field
}

// productLevel is how much of a product lies at a location; in all if that is empty.
type productLevel struct {
	Location          string
	InStock, Promised int64
}

// Shelf returns how many units are on the shelf: those that can be ordered, and those that orders have taken and
// the warehouse has not picked yet.
func (l productLevel) Shelf() int64 { return l.InStock + l.Promised }

// levelsOf returns what lies at each location, after the sums.
func levelsOf(product delivery.Product, levels []delivery.Level, promised dispatch.Promised) []productLevel {
	all := make([]productLevel, 0, 1+len(levels))
	all = append(all, productLevel{InStock: product.Quantity, Promised: promised.Of(product.ProductID)})
	for _, level := range levels {
		all = append(all, productLevel{level.Location, level.Quantity, promised[product.ProductID][level.Location]})
	}
	return all
}

// fields returns the fields of the form.
func (v *productView) fields() []page.Field {
	field := func(name, label, kind, mode string, required bool) page.Field {
		return page.Field{
			Name: name, Type: kind, InputMode: mode, Label: v.Text(label), Autocomplete: "off", Required: required,
		}
	}
	fields := []page.Field{
		field("name", "stock.name", "text", "", true), field("barcode", "stock.barcode", "text", "", false),
		field("sku", "stock.sku", "text", "", false),
		field("price", "warehouse.product.price", "text", "decimal", true),
		field("stock_min", "stock.minimum", "text", "numeric",
			false), field("stock_max", "stock.maximum", "text", "numeric", false),
		field("status", "stock.state", "select", "", false),
	}
	fields[4].Hint, fields[5].Hint = v.Text("warehouse.product.stock_min.hint"), v.Text("warehouse.product.stock_max.hint")
	fields[6].Options = []page.Option{
		{Value: string(delivery.ProductActive), Label: v.Text("warehouse.product.active")},
		{Value: string(delivery.ProductInactive), Label: v.Text("stock.is.inactive")},
	}
	for i := range fields {
		fields[i] = v.Form.With(fields[i])
	}
	return fields
}

func (pages *Pages) newProduct(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	form, err := s.form(of.Path("/new"), 0)
	if err != nil {
		return 0, nil, err
	}
	form.Values.Set("barcode", s.parameter("barcode"))
	return of.showNew(form, http.StatusOK)
}

func (r *storeroom) showNew(form *page.Form, status int) (int, []byte, error) {
	v := &productView{storeroom: r, Form: form}
	v.Fields = v.fields()
	return r.show(leaf{template: "stock-new", title: r.Text("warehouse.new"), data: v, status: status})
}

func (pages *Pages) createProduct(s *sheet) (int, []byte, error) {
	of, err := s.storeroom()
	if err != nil {
		return 0, nil, err
	}
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	product, err := form.Decode(sent.Typed(typedNumbers), stock.ReadProduct)
	if err == nil {
		product, err = pages.config.Stock.CreateProduct(s.Context(), of.PartnerID, product)
		err = skuFault(err, product.SKU)
	}
	if err == nil {
		return s.LeadTo(of.ProductPath(product.ProductID), page.Flash{Key: "warehouse.added"})
	}
	if !sent.Refuse(err, s.Language) {
		return 0, nil, err
	}
	return of.showNew(sent, http.StatusUnprocessableEntity)
}

// skuFault returns the refusal of a sku that another product has as a fault of its field.
func skuFault(err error, sku string) error {
	if refusal.HasCode(err, delivery.CodeSKUTaken) {
		return form.Fault("sku", sku, stock.SKUOfOther)
	}
	return err
}

// latestMovements is the number of movements on the page of a product.
const latestMovements = 10

// productOf returns the product that the path names, as its page shows it, without a
// form. The error may be not_found.
func (s *sheet) productOf() (*productView, error) {
	of, err := s.storeroom()
	if err != nil {
		return nil, err
	}
	id, _ := strconv.ParseInt(s.ID("product_id"), 10, 64)
	product, levels, err := s.pages.config.Stock.Product(s.Context(), of.PartnerID, id)
	if err != nil {
		return nil, err
	}
	promised, err := s.pages.config.Dispatch.Promised(s.Context(), of.PartnerID)
	if err != nil {
		return nil, err
	}
	v := &productView{
		storeroom: of, Held: inventory.Product{Product: product, Path: of.ProductPath(id)},
		Levels: levelsOf(product, levels, promised),
	}
	v.Journal, err = of.shelf("/movements").Latest(&product, levels, latestMovements)
	return v, err
}

// All returns the address of the product's whole journal.
func (v *productView) All() string {
	return v.Link(v.Path("/movements"), "product_id", strconv.FormatInt(v.Held.ProductID, 10))
}

func (v *productView) show(status int) (int, []byte, error) {
	v.Fields = v.fields()
	return v.storeroom.show(leaf{template: "stock-product", title: v.Held.Name, data: v, status: status})
}

func (pages *Pages) product(s *sheet) (int, []byte, error) {
	v, err := s.productOf()
	if err != nil {
		return 0, nil, err
	}
	if v.Form, err = s.form(v.Held.Path, versionOfProduct(v.Held.Product)); err != nil {
		return 0, nil, err
	}
	for field, value := range valuesOf(v.Held.Product) {
		v.Form.Values.Set(field, value)
	}
	return v.show(http.StatusOK)
}

// changeProduct changes what differs from the product as it was when the form was shown.
func (pages *Pages) changeProduct(s *sheet) (int, []byte, error) {
	v, err := s.productOf()
	if err != nil {
		return 0, nil, err
	}
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	changed := url.Values{}
	for field, was := range valuesOf(v.Held.Product) {
		if text := strings.TrimSpace(sent.Values.Get(field)); text != was {
			changed.Set(field, text)
		}
	}
	change, err := form.Decode(form.FromChanges(changed, typedNumbers), stock.ReadProductChange)
	if err == nil {
		_, err = pages.config.Stock.ChangeProductFrom(s.Context(), v.PartnerID, v.Held.ProductID,
			page.Basis(sent, versionOfProduct), change)
		err = skuFault(err, changed.Get("sku"))
	}
	switch {
	case err == nil:
		return s.LeadTo(v.Held.Path, page.Flash{Key: "warehouse.changed"})
	case errors.Is(err, form.ErrStale):
		return s.Stale(v.Held.Path)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	v.Form = sent
	return v.show(http.StatusUnprocessableEntity)
}
