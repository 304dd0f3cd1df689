package app

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
)

// openOrders starts the service of orders. The services that it calls must be
// there already.
func (a *App) openOrders() {
	kept := a.store.Orders()
	if a.OrderStore != nil {
		kept = a.OrderStore(kept)
	}
	a.orders = order.NewService(order.Config{
		Store:       kept,
		ByPartner:   a.store.Sharded(),
		Now:         a.Now,
		Random:      a.Random,
		Card:        a.cardOf,
		Calendar:    a.calendar,
		Zone:        a.Zones.Location(a.config.Zone()),
		Editable:    func(ctx context.Context) error { return a.nodes.editable(ctx) },
		Quota:       a.quotaOf,
		Admits:      a.admits,
		Quoter:      quoterOf(a.masterKey),
		Mail:        a.recipients.OfMove,
		TrackingURL: func(orderID string) string { return a.URL() + "/track/" + orderID },
		ProofURL:    a.proofURL,
		Announce:    a.sender.Wake,
		Created:     a.created,
		HandedOver:  a.handOver,
		Committed:   a.committed,
		Written:     a.written,
		Observer:    a.metrics.Orders(),
		Tracer:      a.tracer,
		Damaged:     a.unreadableOrder,
	})
	a.atClose(ending(a.orders.Close))
}

// handOverTime is how long keeping a sequence may take after the orders have moved.
const handOverTime = 10 * time.Second

// handOver keeps the sequence of orders that have another courier now. The orders have
// moved: a caller who has hung up, or was removed, ends nothing.
func (a *App) handOver(ctx context.Context, to string, from map[string]string) {
	ctx, cancel := context.WithTimeout(actor.Without(context.WithoutCancel(ctx)), handOverTime)
	defer cancel()
	if err := a.dispatch.HandOver(ctx, to, from); err != nil {
		a.Log.Error("orders that were handed over have no place in their new courier's sequence", "courier_id", to, "orders",
			len(from), "error", err)
	}
}

// created is called with the accounts whose new orders have been committed.
func (a *App) created(partnerIDs ...string) {
	a.acceptor.Wake(partnerIDs...)
	a.simulator.Wake(partnerIDs...)
}

// unreadable returns a function that counts a stored document that cannot be read.
func (a *App) unreadable(kind string) func() {
	return func() { a.metrics.Unreadable(kind) }
}

// unreadableOrder logs and counts a stored order that cannot be read.
func (a *App) unreadableOrder(damaged *delivery.DamagedError) {
	a.metrics.Unreadable("order")
	a.Log.Error("a stored order cannot be read", "order_id", damaged.OrderID, "error", damaged.Err)
}

// cardOf returns the rate card in force for a partner at a time.
func (a *App) cardOf(ctx context.Context, partnerID string, at time.Time) (*pricing.Card, error) {
	settings, err := a.partners.Settings(ctx, partnerID)
	if err != nil {
		return nil, err
	}
	return a.rateCards.At(ctx, settings.RateCard, at)
}

// admits returns why a partner may not have new orders: it does not exist, is suspended or awaits approval.
func (a *App) admits(ctx context.Context, partnerID string) error {
	found, err := a.partners.Overview(ctx, partnerID)
	if err != nil {
		return err
	}
	return found.Refusal()
}

// admitsData returns why a partner may not add data: its account is new, and the disk is nearly full.
func (a *App) admitsData(ctx context.Context, partnerID string) error {
	settings, err := a.partners.Settings(ctx, partnerID)
	if err != nil {
		return err
	}
	return a.refuseNew(settings)
}

func (a *App) refuseNew(settings partner.Settings) error {
	if settings.Established(a.Now()) {
		return nil
	}
	return a.refuseStrangers()
}

// quotaOf returns the limits of a partner. It refuses new accounts while the disk is nearly
// full.
func (a *App) quotaOf(ctx context.Context, partnerID string) (order.Quota, error) {
	settings, err := a.partners.Settings(ctx, partnerID)
	if err != nil {
		return order.Quota{}, err
	}
	if err := a.refuseNew(settings); err != nil {
		return order.Quota{}, err
	}
	quota := order.Quota{OrdersPerDay: settings.OrdersPerDay}
	if quota.OrdersPerDay == partner.DefaultQuota {
		quota.OrdersPerDay = a.config.OrdersPerDay
	}
	quota.StoredBytes, quota.GrowsIn = settings.BytesQuota(a.config.StoredBytes, a.config.NewAccountBytes, a.Now())
	return quota, nil
}
