package portal

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/route"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/basemap"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	// mapFolder is the folder of the assets with the module of the map.
	mapFolder   = "orders-map"
	mapPath     = "/portal/orders/map"
	streetsPath = "/orders/map/streets" // below /portal
	// ordersOnMap is how many orders the map shows.
	ordersOnMap = 2_000
)

func (pages *Pages) mapRoutes() []web.Route {
	shown := pages.get("/orders/map", partner.PermissionOrdersRead, (*Pages).ordersMap)
	shown.Heavy = true
	routes := []web.Route{shown}
	if pages.config.Streets.File != "" {
		routes = append(routes, pages.get(streetsPath, partner.PermissionOrdersRead, (*Pages).streets))
	}
	return routes
}

// streets responds with a part of the file of street tiles.
func (pages *Pages) streets(s *sheet) (int, []byte, error) {
	return pages.config.Streets.Serve(s.PageRequest)
}

// MapPolicy returns the content security policy of the map without street tiles.
func MapPolicy() string {
	site := page.NewSite(page.Config{})
	site.AddAssets(files, "assets")
	basemap.AddTo(site, mapFolder, basemap.Streets{})
	return site.MapPolicy(mapFolder)
}

// mapPhrases are the beginnings of the keys of the phrases that the module uses.
var mapPhrases = []string{
	"views.map", "views.areas", "views.orders", "views.late", "views.attention", "views.needs_attention", "views.well",
	"views.whole", "views.nearer", "views.farther", "views.places", "views.no_", "status.", "board.reason.late",
	"board.loading", "refused.again", "time.in", "time.ago", "time.comma",
}

// mapArea is an area with orders under way.
type mapArea struct {
	Code   string     `json:"code"`
	Link   string     `json:"link"`
	Middle []float64  `json:"middle,omitempty"` // latitude and longitude; absent if it is not known where the area is
	Orders []mapOrder `json:"orders"`
	City   string     `json:"-"`
	Late   int        `json:"-"`
	// Attention is how many orders need attention, late ones among them.
	Attention int  `json:"-"`
	Chosen    bool `json:"chosen,omitempty"`
}

// mapOrder is an order on the map.
type mapOrder struct {
	Number    string          `json:"number"`
	Link      string          `json:"link"`
	Status    delivery.Status `json:"status"`
	Late      bool            `json:"late,omitempty"`
	Attention bool            `json:"attention,omitempty"`
}

// mapView is the map, and the same as a table.
type mapView struct {
	*sheet
	Views   []page.Link // the list and the map
	Phrases map[string]string
	Areas   []mapArea
	Count   int
	IsPart  bool // of the orders under way
	Chosen  string
	Orders  []*delivery.Order // those of the chosen area
	Streets string            // where street tiles are from, as JSON; may be empty
}

// ChoosesOrders reports whether orders can be chosen in the list.
func (mapView) ChoosesOrders() bool { return false }

// ordersMap shows a partner's orders under way on a map and by area, with the orders of the area that the
// address names.
func (pages *Pages) ordersMap(s *sheet) (int, []byte, error) {
	orders, isPart, err := pages.underWay(s)
	if err != nil {
		return 0, nil, err
	}
	view := mapView{
		sheet: s, Views: s.asListAndMap(), Phrases: s.Language.Phrases(mapPhrases...),
		Count: len(orders), IsPart: isPart, Chosen: s.parameter("area"),
		Streets: pages.config.Streets.Described("/portal" + streetsPath),
	}
	for _, o := range orders {
		if view.Chosen != "" && delivery.PostalArea(o.Dropoff.Address.PostalCode) == view.Chosen {
			view.Orders = append(view.Orders, o)
		}
	}
	if len(view.Orders) == 0 {
		view.Chosen = ""
	}
	view.Areas = s.areasOf(orders, view.Chosen, s.Site.Now())
	shown := leaf{
		template: "portal-map", title: s.Text("portal.orders"), data: view, island: mapFolder,
		onMap:   &page.Map{Origins: pages.config.Streets.Origins()},
		scripts: []string{"island/text.js", mapFolder + "/main.js"},
	}
	if s.May(partner.PermissionOrders) {
		shown.action = &page.Link{Text: s.Text("portal.new"), Path: s.Link(newOrderPath)}
	}
	return s.show(shown)
}

// underWay returns the orders of the account that have not ended: failed attempts first, and then those that have
// come farthest. It reports whether there are more than the map shows.
func (pages *Pages) underWay(s *sheet) (found []*delivery.Order, isPart bool, err error) {
	for _, status := range slices.Backward(delivery.Statuses) {
		if len(delivery.NextStatuses(status)) == 0 {
			continue
		}
		filter := order.Filter{PartnerID: s.Account, Status: status}
		for isMore := true; isMore && len(found) <= ordersOnMap; isMore = filter.Before != "" {
			filter.Limit = min(ordersAtOnce, ordersOnMap+1-len(found)) // one more shows whether there are more
			listed, err := pages.config.Orders.List(s.Context(), filter)
			if err != nil {
				return nil, false, err
			}
			found, filter.Before = append(found, listed.Orders...), listed.Next
		}
	}
	return found[:min(len(found), ordersOnMap)], len(found) > ordersOnMap, nil
}

// areasOf returns the areas of orders, those with most orders first. An order is late when it is due and not
// delivered; one whose last attempt has failed needs attention too.
func (s *sheet) areasOf(orders []*delivery.Order, chosen string, now time.Time) []mapArea {
	found := map[string]*mapArea{}
	for _, o := range orders {
		code := delivery.PostalArea(o.Dropoff.Address.PostalCode)
		area := found[code]
		if area == nil {
			area = &mapArea{
				Code: code, City: o.Dropoff.Address.City, Link: s.Link(mapPath, "area", code), Middle: middleOf(code),
				Chosen: code == chosen && chosen != "",
			}
			found[code] = area
		}
		shown := mapOrder{
			Number: o.PartnerOrderID, Link: s.Link("/portal/orders/" + o.OrderID), Status: o.Status,
			Late: delivery.Due(o.Dropoff.Window, o.EstimatedDelivery).Before(now),
		}
		shown.Attention = shown.Late || o.Status == delivery.StatusFailed
		if shown.Late {
			area.Late++
		}
		if shown.Attention {
			area.Attention++
		}
		area.Orders = append(area.Orders, shown)
	}
	areas := make([]mapArea, 0, len(found))
	for _, area := range found {
		areas = append(areas, *area)
	}
	slices.SortFunc(areas, func(a, b mapArea) int {
		return cmp.Or(len(b.Orders)-len(a.Orders), cmp.Compare(a.Code, b.Code))
	})
	return areas
}

// middleOf returns the latitude and longitude of the middle of an area, to a thousandth of a degree; nil if they
// are not known.
func middleOf(code string) []float64 {
	at, known := route.Centroid(code)
	if !known {
		return nil
	}
	const parts = 1000
	return []float64{math.Round(at.Latitude*parts) / parts, math.Round(at.Longitude*parts) / parts}
}

// asListAndMap returns the links between the two ways in which orders are shown.
func (s *sheet) asListAndMap() []page.Link {
	list := page.Link{Text: s.Text("board.list"), Path: s.Link("/portal/orders")}
	onMap := page.Link{Text: s.Text("board.map"), Path: s.Link(mapPath)}
	onMap.Current = s.Request.URL.Path == mapPath
	list.Current = !onMap.Current
	return []page.Link{list, onMap}
}
