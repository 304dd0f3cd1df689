package main

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type couriersCommand struct {
	List   listCouriersCommand  `cmd:"" default:"withargs" help:"List couriers."`
	Add    addCourierCommand    `cmd:"" help:"Add a courier."`
	Change changeCourierCommand `cmd:"" help:"Change a courier, or make one inactive."`
	Jobs   jobsCommand          `cmd:"" help:"Show a courier's stops in sequence."`

	Message  messageCommand  `cmd:"" help:"Send a courier a message, which the app shows until it is confirmed."`
	Messages messagesCommand `cmd:"" help:"List the messages to a courier, and when they were read."`
}

type listCouriersCommand struct {
	listFlags
	operatorFlags
}

// Run prints the couriers.
func (c *listCouriersCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var q client.PageQuery
	return list(&c.listFlags, "couriers", largestPage, []column[client.CourierRecord]{
		text("ID", func(r client.CourierRecord) string { return r.CourierID }),
		text("NAME", func(r client.CourierRecord) string { return r.Name }),
		text("PHONE", func(r client.CourierRecord) string { return r.Phone }),
		text("VEHICLE", func(r client.CourierRecord) string { return r.Vehicle }),
		text("ACTIVE", func(r client.CourierRecord) string { return yes(r.Active) }),
	}, func(size int, option client.CallOption) ([]client.CourierRecord, bool, error) {
		q.Limit = size
		found, err := operator.ListCouriers(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Couriers, q.Cursor != "", nil
	})
}

func courierFields(r *client.CourierRecord) []terminal.Field {
	return []terminal.Field{field("id", r.CourierID), field("name",
		r.Name), field("phone", r.Phone), field("vehicle", r.Vehicle), field("active", yes(r.Active))}
}

type addCourierCommand struct {
	Name    string `arg:"" help:"Name of the courier."`
	Phone   string `help:"Phone number (example: +15145550100)." required:"" placeholder:"PHONE"`
	Vehicle string `help:"Vehicle (example: cargo bike)." required:"" placeholder:"TEXT"`
	outputFlags
	operatorFlags
}

// Run adds the courier.
func (c *addCourierCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	added, err := operator.CreateCourier(ctx, client.CourierRequest{Name: c.Name, Phone: c.Phone, Vehicle: c.Vehicle},
		client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, courierFields(added))
}

type changeCourierCommand struct {
	CourierID string `arg:"" help:"The courier."`
	Name      string `help:"New name." placeholder:"NAME"`
	Phone     string `help:"New phone number." placeholder:"PHONE"`
	Vehicle   string `help:"New vehicle." placeholder:"TEXT"`
	Active    *bool  `help:"Whether orders can be assigned to the courier." negatable:""`
	outputFlags
	operatorFlags
}

// Run changes the courier.
func (c *changeCourierCommand) Run(ctx context.Context) error {
	if c.Name == "" && c.Phone == "" && c.Vehicle == "" && c.Active == nil {
		return usageError{errors.New("--name, --phone, --vehicle, --active, --no-active: one of them is needed")}
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	changed, err := operator.ChangeCourier(ctx, c.CourierID,
		client.CourierChange{Name: c.Name, Phone: c.Phone, Vehicle: c.Vehicle, Active: c.Active}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, courierFields(changed))
}

type jobsCommand struct {
	CourierID string `arg:"" optional:"" help:"The courier. Operators who are couriers see their own stops only."`
	outputFlags
	operatorFlags
}

// Run prints the courier's stops.
func (c *jobsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := operator.ListJobs(ctx, client.JobQuery{CourierID: c.CourierID}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return newLister(c.output(), "jobs", []column[client.Job]{
		text("ORDER", func(j client.Job) string { return j.OrderID }),
		status("STATUS", func(j client.Job) client.OrderStatus { return j.Status }),
		text("STOP", func(j client.Job) string { return j.Stop.Address.Line1 + ", " + j.Stop.Address.City }),
		text("UNTIL", func(j client.Job) string { return moment(j.Stop.TimeWindow.End) }),
		figure("PARCELS", func(j client.Job) string { return number(len(j.Parcels)) }),
	}).print(found.Jobs, &answer)
}
