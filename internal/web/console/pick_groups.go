package console

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/web/page"
)

// pickGroup is what orders take from a location.
type pickGroup struct {
	Location string
	Products []*pickProduct
}

// pickProduct is a product that orders take from a location.
type pickProduct struct {
	dispatch.ProductKey
	Location    string
	PartnerName string
	Name        string
	SKU         string
	Barcode     string
	InStock     int64 // besides what orders have taken
	Left        int64 // units to pick
	For         []pickFor
}

// Shelf returns how many units lie at the location: what is in stock, and what these orders have not
// fetched yet.
func (p *pickProduct) Shelf() int64 { return p.InStock + p.Left }

// pickFor is an order that takes a product from a location.
type pickFor struct {
	OrderID string
	Number  string
	Left    int64
	Short   bool
}

// groupsOf gathers what orders take, by location and then by product. The orders of a product are in the order
// in which they are given.
func groupsOf(picks []dispatch.Pick) []pickGroup {
	byPlace := map[string][]*pickProduct{}
	for i := range picks {
		o := picks[i].Order
		for _, line := range picks[i].Lines {
			key := dispatch.ProductKey{PartnerID: o.PartnerID, ProductID: line.ProductID}
			products := byPlace[line.Location]
			at := slices.IndexFunc(products, func(p *pickProduct) bool { return p.ProductKey == key })
			if at < 0 {
				at = len(products)
				products = append(products, &pickProduct{
					ProductKey: key, Location: line.Location, PartnerName: picks[i].PartnerName, Name: line.Name,
					SKU: line.SKU, Barcode: line.Barcode, InStock: line.InStock,
				})
				byPlace[line.Location] = products
			}
			products[at].Left += line.Left()
			products[at].For = append(products[at].For, pickFor{o.OrderID, o.PartnerOrderID, line.Left(), line.Short})
		}
	}
	groups := make([]pickGroup, 0, len(byPlace))
	for location, products := range byPlace {
		slices.SortFunc(products, func(a, b *pickProduct) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.PartnerID, b.PartnerID),
				cmp.Compare(a.ProductID, b.ProductID))
		})
		groups = append(groups, pickGroup{location, products})
	}
	slices.SortFunc(groups, func(a, b pickGroup) int { return cmp.Compare(a.Location, b.Location) })
	return groups
}

// leftOf returns the first of some products that has units left to pick; nil if none has.
func leftOf(groups []pickGroup, meant map[dispatch.ProductKey]bool) *pickProduct {
	for _, group := range groups {
		for _, product := range group.Products {
			if product.Left > 0 && meant[product.ProductKey] {
				return product
			}
		}
	}
	return nil
}

// nextOf returns the first product that has units left to pick and is not short already; nil if none has.
func nextOf(groups []pickGroup) *pickProduct {
	for _, group := range groups {
		for _, product := range group.Products {
			if slices.ContainsFunc(product.For, func(one pickFor) bool { return one.Left > 0 && !one.Short }) {
				return product
			}
		}
	}
	return nil
}

// waveLink returns the address of a page about some orders.
func waveLink(path string, orderIDs []string, parameters ...string) string {
	query := url.Values{"order_id": page.Distinct(orderIDs)}
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	return path + "?" + query.Encode()
}

func numbered(n int64) string { return strconv.FormatInt(n, 10) }
