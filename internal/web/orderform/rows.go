package orderform

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/stock"
)

// Set puts a value into a field.
func (o *Form) Set(name, value string) { o.Sent.Values.Set(name, value) }

// ContactFields returns what the fields of one end of the delivery hold, by their names in it, without its window.
func ContactFields(c *delivery.Contact) map[string]string {
	return map[string]string{
		"name": c.Name, "phone": c.Phone, "email": c.Email,
		"address.line1": c.Address.Line1, "address.line2": c.Address.Line2, "address.city": c.Address.City,
		"address.province": c.Address.Province, "address.postal_code": c.Address.PostalCode, "address.notes": c.Address.Notes,
	}
}

// FillContact fills in one end of the delivery, without its window.
func (o *Form) FillContact(end string, c delivery.Contact) {
	if o.OwnEmail != "" && end+".email" == recipientEmail && strings.EqualFold(c.Email, o.OwnEmail) {
		c.Email = ""
	}
	for name, value := range ContactFields(&c) {
		o.Set(end+"."+name, value)
	}
}

// FillParcel fills in the parcel at a position.
func (o *Form) FillParcel(i int, p *delivery.Parcel) {
	at := Row("parcels", i) + "."
	o.Set(at+"parcel_id", p.ParcelID)
	o.Set(at+"description", p.Description)
	o.Set(at+"length_cm", measure(p.LengthCm))
	o.Set(at+"width_cm", measure(p.WidthCm))
	o.Set(at+"height_cm", measure(p.HeightCm))
	o.Set(at+"weight_kg", measure(p.WeightKg))
	o.Set(at+"value_cents", InDollars(p.ValueCents))
	o.Set(at+"barcode", p.Barcode)
	if p.Fragile {
		o.Set(at+"fragile", "true")
	}
}

// FillMoney fills in an amount, if there is one.
func (o *Form) FillMoney(name string, m *delivery.Money) {
	if m != nil && m.AmountCents > 0 {
		o.Set(name+".amount_cents", InDollars(m.AmountCents))
		o.Set(name+".currency", string(m.Currency))
	}
}

func measure(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

// Decimal returns a whole number as a field holds it.
func Decimal(number int64) string { return strconv.FormatInt(number, 10) }

// InDollars returns an amount as it is typed.
func InDollars(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// Arrange numbers the rows of the form without gaps, and adds those of the products that
// are offered. It refuses more rows than a page has.
func (o *Form) Arrange() error {
	parcels := form.Rows(o.Sent.Values, "parcels")
	if len(parcels) > delivery.MaxParcels || len(itemRows(o.Sent.Values)) > delivery.MaxItemLines {
		return refusal.New(refusal.CodeBadRequest, "the form has too many rows")
	}
	if len(parcels) == 0 {
		o.AddParcel()
	}
	o.number(parcels)
	return o.offer()
}

// number renumbers the parcels at some positions.
func (o *Form) number(parcels []int) {
	for to, from := range parcels {
		if to == from {
			continue
		}
		for _, f := range parcelFields {
			if typed, ok := o.Sent.Values[Row("parcels", from)+"."+f.name]; ok {
				o.Sent.Values[Row("parcels", to)+"."+f.name] = typed
			} else {
				o.Sent.Values.Del(Row("parcels", to) + "." + f.name)
			}
		}
		o.dropParcel(from)
	}
}

func (o *Form) dropParcel(i int) {
	for _, f := range parcelFields {
		o.Sent.Values.Del(Row("parcels", i) + "." + f.name)
	}
}

// Parcels returns the positions of the parcels.
func (o *Form) Parcels() []int { return form.Rows(o.Sent.Values, "parcels") }

// MayAdd reports whether the order can have another parcel.
func (o *Form) MayAdd() bool { return len(o.Parcels()) < delivery.MaxParcels }

// AddParcel adds a parcel, and proposes an id that no other one has.
func (o *Form) AddParcel() {
	parcels := o.Parcels()
	if len(parcels) >= delivery.MaxParcels {
		return
	}
	taken := map[string]bool{}
	for _, i := range parcels {
		taken[o.Sent.Values.Get(Row("parcels", i)+".parcel_id")] = true
	}
	n := len(parcels) + 1
	for taken["P-"+strconv.Itoa(n)] {
		n++
	}
	o.Set(Row("parcels", len(parcels))+".parcel_id", "P-"+strconv.Itoa(n))
}

// AddParcels adds parcels until there are as many as a text says.
func (o *Form) AddParcels(wanted string) {
	number, _ := strconv.Atoi(wanted)
	for len(o.Parcels()) < min(number, delivery.MaxParcels) {
		o.AddParcel()
	}
}

// RemoveParcel removes the parcel at a position, unless it is the only one.
func (o *Form) RemoveParcel(position string) {
	parcels := o.Parcels()
	i, err := strconv.Atoi(position)
	if err != nil || len(parcels) < 2 || !slices.Contains(parcels, i) {
		return
	}
	o.dropParcel(i)
	o.number(o.Parcels())
}

// ProductRow is a product of which some can be ordered.
type ProductRow struct {
	Path  string // of its element in the list of items
	Name  string
	SKU   string
	Stock int
}

// shownProducts is how many products a form offers.
const shownProducts = 50

// addByCode adds one of the product that the text of the search names by its sku, barcode or id.
func (o *Form) addByCode() error {
	code := strings.TrimSpace(o.Sent.Values.Get(SearchField))
	if code == "" || !o.Offers {
		return nil
	}
	found, err := o.Stock.Find(o.Sheet.Context(), o.PartnerID, code)
	if err != nil {
		return err
	}
	var products []delivery.Product
	for _, held := range found[code] {
		if held.Available() {
			products = append(products, held.Product)
		}
	}
	switch {
	case len(products) == 0:
		o.CodeFault = o.Sheet.Text("neworder.code.unknown")
		return nil
	case len(products) > 1:
		o.CodeFault = o.Sheet.Text("neworder.code.several")
		return nil
	}
	id := Decimal(products[0].ProductID)
	at := slices.IndexFunc(o.Products, func(r ProductRow) bool { return o.Sent.Values.Get(r.Path+".product_id") == id })
	if at < 0 {
		at = len(o.Products)
		o.addProduct(id, "", products[0])
	}
	quantity := o.Products[at].Path + ".quantity"
	if n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(o.Sent.Values.Get(quantity)), "0")); err == nil && n < math.MaxInt {
		o.Set(quantity, strconv.Itoa(n+1))
	}
	o.Set(SearchField, "")
	o.Products = nil
	return o.offer()
}

