package portal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
)

// clockOf returns the time zone in which the times of an address are typed.
func (o *orderForm) clockOf(a delivery.Address) *time.Location {
	return o.pages.config.Calendar.ClockAt(a)
}

// fill proposes values: those of the order with an id, or the pickup of the latest order.
// The metadata of an order is not copied, because it belongs to the system that wrote it.
func (o *orderForm) fill(from string) error {
	o.set("partner_order_id", "WEB-"+o.now.UTC().Format("20060102")+"-"+strings.ToUpper(o.Form.Key[:6]))
	o.set("service_level", string(delivery.Standard))
	for _, name := range []string{"cod", "insurance"} {
		o.set(name+".currency", string(delivery.CAD))
	}
	if from == "" {
		return o.fillPickup()
	}
	copied, err := o.pages.config.Orders.Get(o.Context(), o.Account, from)
	if err != nil {
		return err
	}
	o.set("service_level", string(copied.ServiceLevel))
	o.set("reference", copied.Reference)
	o.set("instructions", copied.Instructions)
	o.fillContact("pickup", copied.Pickup)
	o.fillContact("dropoff", copied.Dropoff)
	o.fillWindows(copied)
	for i := range copied.Parcels {
		o.fillParcel(i, &copied.Parcels[i])
	}
	for i, item := range copied.Items {
		o.set(row("items", i)+".product_id", strconv.FormatInt(item.ProductID, 10))
		o.set(row("items", i)+".quantity", strconv.FormatInt(item.Quantity, 10))
	}
	o.fillMoney("cod", copied.COD)
	o.fillMoney("insurance", copied.Insurance)
	return nil
}

func (o *orderForm) set(name, value string) { o.Form.Values.Set(name, value) }

// fillPickup proposes the pickup of the account's latest order.
func (o *orderForm) fillPickup() error {
	latest, err := o.pages.config.Orders.List(o.Context(), order.Filter{PartnerID: o.Account, Limit: 1})
	if err != nil || len(latest.Orders) == 0 || latest.Orders[0].Damage != nil {
		return err
	}
	o.fillContact("pickup", latest.Orders[0].Pickup)
	return nil
}

func (o *orderForm) fillContact(end string, c delivery.Contact) {
	for name, value := range map[string]string{
		"name": c.Name, "phone": c.Phone, "email": c.Email,
		"address.line1": c.Address.Line1, "address.line2": c.Address.Line2, "address.city": c.Address.City,
		"address.province": c.Address.Province, "address.postal_code": c.Address.PostalCode, "address.notes": c.Address.Notes,
	} {
		o.set(end+"."+name, value)
	}
}

// fillWindows proposes the windows of an order, later by as many whole days as it takes
// for the first one to begin in the future.
func (o *orderForm) fillWindows(copied *delivery.Order) {
	clock := o.clockOf(copied.Pickup.Address)
	start := copied.Pickup.Window.Start.In(clock)
	days := max(0, int(o.now.Sub(start)/(24*time.Hour)))
	for !start.AddDate(0, 0, days).After(o.now) {
		days++
	}
	for end, contact := range map[string]delivery.Contact{"pickup": copied.Pickup, "dropoff": copied.Dropoff} {
		clock := o.clockOf(contact.Address)
		o.set(end+".time_window.start", contact.Window.Start.In(clock).AddDate(0, 0, days).Format(localForm))
		o.set(end+".time_window.end", contact.Window.End.In(clock).AddDate(0, 0, days).Format(localForm))
	}
}

func (o *orderForm) fillParcel(i int, p *delivery.Parcel) {
	at := row("parcels", i) + "."
	o.set(at+"parcel_id", p.ParcelID)
	o.set(at+"description", p.Description)
	o.set(at+"length_cm", measure(p.LengthCm))
	o.set(at+"width_cm", measure(p.WidthCm))
	o.set(at+"height_cm", measure(p.HeightCm))
	o.set(at+"weight_kg", measure(p.WeightKg))
	o.set(at+"value_cents", inDollars(p.ValueCents))
	o.set(at+"barcode", p.Barcode)
	if p.Fragile {
		o.set(at+"fragile", "true")
	}
}

func (o *orderForm) fillMoney(name string, m *delivery.Money) {
	if m != nil && m.AmountCents > 0 {
		o.set(name+".amount_cents", inDollars(m.AmountCents))
		o.set(name+".currency", string(m.Currency))
	}
}

