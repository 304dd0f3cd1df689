package pagetest

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/client"
)

// Couriers who look at the app besides rider, who has stops of all kinds.
const (
	idler        = "idler"         // has no stops
	hostileRider = "hostile-rider" // has the order of the hostile partner
)

// shop is the partner whose orders rider has.
const shop = "shop"

// stops are those of rider, in hours before and after Now: the window of the next stop,
// and how far the order is, as in passed.
var stops = []struct {
	number, name, line, code string
	from, to                 float64
	far                      int
	cod                      int64
}{
	{"N-201", "Chloé Gagnon", "220 Yonge St", "M5B 2H1", -3, -0.2, 5, 0},
	{"N-202", "Alex Martin", "100 Queen St W, Unit 4", "M5H 2N2", -2, 0.4, 5, 4999},
	{"N-203", "Sam Roy", "55 Mill St", "M5A 3C4", 1, 3, 4, 0},
	{"N-204", "Inès Pelletier", "1 Austin Terrace", "M5R 1X8", 2, 5, 2, 12050},
	{"N-205", "Noor Haddad", "300 Front St W", "M5V 0E9", 3, 6, failedAttempt, 0},
	{"N-206", "Marie-Ève Bouchard-Desrosiers", "12 Bloor St E", "M4W 1A8", -5, -2, 6, 0},
}

// addRound gives a courier the stops.
func (h *house) addRound(ctx context.Context, courierID string) error {
	nord, _, err := h.register(ctx, shop, "Librairie Nord", "elise@nord.example")
	if err != nil {
		return err
	}
	hours := func(n float64) time.Time { return Now.Add(time.Duration(n * float64(time.Hour))) }
	for i, stop := range stops {
		request := orderTo(stop.number, i, Now)
		request.Instructions = ""
		request.Pickup.Name, request.Pickup.Address = "Librairie Nord", client.Address{
			Line1: "401 Richmond St W", City: "Toronto", Province: "ON", PostalCode: "M5V 3A8", Country: client.Canada,
		}
		request.Pickup.TimeWindow = client.TimeWindow{Start: hours(stop.from - 1), End: hours(stop.to - 0.5)}
		request.Dropoff.Name, request.Dropoff.TimeWindow = stop.name,
			client.TimeWindow{Start: hours(stop.from), End: hours(stop.to)}
		request.Dropoff.Address = client.Address{
			Line1: stop.line, City: "Toronto", Province: "ON", PostalCode: stop.code, Country: client.Canada,
			Notes: "Ring twice",
		}
		if stop.cod > 0 {
			request.COD = &client.Money{AmountCents: stop.cod, Currency: client.CAD}
		}
		created, err := nord.CreateOrder(ctx, request)
		if err != nil {
			return fmt.Errorf("add the stop %s: %w", stop.number, err)
		}
		h.orders[stop.number] = created.OrderID
		if err := h.moveNow(ctx, created.OrderID, courierID, stop.far); err != nil {
			return err
		}
	}
	return nil
}

// moveNow moves an order as far as passed says, without any time between.
func (h *house) moveNow(ctx context.Context, orderID, courierID string, far int) error {
	for _, move := range movesTo(far) {
		if move.Status == client.StatusCourierAssigned {
			move.CourierID = courierID
		}
		if _, err := h.desk.ChangeOrderStatus(ctx, orderID, client.StatusMoveRequest{StatusMove: move}); err != nil {
			return fmt.Errorf("move %s to %s: %w", orderID, move.Status, err)
		}
	}
	return nil
}

// addRiders lets couriers sign in who are in states of their own.
func (h *house) addRiders(ctx context.Context) error {
	for who, courierID := range map[string]string{
		idler: h.couriers[wordyCourier], hostileRider: h.couriers[hostileCourier],
	} {
		if err := h.addOperator(ctx,
			client.OperatorRequest{Email: who, Role: client.OperatorCourier, CourierID: courierID}); err != nil {
			return err
		}
	}
	return nil
}
