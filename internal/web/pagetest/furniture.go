package pagetest

import (
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/client"
)

// places are where orders go, with the names of their recipients.
var places = []struct {
	name, city, postalCode string
	province               client.Province
}{
	{"Alex Martin", "Toronto", "M5H 2N2", "ON"}, {"Chloé Gagnon", "Laval", "H7N 1A1", "QC"},
	{"Sam Roy", "Ottawa", "K1P 1J1", "ON"}, {"Inès Pelletier", "Montréal", "H2X 1Y4", "QC"},
	{"Noor Haddad", "Québec", "G1R 4P5", "QC"},
}

// passed is how far each of Metro's orders gets, the newest last.
var passed = []int{6, 6, 7, 6, 6, 5, 8, 4, 3, 2, 1, 0}

// steps are the statuses of an order that is delivered. The seventh stands for a failed
// attempt instead of the delivery, and the eighth for a cancellation.
var steps = []client.OrderStatus{
	"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered",
}

const (
	failedAttempt = 7
	cancelled     = 8
)

// orderTo returns an order to one of the places.
func orderTo(reference string, i int, from time.Time) client.OrderRequest {
	to := places[i%len(places)]
	from = from.Truncate(time.Hour)
	contact := func(name, email string, address client.Address, start time.Time) client.Contact {
		return client.Contact{
			Name: name, Phone: "+15145550100", Email: email, Address: address,
			TimeWindow: client.TimeWindow{Start: start, End: start.Add(3 * time.Hour)},
		}
	}
	return client.OrderRequest{
		PartnerOrderID: reference, ServiceLevel: client.LevelExpress,
		Pickup: contact("Épicerie Métro", "boutique@metro.example", client.Address{
			Line1: "4000 Rue Saint-Denis", City: "Montréal", Province: "QC", PostalCode: "H2W 2M5", Country: client.Canada,
		}, from),
		Dropoff: contact(to.name, "client@metro.example", client.Address{
			Line1: fmt.Sprintf("%d Rue Principale", 100+i), City: to.city, Province: to.province, PostalCode: to.postalCode,
			Country: client.Canada, Notes: "Sonner deux fois",
		}, from.Add(4*time.Hour)),
		Parcels: []client.Parcel{
			{ParcelID: "P-1", Description: "Épicerie", LengthCM: 30, WidthCM: 20, HeightCM: 10, WeightKG: 2.5, ValueCents: 4500},
			{
				ParcelID: "P-2", Description: "Lampe", LengthCM: 40, WidthCM: 40, HeightCM: 60, WeightKG: 3, ValueCents: 12000,
				Fragile: true,
			},
		},
		Instructions: "Appeler en arrivant",
	}
}

// addMetro adds a partner with stock, and an order in every status.
func (h *house) addMetro(ctx context.Context) error {
	metro, partnerID, err := h.register(ctx, owner, "Épicerie Métro", "lea@metro.example")
	if err != nil {
		return err
	}
	if err := h.receive(ctx, owner, "/metro"); err != nil {
		return err
	}
	if err := h.stockUp(ctx, partnerID); err != nil {
		return err
	}
	courier, err := h.desk.CreateCourier(ctx,
		client.CourierRequest{Name: "Amélie Tremblay", Phone: "+15145550177", Vehicle: "cargo bike"})
	if err != nil {
		return err
	}
	h.courierID = courier.CourierID
	for i, far := range passed {
		request := orderTo(fmt.Sprintf("A-%d", 1031+i), i, h.clock.Now().Add(3*time.Hour))
		if i%3 == 0 {
			request.Items = []client.Item{{ProductID: 1, Quantity: 2}}
		}
		created, err := metro.CreateOrder(ctx, request)
		if err != nil {
			return err
		}
		if err := h.move(ctx, created.OrderID, courier.CourierID, far); err != nil {
			return err
		}
		h.orders[created.PartnerOrderID] = created.OrderID
		h.clock.Advance(2 * time.Hour)
	}
	return nil
}

