package main

import (
	"context"
	"fmt"
	"os"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
)

// dispatcher returns the operator who moves live orders: of the profile, or of
// DROPYARD_OPERATOR_EMAIL and DROPYARD_OPERATOR_PASSWORD in the environment.
func (c *triggerCommand) dispatcher(ctx context.Context) (*client.Operator, error) {
	email, password := os.Getenv("DROPYARD_OPERATOR_EMAIL"), os.Getenv("DROPYARD_OPERATOR_PASSWORD")
	if os.Getenv("DROPYARD_OPERATOR_TOKEN") != "" || email == "" || password == "" {
		operator, err := c.operator()
		if err != nil {
			return nil, fmt.Errorf("a live order is moved by an operator: %w; with a test key, the service moves it", err)
		}
		return operator, nil
	}
	service := client.NewService(c.Server)
	issued, err := service.CreateToken(ctx,
		client.TokenRequest{Email: email, Password: password, Name: "dropyard trigger"})
	if err != nil {
		return nil, fmt.Errorf("log the operator in: %w", err)
	}
	return newOperator(c.Server, issued.Token), nil
}

// anyCourier returns the id of an active courier, and adds one if there is none.
func anyCourier(ctx context.Context, operator *client.Operator) (courierID string, err error) {
	for courier, err := range operator.Couriers(ctx, client.PageQuery{Limit: 500}) {
		switch {
		case err != nil:
			return "", fmt.Errorf("find a courier: %w", err)
		case courier.Active:
			return courier.CourierID, nil
		}
	}
	added, err := operator.CreateCourier(ctx,
		client.CourierRequest{Name: "Sandbox", Phone: "+15145550177", Vehicle: "cargo bike"})
	if err != nil {
		return "", fmt.Errorf("add a courier: %w", err)
	}
	return added.CourierID, nil
}

// move moves an order to its next status. Only courier_assigned needs the courier.
func move(ctx context.Context, operator *client.Operator, orderID string, to delivery.Status, courierID string) error {
	step := client.StatusMove{Status: client.OrderStatus(to), Notes: "dropyard trigger"}
	switch to {
	case delivery.StatusCourierAssigned:
		step.CourierID = courierID
	case delivery.StatusFailed:
		step.FailureReason = "nobody was there (a test)"
	case delivery.StatusCancelled:
		step.Reason = "a test"
	default:
	}
	_, err := operator.ChangeOrderStatus(ctx, orderID, client.StatusMoveRequest{StatusMove: step})
	return err
}
