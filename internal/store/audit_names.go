package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	orderNumber       = orders.Pick("order_id", "partner_order_id")
	findOrderNumbers  = db.LookUpSome(byOrder, orders, orderNumber)
	findProductNames  = db.LookUpSome(byProduct, products, products.Pick("partner_id", "product_id", "name"))
	findCourierNames  = db.LookUpSome(db.ByID("courier_id"), couriers, couriers.Pick("courier_id", "name"))
	findUserAddresses = db.LookUpSome(db.ByID("user_id"), users, users.Pick("user_id", "email"))
)

// NamesOf returns the names of what has these keys, as far as it is known.
func (tx operatorTx) NamesOf(ctx context.Context, keys []string) (operator.Names, error) {
	var numbered []order.OrderKey
	var sold []movement.ProductKey
	var ids []string
	for _, key := range keys {
		partnerID, product, isProduct := strings.Cut(key, "/")
		if productID, err := strconv.ParseInt(product, 10, 64); isProduct && err == nil {
			sold = append(sold, movement.ProductKey{PartnerID: partnerID, ProductID: productID})
		} else if partnerID, isOrder := delivery.PartnerOfLiveOrder(key); isOrder {
			numbered = append(numbered, order.OrderKey{PartnerID: partnerID, OrderID: key})
		} else {
			ids = append(ids, key)
		}
	}
	p := db.NewPipeline(tx.conn)
	byNumber, byName := db.Find(p, findOrderNumbers, numbered), db.Find(p, findProductNames, sold)
	ofCouriers, ofPartners := db.Find(p, findCourierNames, ids), db.Find(p, findPartnerNames, ids)
	ofOperators, ofUsers := db.Find(p, findOperatorEmails, ids), db.Find(p, findUserAddresses, ids)
	done, err := p.Flush(ctx)
	names := operator.Names{}
	for _, found := range byNumber.After(done) {
		names[found.OrderID] = found.PartnerOrderID
	}
	for _, found := range byName.After(done) {
		names[operator.ProductKey(found.partnerID, strconv.FormatInt(found.ProductID, 10))] = found.Name
	}
	for _, found := range ofCouriers.After(done) {
		names[found.CourierID] = found.Name
	}
	for _, found := range ofPartners.After(done) {
		names[found.PartnerID] = found.Name
	}
	for _, found := range ofOperators.After(done) {
		names[found.OperatorID] = found.Email
	}
	for _, found := range ofUsers.After(done) {
		names[found.UserID] = found.Email
	}
	return names, err
}

// OrdersNumbered returns the ids of the orders with a number, of one partner, or of all if
// partnerID is empty.
func (tx operatorTx) OrdersNumbered(
	ctx context.Context, partnerID, number string, limit int,
) (found []string, err error) {
	err = tx.conn.Query(ctx, "SELECT o.order_id"+fromNumbered, []any{number, partnerID, limit}, func(r db.Row) error {
		var id string
		if err := r.Scan(&id); err != nil {
			return err
		}
		found = append(found, id)
		return nil
	})
	return found, err
}
