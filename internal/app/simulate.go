package app

import (
	"context"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/simulate"
)

// startSimulation starts the simulation if the settings ask for it.
func (a *App) startSimulation() {
	if !a.config.Simulate {
		return
	}
	a.Log.Warn("a simulation moves the orders of all partners", "pace", a.config.SimulatePace)
	a.simulator = simulate.Start(simulate.Config{
		Store: a.store.Simulation(), Dispatch: simulated{a.orders, a.operators},
		Pace: a.config.SimulatePace, Now: a.Now, At: a.At, Log: a.Log,
	})
}

// simulated is the simulate.Dispatch. It moves orders by the same requests as
// operators send.
type simulated struct {
	orders    *order.Service
	operators *operator.Service
}

// requestOf encodes and parses a request, so that it is read as if an operator had
// sent it.
func requestOf(value any) (form.Source, error) {
	body, err := strictjson.Marshal(value)
	if err != nil {
		return nil, err
	}
	return strictjson.Parse(body)
}

// Advance moves an order if it still has the given version.
func (s simulated) Advance(ctx context.Context, orderID string, version int64, move simulate.Move) error {
	request := map[string]any{"status": move.To, "version": version}
	for name, text := range map[string]string{
		"notes": move.Notes, "courier_id": move.CourierID, "failure_reason": move.FailureReason, "reason": move.Reason,
	} {
		if text != "" {
			request[name] = text
		}
	}
	if move.NextAttempt != nil {
		request["next_attempt"] = *move.NextAttempt
	}
	body, err := requestOf(request)
	if err != nil {
		return err
	}
	_, err = s.orders.Advance(ctx, "", orderID, body)
	return err
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
	body, err := requestOf(map[string]any{"name": name, "phone": phone, "vehicle": vehicle})
	if err != nil {
		return "", err
	}
	courier, err := s.operators.CreateCourier(ctx, body)
	if err != nil {
		return "", err
	}
	return courier.CourierID, nil
}
