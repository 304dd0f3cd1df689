package pagetest

import (
	"context"
	"fmt"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/order"
)

// addStatements has partners charged in the months before, closes April for all of them, and May for one.
func (h *house) addStatements(ctx context.Context) error {
	entries := make([]*money.Entry, 0, 24)
	for i, partnerID := range []string{h.shops.charged, h.shops.chargedHostile} {
		for day := range date.Day(12) {
			entries = append(entries, h.charged(partnerID, date.On(2026, 4, 3)+day*5, 100*i+int(day)))
		}
	}
	entries[0].Notes, entries[0].Act = "The parcel was wet, agreed by phone", money.ActAdjustment
	entries[13].Notes, entries[13].Act, entries[13].PartnerOrderID = hostileText, money.ActAdjustment, hostileText
	if err := h.orderStore.Write(ctx, func(tx order.Writer) error {
		return tx.Save(ctx, &order.Changes{Entries: entries})
	}); err != nil {
		return err
	}
	for _, partnerID := range []string{h.shops.charged, h.shops.chargedHostile} {
		if _, err := h.desk.CloseMonth(ctx, client.ClosingRequest{Period: "2026-04", PartnerID: partnerID}); err != nil {
			return err
		}
	}
	_, err := h.desk.CloseMonth(ctx, client.ClosingRequest{Period: "2026-05", PartnerID: h.shops.charged})
	return err
}

// charged returns a charge of a partner on a day, with taxes of Quebec or Ontario.
func (h *house) charged(partnerID string, day date.Day, number int) *money.Entry {
	net := int64(1299 + 317*(number%7))
	entry := &money.Entry{
		PartnerID: partnerID, EntryID: fmt.Sprintf("019d0000-0000-7000-8000-%012d", number), Day: day, At: day.Midnight(),
		RecordedAt: day.Midnight(), Act: money.ActDelivery, OrderID: h.orders["CR-1"],
		PartnerOrderID: fmt.Sprint("LD-", 1200+number),
		Lines: []money.Line{
			{Account: money.Charges, Currency: delivery.CAD, Cents: net + net/20 + net/10},
			{Account: money.Revenue, Currency: delivery.CAD, Cents: -net},
			{Account: money.TaxGST, Currency: delivery.CAD, Cents: -net / 20},
			{Account: money.TaxQST, Currency: delivery.CAD, Cents: -net / 10},
		},
	}
	if number%4 == 3 {
		entry.Act, net = money.ActCollection, -net
		if number%8 == 7 {
			entry.Act, entry.OrderID, entry.PartnerOrderID, net = money.ActRemittance, "", "", 900
		}
		entry.Lines = []money.Line{
			{Account: money.Collected, Currency: delivery.CAD, Cents: net},
			{Account: money.Bank, Currency: delivery.CAD, Cents: -net},
		}
	}
	return entry
}
