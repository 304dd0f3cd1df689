package pagetest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
)

// pressTransfer presses the button that hands parcels over as soon as the panel of the order has it.
const pressTransfer = `new MutationObserver((_, observer) => {
  const button = [...document.querySelectorAll(".panel button")].find((one) => /^(Hand over|Transférer)/.test(one.textContent));
  if (!button) return;
  observer.disconnect();
  button.click();
}).observe(document, { childList: true, subtree: true });`

// returner is a person of the partner whose parcels come back.
const returner = "returner"

// returnScenes are the pages of parcels that come back, or were handed over. beside is the address of
// answered.
func (h *house) returnScenes(beside string) (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes,
			Scene{Name: name, URL: h.url + path, Policy: page.Policy, Cookie: h.operatorSession(who)})
	}
	admin := secured(page.English)
	add("console-returns", admin, "/console/returns")
	add("console-returns-received", dispatcher, "/console/returns?state=received")
	add("console-returns-unknown", admin, "/console/returns?code=R-9")
	add("console-returns-several", admin, "/console/returns?code=P-2")
	add("console-returns-hostile", admin, "/console/returns?code=%3Cscript%3Ehacked%3D1%3C%2Fscript%3E")
	add("console-return", admin, "/console/returns/"+h.orders["R-2041"])
	add("console-return-plain", dispatcher, "/console/returns/"+h.orders["R-2042"])
	add("console-return-received", dispatcher, "/console/returns/"+h.orders["R-2043"])
	add("console-return-hostile", admin, "/console/returns/"+h.orders["R-2045"])
	add("console-order-transferred", dispatcher, "/console/orders/"+h.orders["R-2044"])
	add("console-order-due-back", dispatcher, "/console/orders/"+h.orders["R-2041"])
	add("console-order-back", dispatcher, "/console/orders/"+h.orders["R-2043"])
	add("console-order-transfer", dispatcher, "/console/orders/"+h.orders["R-2044"]+"/transfer")
	for _, kept := range [][2]string{
		{"console-return-faults", "returns-receive"}, {"console-order-transfer-faults", "returns-transfer"},
	} {
		scenes = append(scenes, Scene{Name: kept[0], URL: beside + "/answered/" + kept[1], Policy: page.Policy})
	}
	board := Scene{
		Name: "console-board-panel-transferred", URL: h.url + "/console/board?order=" + h.orders["R-2044"],
		Policy: console.BoardPolicy(), Cookie: h.operatorSession(dispatcher), Shown: ".panel h2",
	}
	scenes = append(scenes, board)
	board.Name, board.Shown = "console-board-panel-transfer", "dialog #courier-list li"
	board.Script, board.Taps = pressTransfer, true
	scenes = append(scenes, board)
	for _, one := range [][2]string{{"due", "R-2041"}, {"received", "R-2043"}} {
		scenes = append(scenes, Scene{
			Name: "portal-order-return-" + one[0], URL: h.url + "/portal/orders/" + h.orders[one[1]], Policy: page.Policy,
			Cookie: sessionCookie + "=" + h.cookies[returner],
		})
	}
	scenes = append(scenes, Scene{
		Name: "portal-order-give-back", URL: h.url + "/portal/orders/" + h.orders["A-1031"] + "/return",
		Policy: page.Policy, Cookie: sessionCookie + "=" + h.cookies[owner],
	})
	return scenes
}

// locationScenes are the pages of the addresses of locations.
func (h *house) locationScenes() (scenes []Scene) {
	for name, path := range map[string]string{
		"console-locations": "", "console-location": "/edit?code=MTL-1", "console-location-new": "/edit",
	} {
		scenes = append(scenes, Scene{
			Name: name, URL: h.url + "/console/locations" + path, Policy: page.Policy, Cookie: h.operatorSession(dispatcher),
		})
	}
	slices.SortFunc(scenes, func(a, b Scene) int { return strings.Compare(a.Name, b.Name) })
	return scenes
}

