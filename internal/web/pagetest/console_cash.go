package pagetest

import (
	"context"
	"net/url"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
)

// cashScenes are the pages of the cash. beside is the address of answered.
func (h *house) cashScenes(beside string) (scenes []Scene) {
	admin, count := secured(page.English), "/console/cash/couriers/"+h.courierID
	for _, one := range []struct{ name, who, path string }{
		{"cash", accountant, "/console/cash"},
		{"cash-count", admin, count},
		{"cash-collected", accountant, "/console/orders/" + h.orders["CC-3"] + "/collected"},
		{"cash-order", admin, "/console/orders/" + h.orders["CC-3"]},
		{"cash-deliver", admin, "/console/orders/" + h.orders["CC-4"] + "/moves/delivered"},
	} {
		scenes = append(scenes,
			Scene{Name: "console-" + one.name, URL: h.url + one.path, Policy: page.Policy, Cookie: h.operatorSession(one.who)})
	}
	for _, kept := range []string{
		"cash-none", "cash-count-faults", "cash-deliver-faults", "cash-remit-faults", "cash-deposit-faults",
	} {
		scenes = append(scenes,
			Scene{Name: "console-" + kept, URL: beside + "/answered/" + kept, Policy: page.Policy})
	}
	return scenes
}

// addCash has a courier collect money in each way, hand some of it in, and carry the rest.
func (h *house) addCash(ctx context.Context) error {
	signing, partnerID, err := h.register(ctx, "paid", "Quincaillerie Ontario", "paid@ontario.example")
	if err != nil {
		return err
	}
	collected := func(cents int64, method client.CollectionMethod, notes string) *client.Collected {
		return &client.Collected{AmountCents: cents, Currency: client.CAD, Method: method, Notes: notes}
	}
	deliver := func(number string, i int, paid *client.Collected) error {
		order := orderTo(number, i, h.clock.Now())
		order.COD = &client.Money{AmountCents: 4999, Currency: client.CAD}
		created, err := signing.CreateOrder(ctx, order)
		if err != nil {
			return err
		}
		h.orders[number] = created.OrderID
		if err := h.moveNow(ctx, created.OrderID, h.courierID, len(steps)-1); err != nil || paid == nil {
			return err
		}
		move := client.StatusMoveRequest{StatusMove: client.StatusMove{Status: client.StatusDelivered}, Collected: paid}
		if paid.Method == client.PaidUnconfirmed { // as the app of 0.1 does
			move.Collected = nil
		}
		_, err = h.desk.ChangeOrderStatus(ctx, created.OrderID, move)
		return err
	}
	if err := deliver("CC-1", 0, collected(4999, client.PaidCash, "")); err != nil {
		return err
	}
	if _, err := h.desk.CreateHandIn(ctx, h.courierID,
		client.HandInRequest{CountedCents: 4549, Currency: client.CAD, Notes: hostileText}); err != nil {
		return err
	}
	for _, required := range []bool{false, true} {
		if _, err := h.desk.ChangeBooks(ctx, client.BooksChange{RequireCollected: &required}); err != nil {
			return err
		}
		if required {
			break
		}
		if err := deliver("CC-2", 1, collected(0, client.PaidUnconfirmed, "")); err != nil {
			return err
		}
	}
	if err := deliver("CC-3", 2, collected(4000, client.PaidCash, hostileText)); err != nil {
		return err
	}
	if err := deliver("CC-4", 3, nil); err != nil {
		return err
	}
	count, cash := "/console/cash/couriers/"+h.courierID, "/console/cash"
	return h.keepAll(ctx, []sent{
		{"cash-count-faults", count, url.Values{
			"counted_cents": {"4x"}, "kept_cents": {"999999"}, "currency": {"CAD"}, "expected_cents": {"1"},
		}},
		{"cash-deliver-faults", "/console/orders/" + h.orders["CC-4"] + "/moves/delivered", url.Values{
			"_version": {"6"}, "collected.amount_cents": {"40"}, "collected.method": {"cash"},
		}},
		{"cash-remit-faults", cash + "/remittances", url.Values{
			"partner_id": {partnerID + " CAD"}, "remittance.amount_cents": {"99999"},
		}},
		{"cash-deposit-faults", cash + "/deposits", url.Values{
			"deposit.amount_cents": {"99999"}, "deposit.currency": {"CAD"},
		}},
	})
}