// line is a product and a quantity as they were typed.
type line struct{ product, quantity string }

// offer adds a row for each product that can be ordered, and keeps those of which a
// quantity was typed.
func (o *Form) offer() error {
	var typed []line
	for _, i := range itemRows(o.Sent.Values) {
		at := Row("items", i)
		typed = append(typed, line{o.Sent.Values.Get(at + ".product_id"), o.Sent.Values.Get(at + ".quantity")})
	}
	for _, i := range form.Rows(o.Sent.Values, "items") {
		o.Sent.Values.Del(Row("items", i) + ".product_id")
		o.Sent.Values.Del(Row("items", i) + ".quantity")
	}
	products, err := o.offered()
	if err != nil {
		return err
	}
	for _, p := range products {
		quantity := ""
		if i := slices.IndexFunc(typed, func(l line) bool { return l.product == Decimal(p.ProductID) }); i >= 0 {
			quantity = typed[i].quantity
			typed = slices.Delete(typed, i, i+1)
		}
		o.addProduct(Decimal(p.ProductID), quantity, p)
	}
	return o.addTyped(typed)
}

// addTyped adds the rows of products that the page does not offer, and of which a quantity
// was typed.
func (o *Form) addTyped(typed []line) error {
	if len(typed) == 0 {
		return nil
	}
	ids := make([]int64, len(typed))
	for i, l := range typed {
		ids[i], _ = strconv.ParseInt(l.product, 10, 64) // 0 is no product
	}
	held, err := o.Stock.Held(o.Sheet.Context(), o.PartnerID, ids...)
	if err != nil {
		return err
	}
	for i, l := range typed {
		var found delivery.Product
		if known := held[ids[i]]; known != nil {
			found = known.Product
		}
		o.addProduct(l.product, l.quantity, found)
	}
	return nil
}

// offered returns the products that the page offers.
func (o *Form) offered() (products []delivery.Product, err error) {
	if !o.Offers {
		return nil, nil
	}
	filter := stock.ProductFilter{
		PartnerID: o.PartnerID, Status: delivery.ProductActive, Search: o.Sent.Values.Get(SearchField), Limit: shownProducts,
	}
	found, total, err := o.Stock.Products(o.Sheet.Context(), filter)
	o.MoreProducts = total > int64(len(found)) || filter.Search != ""
	return slices.DeleteFunc(found, func(p delivery.Product) bool { return !p.Available() }), err
}

func (o *Form) addProduct(id, quantity string, p delivery.Product) {
	shown := ProductRow{Path: Row("items", len(o.Products)), Name: p.Name, SKU: p.SKU, Stock: int(p.Quantity)}
	if shown.Name == "" {
		shown.Name = id
	}
	o.Products = append(o.Products, shown)
	o.Set(shown.Path+".product_id", id)
	o.Set(shown.Path+".quantity", quantity)
}
