package app

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/simulate"
)

// demoShop orders in the name of the sample partner for as long as a quiet demo simulates: its
// orders are delivered within minutes, and the board would soon be empty.
type demoShop struct {
	app    *App
	end    context.CancelFunc
	ended  sync.WaitGroup
	placed int
}

// demoOpen is how many orders the shop keeps under way.
const demoOpen = 8

// startDemoShop starts the shop of a quiet demo that simulates.
func (a *App) startDemoShop() {
	if !a.config.DemoQuiet || !a.config.Simulate {
		return
	}
	ctx, end := context.WithCancel(audit.WithOperation(context.Background(),
		audit.Operation{OperatorID: simulate.Operator}))
	shop := &demoShop{app: a, end: end}
	shop.ended.Go(func() { shop.run(ctx) })
	a.atClose(ending(shop.close))
}

func (s *demoShop) close() {
	s.end()
	s.ended.Wait()
}

func (s *demoShop) run(ctx context.Context) {
	for {
		wait := s.app.At(s.app.Now().Add(s.app.config.Pace()))
		if err := s.orderIfFew(ctx); err != nil && ctx.Err() == nil {
			s.app.Log.Warn("the shop of the demo could not order, trying again", "error", err)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return
		}
	}
}

// orderIfFew places an order if few are under way. Every second one is slow, so that the
// board has orders in each status.
func (s *demoShop) orderIfFew(ctx context.Context) error {
	counts, err := s.app.dispatch.Count(ctx)
	if err != nil || counts.Open >= demoOpen {
		return err
	}
	now := s.app.Now()
	one := demoOrders[s.placed%len(demoOrders)]
	one.reference = fmt.Sprintf("ÉPI-%d", now.UnixMilli()%1e9)
	one.hours = 1 + s.placed%4
	if s.placed%2 == 0 {
		one.simulated = simulate.Slow
	}
	s.placed++
	_, err = s.app.placeDemoOrder(ctx, s.app.demo.PartnerID, one, now)
	return err
}

// placeDemoOrder creates an order of the sample partner.
func (a *App) placeDemoOrder(
	ctx context.Context, partnerID string, one demoOrder, now time.Time,
) (created order.Answer, err error) {
	body := one.request(now)
	key := idempotency.Key{PartnerID: partnerID, Scope: "POST /v1/orders"}
	if _, err := io.ReadFull(a.Random, key.UUID[:]); err != nil {
		return created, fmt.Errorf("draw an idempotency key: %w", err)
	}
	wanted, _ := form.Decode(must(body), order.ReadWanted) // keeps its faults
	return a.orders.Create(ctx, idempotency.NewRequest(key, []byte(body)), wanted)
}
