package pagetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
)

// stocked is the owner of a partner with 300 products and a month of orders.
const stocked = "stocked"

// pastDays is how many days before Now the house opens, so that there are figures of
// that many days.
const pastDays = 29

// stockScenes adds the pages of stock and of figures.
func (h *house) stockScenes(add func(name, who, path string)) {
	add("portal-stock", owner, "/portal/stock")
	add("portal-stock-low", owner, "/portal/stock?low=yes")
	add("portal-stock-many", stocked, "/portal/stock?page=2")
	add("portal-stock-inactive", stocked, "/portal/stock?status=inactive")
	add("portal-stock-unknown", stocked, "/portal/stock?search=lampe+%C3%A0+huile")
	add("portal-stock-empty", newcomer, "/portal/stock")
	add("portal-stock-empty-test", newcomer, "/portal/stock?mode=test")
	add("portal-stock-hostile", hostiles, "/portal/stock")
	add("portal-movements", stocked, "/portal/stock/movements")
	add("portal-movements-product", stocked, "/portal/stock/movements?product_id=300")
	add("portal-movements-empty", newcomer, "/portal/stock/movements")
	add("portal-figures", stocked, "/portal/figures")
	add("portal-figures-90-days", stocked, "/portal/figures?days=90")
	add("portal-figures-day", stocked, "/portal/figures?from=2026-06-16&to=2026-06-16")
	add("portal-figures-courier", stocked, "/portal/figures?by=courier")
	add("portal-figures-courier-90-days", stocked, "/portal/figures?by=courier&days=90")
	add("portal-figures-faults", stocked, "/portal/figures?from=2026-06-16&to=2026-06-11")
	add("portal-figures-empty", newcomer, "/portal/figures?days=7")
	add("portal-figures-test", owner, "/portal/figures?mode=test")
	add("portal-figures-hostile", hostiles, "/portal/figures")
	add("portal-movements-hostile", hostiles, "/portal/stock/movements?product_id=1")
}

// addStocked adds a partner with 300 products, and with the orders of pastDays. Those
// who look at its pages do not look at Metro's, whose data it leaves as they are.
func (h *house) addStocked(ctx context.Context) error {
	shop, partnerID, err := h.register(ctx, stocked, "Quincaillerie Labelle", "marc@labelle.example")
	if err != nil {
		return err
	}
	h.stockedID = partnerID
	if _, err := h.desk.ImportProducts(ctx, partnerID, catalogue(300)); err != nil {
		return err
	}
	for _, booked := range []client.MovementRequest{
		{Type: client.MovementIn, ProductID: 300, Quantity: 120, Location: "MTL-1"},
		{Type: client.MovementTransfer, ProductID: 300, Quantity: 40, Location: "MTL-1", ToLocation: "TOR-1"},
		{Type: client.MovementAdjustment, ProductID: 300, Quantity: -3, Location: "TOR-1"},
		{Type: client.MovementOut, ProductID: 300, Quantity: 2, Location: "MTL-1"},
	} {
		if _, err := h.desk.CreateMovement(ctx, partnerID, booked); err != nil {
			return err
		}
	}
	return h.addMonth(ctx, shop)
}

// catalogue returns products as a file for import. Some are low, some have run out, and
// some are not on sale.
func catalogue(products int) []byte {
	var file strings.Builder
	file.WriteString("barcode,name,price,stock_min,stock_max,status,opening_quantity,opening_location\n")
	names := []string{
		"Vis à bois n° 8, boîte de 100", "Peinture d’intérieur mate, blanc, 3,78 l", "Pinceau plat 50 mm", "Ampoule DEL 60 W",
		"Ruban à mesurer 5 m",
	}
	for i := range products {
		status, opening := "active", fmt.Sprintf("%d,MTL-1", 30+i*7%400)
		switch {
		case i%40 == 7:
			status = "inactive"
		case i%25 == 3:
			opening = "4,MTL-1"
		case i%60 == 9:
			opening = ","
		}
		fmt.Fprintf(&file, "0627843%06d,\"%s, modèle %d\",%d.49,10,500,%s,%s\n", i, names[i%len(names)], i+1, 2+i%90, status,
			opening)
	}
	return []byte(file.String())
}

