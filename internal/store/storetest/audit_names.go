package storetest

import (
	"context"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// testNames stores something of each kind that the audit log names, and asks for the names.
func testNames(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1042", testkit.Epoch)
	must(t, s.Partners().Write(ctx, func(tx partner.Writer) error {
		account := partnerNumber(1)
		account.PartnerID = o.PartnerID
		_, err := tx.AddPartner(ctx, account)
		return err
	}))
	must(t, save(ctx, s, creation(o, 1)))
	desk := account(1, operator.RoleAdmin)
	addAccounts(t, s, desk)
	writeOperators(t, s, func(tx operator.Writer) error {
		return tx.AddCourier(ctx, &operator.Courier{
			Courier: delivery.Courier{CourierID: "cou_1", Name: "Camille"}, CreatedAt: at(1),
		})
	})
	must(t, s.Stock().Write(ctx, func(tx stock.Writer) error {
		_, err := tx.AddProducts(ctx, o.PartnerID, testkit.Epoch, delivery.Product{Name: "Lamp", Status: "active"})
		return err
	}))
	readOperators(t, s, func(tx operator.Reader) error {
		names, err := tx.NamesOf(ctx, []string{
			o.OrderID, "opr_1", "cou_1", o.PartnerID, operator.ProductKey(o.PartnerID, "1"), "", "command line", "opr_none",
			operator.ProductKey(o.PartnerID, "2"), operator.ProductKey(o.PartnerID, "no number"),
		})
		must(t, err)
		same(t, "names", names, operator.Names{
			o.OrderID: "A-1042", "opr_1": desk.Email, "cou_1": "Camille", o.PartnerID: partnerNumber(1).Name,
			operator.ProductKey(o.PartnerID, "1"): "Lamp",
		})
		testNumbers(ctx, t, tx, o)
		return nil
	})
}

// testNumbers looks for an order by its number.
func testNumbers(ctx context.Context, t *testing.T, tx operator.Reader, o *delivery.Order) {
	t.Helper()
	for _, c := range []struct {
		partnerID, number string
		want              []string
	}{
		{"", o.PartnerOrderID, []string{o.OrderID}}, {o.PartnerID, o.PartnerOrderID, []string{o.OrderID}},
		{"par_none", o.PartnerOrderID, nil}, {"", "A-1043", nil}, {"", o.OrderID, nil},
	} {
		found, err := tx.OrdersNumbered(ctx, c.partnerID, c.number, 5)
		must(t, err)
		same(t, "orders with the number "+c.number+" of "+c.partnerID, found, c.want)
	}
}
