package app

import (
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/simulate"
)

// openSimulation creates the simulation, which moves the orders of test accounts, and
// those of live ones if the settings ask for it.
func (a *App) openSimulation() {
	a.simulator = simulate.New(simulate.Config{
		Store: a.store.Simulation(), Dispatch: simulated{a.orders, a.operators},
		Live: a.config.Simulate, Pace: a.config.Pace(), Now: a.Now, At: a.At, Log: a.Log,
	})
	a.atClose(ending(a.simulator.Close))
}

// startSimulation starts the simulation.
func (a *App) startSimulation() {
	if a.config.Simulate {
		a.Log.Warn("a simulation moves the live orders of all partners", "pace", a.config.SimulatePace)
	}
	a.simulator.Run()
}

// simulated is the simulate.Dispatch. It moves live orders as operators do.
type simulated struct {
	orders    *order.Service
	operators *operator.Service
}

// Advance moves an order if it still has the given version.
func (s simulated) Advance(ctx context.Context, orderID string, version int64, move simulate.Move) error {
	advance := order.Advance{
		Status: move.To, Notes: move.Notes, CourierID: move.CourierID, FailureReason: move.FailureReason,
		NextAttempt: move.NextAttempt, Reason: move.Reason, Version: version,
	}
	if move.To == delivery.StatusDelivered {
		delivered, err := s.orders.Track(ctx, orderID)
		if err != nil {
			return err
		}
		advance.Collected = delivered.CollectedAsAsked()
	}
	_, err := s.orders.Advance(ctx, nil, orderID, advance)
	if err != nil || len(delivery.NextStatuses(move.To)) > 0 {
		return err
	}
	return s.receive(ctx, orderID)
}

// receive receives the goods of an order that was given up, or brought to a warehouse, as the warehouse
// does. Most orders that have ended have none that come back.
func (s simulated) receive(ctx context.Context, orderID string) error {
	err := s.orders.ReceiveAll(ctx, orderID)
	if refusal.HasCode(err, refusal.CodeConflict) {
		return nil
	}
	return err
}

// AdvanceTest moves a test order if it still has the given version.
func (s simulated) AdvanceTest(ctx context.Context, orderID string, version int64, move simulate.Move) error {
	err := s.orders.AdvanceTest(ctx, orderID, version, order.TestMove{
		To: move.To, Notes: move.Notes, Courier: move.Courier,
		FailureReason: move.FailureReason, NextAttempt: move.NextAttempt, Reason: move.Reason,
	})
	if err != nil || len(delivery.NextStatuses(move.To)) > 0 {
		return err
	}
	return s.receive(ctx, orderID)
}

// Confirm notes that the courier of an order has seen its edits.
func (s simulated) Confirm(ctx context.Context, orderID string, version int64) error {
	if delivery.IsTestOrder(orderID) {
		return s.orders.ConfirmTest(ctx, orderID, version)
	}
	_, err := s.orders.Confirm(ctx, nil, orderID, order.Confirmation{Version: version})
	return err
}

// Answer answers the request to cancel an order.
func (s simulated) Answer(ctx context.Context, orderID string, granted bool, text string) error {
	wanted := order.CancellationAnswer{Granted: granted, Text: text}
	var err error
	if delivery.IsTestOrder(orderID) {
		err = s.orders.AnswerTest(ctx, orderID, wanted)
	} else {
		_, err = s.orders.AnswerCancellation(ctx, nil, orderID, wanted)
	}
	if err != nil || !granted {
		return err
	}
	return s.receive(ctx, orderID)
}

// HandOver gives the parcels of a live order to another courier.
func (s simulated) HandOver(ctx context.Context, orderID string, version int64, courierID string) error {
	_, err := s.orders.Transfer(ctx, nil, orderID, order.Transfer{CourierID: courierID, Version: version})
	return err
}

// HandOverTest gives the parcels of a test order to another courier.
func (s simulated) HandOverTest(ctx context.Context, orderID string, version int64, to *delivery.Courier) error {
	return s.orders.TransferTest(ctx, orderID, version, to)
}

// Couriers returns the ids of the active couriers by name.
func (s simulated) Couriers(ctx context.Context) (map[string]string, error) {
	const page = 500
	known := map[string]string{}
	for cursor := ""; ; {
		couriers, err := s.operators.Couriers(ctx, cursor, page)
		if err != nil {
			return nil, err
		}
		for _, c := range couriers.Couriers {
			if c.Active {
				known[c.Name] = c.CourierID
			}
		}
		if cursor = couriers.Next; cursor == "" {
			return known, nil
		}
	}
}

// AddCourier adds a courier.
func (s simulated) AddCourier(ctx context.Context, name, phone, vehicle string) (string, error) {
	courier, err := s.operators.CreateCourier(ctx, operator.CourierEntry{Name: name, Phone: phone, Vehicle: vehicle})
	if err != nil {
		return "", err
	}
	return courier.CourierID, nil
}