// movesTo returns the moves of an order that gets as far as passed says.
func movesTo(far int) []client.StatusMove {
	moves := make([]client.StatusMove, 0, len(steps))
	for _, status := range steps[:min(far, len(steps)-1)] {
		moves = append(moves, client.StatusMove{Status: status})
	}
	switch far {
	case len(steps):
		return append(moves, client.StatusMove{Status: client.StatusDelivered})
	case failedAttempt:
		return append(moves,
			client.StatusMove{Status: client.StatusFailed, FailureReason: "not_home", NextAttempt: Now.Add(20 * time.Hour)})
	case cancelled:
		return []client.StatusMove{{Status: client.StatusCancelled, Reason: "Changed my mind"}}
	}
	return moves
}

// move moves an order as far as passed says.
func (h *house) move(ctx context.Context, orderID, courierID string, far int) error {
	for _, move := range movesTo(far) {
		if move.Status == client.StatusCourierAssigned {
			move.CourierID = courierID
		}
		if _, err := h.desk.ChangeOrderStatus(ctx, orderID, client.StatusMoveRequest{StatusMove: move}); err != nil {
			return fmt.Errorf("move %s to %s: %w", orderID, move.Status, err)
		}
		if err := h.receivers.wait(); err != nil {
			return err
		}
		h.clock.Advance(7 * time.Minute)
	}
	return nil
}

// stockUp adds products, of which one is low.
func (h *house) stockUp(ctx context.Context, partnerID string) error {
	for i, name := range []string{"Sirop d’érable 540 ml", "Café torréfié 1 kg", "Couverture de laine"} {
		product, err := h.desk.CreateProduct(ctx, partnerID, client.ProductRequest{
			Name: name, Price: 12.99 * float64(i+1), StockMin: 10, StockMax: 200, Barcode: fmt.Sprintf("06278434000%02d", 11+i),
		})
		if err != nil {
			return err
		}
		for location, quantity := range map[string]int64{"MTL-1": []int64{120, 60, 3}[i], "TOR-1": []int64{40, 25, 1}[i]} {
			receipt := client.MovementRequest{
				Type: client.MovementIn, ProductID: product.ProductID, Quantity: quantity, Location: location,
			}
			if _, err := h.desk.CreateMovement(ctx, partnerID, receipt); err != nil {
				return err
			}
		}
	}
	return nil
}

// addNewcomer adds a partner that has done nothing yet.
func (h *house) addNewcomer(ctx context.Context) error {
	const email = "nadia@nord.example"
	_, err := h.open(ctx, "Librairie Nord", email)
	h.emails[newcomer] = email
	return err
}

// addHostile adds a partner that writes markup wherever it can.
func (h *house) addHostile(ctx context.Context) error {
	bad, partnerID, err := h.register(ctx, hostiles, hostileName, "mallory@bad.example")
	if err != nil {
		return err
	}
	if _, err := h.desk.CreateProduct(ctx, partnerID,
		client.ProductRequest{Name: hostileName, Price: 1, StockMin: 5, StockMax: 9, Barcode: hostileText}); err != nil {
		return err
	}
	receipt := client.MovementRequest{
		Type: client.MovementIn, ProductID: 1, Quantity: 3, Location: "<script>hacked = 1</script>",
	}
	if _, err := h.desk.CreateMovement(ctx, partnerID, receipt); err != nil {
		return err
	}
	request := orderTo(hostileText, 1, h.clock.Now())
	request.Instructions, request.Reference = hostileText, "<b>"
	for _, contact := range []*client.Contact{&request.Pickup, &request.Dropoff} {
		contact.Name, contact.Address.Line1, contact.Address.City, contact.Address.Notes = hostileText, hostileText,
			hostileText, hostileText
	}
	request.Parcels[0].Description, request.Parcels[0].ParcelID = hostileText, hostileText
	created, err := bad.CreateOrder(ctx, request)
	if err != nil {
		return err
	}
	h.orders[hostileText] = created.OrderID
	return nil
}