// addMonth adds orders on each of pastDays, and moves the clock to the hour at which the
// other partners begin.
func (h *house) addMonth(ctx context.Context, shop *client.Client) error {
	var couriers []string
	for _, name := range []string{"Amélie Tremblay", "Bashir Osman", "Cédric Lavoie"} {
		courier, err := h.desk.CreateCourier(ctx, client.CourierRequest{Name: name, Phone: "+15145550178", Vehicle: "van"})
		if err != nil {
			return err
		}
		couriers = append(couriers, courier.CourierID)
	}
	for day := range pastDays - 1 {
		begin := h.clock.Now()
		if err := h.addDay(ctx, shop, day, couriers[day%len(couriers)]); err != nil {
			return fmt.Errorf("day %d: %w", day, err)
		}
		h.clock.Advance(begin.Add(24 * time.Hour).Sub(h.clock.Now()))
	}
	return nil
}

// addDay adds the orders of a day. On Sundays there are none; on others one attempt
// may fail, one order may be cancelled, and one may come late.
func (h *house) addDay(ctx context.Context, shop *client.Client, day int, courierID string) error {
	if h.clock.Now().Weekday() == time.Sunday {
		return nil
	}
	batch := client.OrderBatch{}
	for i := range 3 + day*5%8 {
		request := orderTo(fmt.Sprintf("Q-%d-%d", day, i), i, h.clock.Now().Add(3*time.Hour))
		request.ServiceLevel = client.LevelSameDay
		batch.Orders = append(batch.Orders, request)
	}
	created, err := shop.CreateOrders(ctx, batch)
	if err != nil {
		return err
	}
	var ids []string
	for _, result := range created.Results {
		if result.Error != nil {
			return result.Error
		}
		ids = append(ids, result.Order.OrderID)
	}
	return h.moveDay(ctx, ids, day, courierID)
}

func (h *house) moveDay(ctx context.Context, ids []string, day int, courierID string) error {
	if day%3 == 1 {
		if err := h.moveAll(ctx, ids[:1], client.StatusMove{Status: client.StatusCancelled, Reason: "Changed my mind"},
			0); err != nil {
			return err
		}
		ids = ids[1:]
	}
	for i, status := range steps[:len(steps)-1] {
		if err := h.moveAll(ctx, ids, client.StatusMove{
			Status: status, CourierID: map[bool]string{status == client.StatusCourierAssigned: courierID}[true],
		}, time.Duration(15+i*20)*time.Minute); err != nil {
			return err
		}
	}
	if day%4 == 2 {
		failed := client.StatusMove{
			Status: client.StatusFailed, FailureReason: "not_home", NextAttempt: h.clock.Now().Add(6 * time.Hour),
		}
		if err := h.moveAll(ctx, ids[:1], failed, 0); err != nil {
			return err
		}
		ids = ids[1:]
	}
	late := min(len(ids)-1, day%5/3)
	delivered := client.StatusMove{Status: client.StatusDelivered}
	if err := h.moveAll(ctx, ids[late:], delivered, 12*time.Hour); err != nil {
		return err
	}
	return h.moveAll(ctx, ids[:late], delivered, 0)
}

// moveAll moves orders, and then the clock.
func (h *house) moveAll(ctx context.Context, ids []string, move client.StatusMove, after time.Duration) error {
	if len(ids) == 0 {
		return nil
	}
	moved, err := h.desk.ChangeOrderStatuses(ctx, client.StatusMovesRequest{OrderIDs: ids, StatusMove: move})
	if err != nil {
		return err
	}
	for _, result := range moved.Results {
		if result.Error != nil {
			return result.Error
		}
	}
	h.clock.Advance(after)
	return nil
}
