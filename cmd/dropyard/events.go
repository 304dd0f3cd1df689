package main

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type eventsCommand struct {
	List      listEventsCommand `cmd:"" default:"withargs" help:"List the events of your orders, newest first."`
	Get       getEventCommand   `cmd:"" help:"Show an event, its body and the attempts to deliver it."`
	Redeliver redeliverCommand  `cmd:"" help:"Send an event again, or all since a time."`
}

type listEventsCommand struct {
	Type  client.EventType  `help:"Only events of this type (example: order.delivered)." placeholder:"TYPE"`
	Order string            `help:"Only events of this order." placeholder:"ORDER-ID"`
	State client.EventState `help:"Only events in this state: pending, delivered, failed or skipped." placeholder:"STATE"`

	Endpoint string `help:"Only events for this endpoint, with their state there." placeholder:"ENDPOINT-ID"`
	listFlags
	partnerFlags
}

// Run prints the events that the flags choose.
func (c *listEventsCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	q := client.EventQuery{Type: c.Type, OrderID: c.Order, State: c.State, EndpointID: c.Endpoint}
	return list(&c.listFlags, "events", largestPage, []column[client.EventRecord]{
		text("EVENT", func(e client.EventRecord) string { return e.EventID }),
		text("TYPE", func(e client.EventRecord) string { return string(e.Type) }),
		text("ORDER", func(e client.EventRecord) string { return e.OrderID }),
		status("STATE", func(e client.EventRecord) client.EventState { return e.State }),
		figure("ATTEMPTS", func(e client.EventRecord) string { return number(e.Attempts) }),
		text("NEXT ATTEMPT", func(e client.EventRecord) string { return moment(e.NextAttemptAt) }),
		text("CREATED", func(e client.EventRecord) string { return moment(e.CreatedAt) }),
	}, func(size int, option client.CallOption) ([]client.EventRecord, bool, error) {
		q.Limit = size
		found, err := partner.ListEvents(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Events, q.Cursor != "", nil
	})
}

type getEventCommand struct {
	EventID string `arg:"" help:"The event."`
	outputFlags
	partnerFlags
}

// Run prints the event, its body and its attempts.
func (c *getEventCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	event, err := partner.GetEvent(ctx, c.EventID, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	out := c.output()
	fields := eventFields(&event.EventRecord)
	if waits(&event.EventRecord, time.Now()) {
		fields = append(fields, field("waits for",
			"an earlier event of the same order, or an endpoint that is off or fails; try dropyard webhooks test"))
	}
	if err := out.record(&answer, fields); err != nil || out.json {
		return err
	}
	if err := out.say("\n%s\n", event.Body); err != nil {
		return err
	}
	if err := printAttempts(out, event.AttemptLog); err != nil || len(event.Deliveries) == 0 {
		return err
	}
	if len(event.AttemptLog) > 0 {
		if err := out.say(""); err != nil {
			return err
		}
	}
	table := terminal.NewTable(out.to, out.palette,
		[]terminal.Column{{Title: "ENDPOINT"}, {Title: "STATE"}, {Title: "ATTEMPTS", Right: true}})
	for _, at := range event.Deliveries {
		table.Add(terminal.Cell{Text: at.EndpointID}, terminal.Cell{Text: string(at.State)},
			terminal.Cell{Text: number(at.Attempts)})
	}
	return table.Flush()
}

// waits reports whether an event is not sent although it is due: something is in front of it, or the endpoint is
// disabled or, after failures, only probed.
func waits(e *client.EventRecord, now time.Time) bool {
	return e.State == client.EventPending && e.NextAttemptAt.Before(now.Add(-time.Minute)) // which the zero time is, too
}

// printAttempts prints the attempts to deliver an event to the first endpoint.
func printAttempts(out *output, attempts []client.Attempt) error {
	if len(attempts) == 0 {
		return nil
	}
	table := terminal.NewTable(out.to, out.palette,
		[]terminal.Column{{Title: "ATTEMPTED"}, {Title: "ANSWER"}, {Title: "TOOK", Right: true}})
	for _, attempt := range attempts {
		style := terminal.Green
		if !attempt.Delivered {
			style = terminal.Red
		}
		table.Add(terminal.Cell{Text: exactly(attempt.AttemptedAt)}, terminal.Cell{Text: answered(attempt.StatusCode,
			attempt.Error), Style: style}, terminal.Cell{Text: number(attempt.DurationMS) + " ms"})
	}
	return table.Flush()
}

func eventFields(e *client.EventRecord) []terminal.Field {
	return []terminal.Field{
		field("event", e.EventID),
		field("type", string(e.Type)),
		field("order", e.OrderID),
		field("sequence", number(e.Sequence)),
		statusField("state", e.State),
		field("attempts", number(e.Attempts)),
		field("next attempt", exactly(e.NextAttemptAt)),
		field("created", exactly(e.CreatedAt)),
	}
}

type redeliverCommand struct {
	EventID string            `arg:"" optional:"" help:"The event."`
	Since   time.Time         `help:"Send all events since this time (example: 2026-11-23T00:00:00Z), instead of one." placeholder:"TIME"`
	Type    client.EventType  `help:"With --since: only events of this type." placeholder:"TYPE"`
	State   client.EventState `help:"With --since: only events in this state (example: failed)." placeholder:"STATE"`

	Endpoint string `help:"Endpoint to send to. Default: the first." placeholder:"ENDPOINT-ID"`
	outputFlags
	partnerFlags
}

// Run sends one event again, or all that the flags choose.
func (c *redeliverCommand) Run(ctx context.Context) error {
	switch {
	case c.EventID == "" && c.Since.IsZero():
		return usageError{errors.New("<event-id>, --since: one of them is needed")}
	case c.EventID != "" && !c.Since.IsZero():
		return usageError{errors.New("<event-id>, --since: only one of them is possible")}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	if c.EventID != "" {
		event, err := partner.RedeliverEventTo(ctx, c.EventID, client.EndpointQuery{EndpointID: c.Endpoint},
			client.WithAnswer(&answer))
		if err != nil {
			return err
		}
		return c.output().record(&answer, eventFields(event))
	}
	out := c.output()
	request := client.RedeliverRequest{Since: c.Since, Type: c.Type, State: c.State, EndpointID: c.Endpoint}
	for total := int64(0); ; {
		sent, err := partner.RedeliverEvents(ctx, request, client.WithAnswer(&answer))
		if err != nil {
			return err
		}
		if out.json {
			if err := out.line(answer.Body); err != nil {
				return err
			}
		}
		total += sent.Redelivered
		if request.Cursor = sent.NextCursor; request.Cursor == "" {
			return out.say("%d events are sent again", total)
		}
	}
}