// addReturns adds a partner with orders that were given up after their pickup, and with one whose
// parcels have changed hands.
func (h *house) addReturns(ctx context.Context) error {
	shop, partnerID, err := h.register(ctx, returner, "Luminaires Rivard", "paul@rivard.example")
	if err != nil {
		return err
	}
	for _, name := range []string{"Lampe de bureau", "Ampoule DEL 60 W, boîte de 4", hostileName} {
		product, err := h.desk.CreateProduct(ctx, partnerID, client.ProductRequest{Name: name, Price: 24.5, StockMax: 90})
		if err != nil {
			return err
		}
		receipt := client.MovementRequest{
			Type: client.MovementIn, ProductID: product.ProductID, Quantity: 60, Location: "MTL-1",
		}
		if _, err := h.desk.CreateMovement(ctx, partnerID, receipt); err != nil {
			return err
		}
	}
	depot := client.LocationRequest{
		Name: "Dépôt Nord", Phone: "+15145550199", Email: "depot@dropyard.example",
		Address: client.Address{
			Line1: "9000 Boulevard Saint-Laurent", City: "Montréal", Province: "QC", PostalCode: "H2N 1M5", Country: "CA",
		},
	}
	if _, err := h.desk.PutLocation(ctx, "MTL-1", depot); err != nil {
		return err
	}
	lamps := []client.Item{{ProductID: 1, Quantity: 2}, {ProductID: 2, Quantity: 6}}
	for _, one := range []struct {
		reference string
		items     []client.Item
		carried   bool // and not given up
	}{
		{"R-2041", lamps, false}, {"R-2042", nil, false}, {"R-2043", lamps, false}, {"R-2044", lamps, true},
		{"R-2045", []client.Item{{ProductID: 3, Quantity: 1}}, false},
	} {
		request := orderTo(one.reference, 1, h.clock.Now().Add(3*time.Hour))
		request.Items = one.items
		created, err := shop.CreateOrder(ctx, request)
		if err != nil {
			return err
		}
		h.orders[one.reference] = created.OrderID
		statuses := []client.OrderStatus{"accepted", "courier_assigned", "picked_up", "in_transit", "failed", "cancelled"}
		if one.carried {
			statuses = statuses[:4]
		}
		if _, err := h.change(ctx, returner, created.OrderID, statuses...); err != nil {
			return err
		}
		h.clock.Advance(time.Minute)
	}
	return h.handOver(ctx)
}

// handOver hands parcels over and receives some.
func (h *house) handOver(ctx context.Context) error {
	courier, err := h.desk.CreateCourier(ctx,
		client.CourierRequest{Name: "Zoé Lavoie", Phone: "+15145550182", Vehicle: "van"})
	if err != nil {
		return err
	}
	for _, to := range []struct {
		order string
		client.TransferRequest
	}{
		{"R-2042", client.TransferRequest{Location: "HUB-LAVAL"}}, {"R-2044", client.TransferRequest{Location: "HUB-LAVAL"}},
		{"R-2044", client.TransferRequest{CourierID: courier.CourierID}},
	} {
		if _, err := h.desk.TransferOrder(ctx, h.orders[to.order], to.TransferRequest); err != nil {
			return err
		}
		h.clock.Advance(time.Minute)
	}
	if _, err := h.desk.AddOrderScan(ctx, h.orders["R-2044"], client.ScanRequest{Code: "P-1"}); err != nil {
		return err
	}
	lines := []client.ReturnLine{
		{ProductID: 1, Quantity: 1, Disposition: "sellable"}, {ProductID: 1, Quantity: 1, Disposition: "damaged"},
		{ProductID: 2, Quantity: 4, Disposition: "sellable"}, {ProductID: 2, Quantity: 2, Disposition: "missing"},
	}
	_, err = h.desk.ReceiveReturn(ctx, h.orders["R-2043"], client.ReceiptRequest{Location: "MTL-1", Lines: lines})
	return err
}

// keepReturns keeps the answers to forms that are refused.
func (h *house) keepReturns(ctx context.Context) error {
	for _, language := range page.Languages {
		for _, sent := range []struct {
			scene, path string
			fields      url.Values
		}{
			{"returns-receive", "/console/returns/" + h.orders["R-2041"], url.Values{
				"location": {""}, "sellable-1": {"2"}, "damaged-1": {"1"}, "sellable-2": {"five"},
			}},
			{"returns-transfer", "/console/orders/" + h.orders["R-2044"] + "/transfer", url.Values{
				"courier_id": {h.courierID}, "location": {"HUB-LAVAL"}, "_version": {"7"},
			}},
		} {
			kept, err := h.keep(ctx, sent.scene, sent.path, h.operatorSession(secured(page.English)), language, sent.fields)
			if err == nil && kept.status != http.StatusUnprocessableEntity {
				err = fmt.Errorf("%s: status %d", sent.scene, kept.status)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
