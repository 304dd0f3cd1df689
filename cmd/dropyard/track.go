package main

import (
	"context"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type trackCommand struct {
	OrderID string `arg:"" help:"The order (ord_…)."`
	outputFlags
	profileFlags
}

// Run prints what anyone may see of the order. It needs no credentials.
func (c *trackCommand) Run(ctx context.Context) error {
	service, err := c.service()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := service.TrackOrder(ctx, c.OrderID, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	fields := []terminal.Field{
		field("order", found.OrderID),
		statusField("status", found.Status),
		field("level", string(found.ServiceLevel)),
		field("from", found.Origin.City+", "+string(found.Origin.Province)),
		field("to", found.Destination.City+", "+string(found.Destination.Province)),
		field("parcels", number(found.ParcelCount)),
		field("estimate", exactly(found.EstimatedDelivery)),
	}
	if found.Courier != nil {
		fields = append(fields, field("courier", found.Courier.FirstName+", "+found.Courier.Vehicle))
	}
	if found.FailedAttempt != nil {
		fields = append(fields, field("last attempt", string(found.FailedAttempt.Reason)),
			field("next attempt", exactly(found.FailedAttempt.NextAttempt)))
	}
	out := c.output()
	if err := out.record(&answer, fields); err != nil {
		return err
	}
	return out.history(found.StatusHistory)
}
