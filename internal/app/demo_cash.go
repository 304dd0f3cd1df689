package app

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/money"
)

// The evening of a day of the demo's history: when cash is counted, and what was missing once.
const (
	demoCount   = 21 * time.Hour
	demoMissing = 250 // cents
)

// countCash counts the couriers' cash in the evening of a day, which begins at a midnight. On Fridays it goes to the
// bank, and partners are sent what was collected for them.
func (d *demoDay) countCash(ctx context.Context, midnight time.Time) error {
	at := midnight.Add(demoCount)
	books := d.app.accounting.At(func() time.Time { return at })
	carriers, err := books.Carriers(ctx)
	if err != nil {
		return err
	}
	for i, carrier := range carriers {
		handIn := accounting.HandIn{Currency: carrier.Currency, Counted: carrier.Cents}
		if i == 0 && midnight.Weekday() == time.Wednesday && carrier.Cents > demoMissing {
			handIn.Counted, handIn.Notes = carrier.Cents-demoMissing, "Wrong change"
		}
		if _, err := books.HandIn(ctx, carrier.CourierID, handIn); err != nil {
			return err
		}
	}
	if midnight.Weekday() != time.Friday {
		return nil
	}
	desk, err := books.AtDesk(ctx)
	if err != nil {
		return err
	}
	for _, sum := range desk {
		if sum.Cents <= 0 {
			continue
		}
		deposit := accounting.Deposit{Money: delivery.Money{AmountCents: sum.Cents, Currency: sum.Currency}, From: money.Desk}
		if _, err := books.Deposit(ctx, deposit); err != nil {
			return err
		}
	}
	due, err := books.ToRemit(ctx)
	for _, one := range due {
		if err != nil {
			return err
		}
		_, err = books.Remit(ctx, one.PartnerID, accounting.Remittance{
			Money: delivery.Money{AmountCents: one.Cents, Currency: one.Currency}, From: money.Bank, Notes: "Weekly transfer",
		})
	}
	return err
}