func measure(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func decimal(number int64) string { return strconv.FormatInt(number, 10) }

// inDollars returns an amount as it is typed.
func inDollars(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// arrange numbers the rows of the form without gaps, and adds those of the products that
// are offered. It refuses more rows than a page has.
func (o *orderForm) arrange() error {
	parcels := form.Rows(o.Form.Values, "parcels")
	if len(parcels) > delivery.MaxParcels || len(itemRows(o.Form.Values)) > delivery.MaxItemLines {
		return refusal.New(refusal.CodeBadRequest, "the form has too many rows")
	}
	if len(parcels) == 0 {
		o.addParcel()
	}
	o.number(parcels)
	return o.offer()
}

// number renumbers the parcels at some positions.
func (o *orderForm) number(parcels []int) {
	for to, from := range parcels {
		if to == from {
			continue
		}
		for _, f := range parcelFields {
			if typed, ok := o.Form.Values[row("parcels", from)+"."+f.name]; ok {
				o.Form.Values[row("parcels", to)+"."+f.name] = typed
			} else {
				o.Form.Values.Del(row("parcels", to) + "." + f.name)
			}
		}
		o.dropParcel(from)
	}
}

func (o *orderForm) dropParcel(i int) {
	for _, f := range parcelFields {
		o.Form.Values.Del(row("parcels", i) + "." + f.name)
	}
}

// Parcels returns the positions of the parcels.
func (o *orderForm) Parcels() []int { return form.Rows(o.Form.Values, "parcels") }

// MayAdd reports whether the order can have another parcel.
func (o *orderForm) MayAdd() bool { return len(o.Parcels()) < delivery.MaxParcels }

// addParcel adds a parcel, and proposes an id that no other one has.
func (o *orderForm) addParcel() {
	parcels := o.Parcels()
	if len(parcels) >= delivery.MaxParcels {
		return
	}
	taken := map[string]bool{}
	for _, i := range parcels {
		taken[o.Form.Values.Get(row("parcels", i)+".parcel_id")] = true
	}
	n := len(parcels) + 1
	for taken["P-"+strconv.Itoa(n)] {
		n++
	}
	o.set(row("parcels", len(parcels))+".parcel_id", "P-"+strconv.Itoa(n))
}

// addParcels adds parcels until there are as many as a text says.
func (o *orderForm) addParcels(wanted string) {
	number, _ := strconv.Atoi(wanted)
	for len(o.Parcels()) < min(number, delivery.MaxParcels) {
		o.addParcel()
	}
}

// removeParcel removes the parcel at a position, unless it is the only one.
func (o *orderForm) removeParcel(position string) {
	parcels := o.Parcels()
	i, err := strconv.Atoi(position)
	if err != nil || len(parcels) < 2 || !slices.Contains(parcels, i) {
		return
	}
	o.dropParcel(i)
	o.number(o.Parcels())
}

// productRow is a product of which some can be ordered.
type productRow struct {
	Path  string // of its element in the list of items
	Name  string
	Stock int
}

// shownProducts is how many products a form offers.
const shownProducts = 50

// line is a product and a quantity as they were typed.
type line struct{ product, quantity string }

// offer adds a row for each product that can be ordered, and keeps those of which a
// quantity was typed.
func (o *orderForm) offer() error {
	var typed []line
	for _, i := range itemRows(o.Form.Values) {
		at := row("items", i)
		typed = append(typed, line{o.Form.Values.Get(at + ".product_id"), o.Form.Values.Get(at + ".quantity")})
	}
	for _, i := range form.Rows(o.Form.Values, "items") {
		o.Form.Values.Del(row("items", i) + ".product_id")
		o.Form.Values.Del(row("items", i) + ".quantity")
	}
	products, err := o.offered()
	if err != nil {
		return err
	}
	for _, p := range products {
		quantity := ""
		if i := slices.IndexFunc(typed, func(l line) bool { return l.product == decimal(p.ProductID) }); i >= 0 {
			quantity = typed[i].quantity
			typed = slices.Delete(typed, i, i+1)
		}
		o.addProduct(decimal(p.ProductID), quantity, p)
	}
	return o.addTyped(typed)
}

// addTyped adds the rows of products that the page does not offer, and of which a quantity
// was typed.
func (o *orderForm) addTyped(typed []line) error {
	if len(typed) == 0 {
		return nil
	}
	ids := make([]int64, len(typed))
	for i, l := range typed {
		ids[i], _ = strconv.ParseInt(l.product, 10, 64) // 0 is no product
	}
	held, err := o.pages.config.Stock.Held(o.Context(), o.Account, ids...)
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
func (o *orderForm) offered() (products []delivery.Product, err error) {
	if !o.May(partner.PermissionStockRead) {
		return nil, nil
	}
	filter := stock.ProductFilter{
		PartnerID: o.Account, Status: delivery.ProductActive, Search: o.Form.Values.Get(searchField), Limit: shownProducts,
	}
	found, total, err := o.pages.config.Stock.Products(o.Context(), filter)
	o.MoreProducts = total > int64(len(found)) || filter.Search != ""
	return slices.DeleteFunc(found, func(p delivery.Product) bool { return !p.Available() }), err
}

func (o *orderForm) addProduct(id, quantity string, p delivery.Product) {
	shown := productRow{Path: row("items", len(o.Products)), Name: p.Name, Stock: int(p.Quantity)}
	if shown.Name == "" {
		shown.Name = id
	}
	o.Products = append(o.Products, shown)
	o.set(shown.Path+".product_id", id)
	o.set(shown.Path+".quantity", quantity)
}
