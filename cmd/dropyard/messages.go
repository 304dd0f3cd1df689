package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type messageCommand struct {
	CourierID string   `arg:"" help:"The courier."`
	Text      []string `arg:"" help:"The message, at most 500 characters."`
	outputFlags
	operatorFlags
}

// Run sends the message.
func (c *messageCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	sent, err := operator.CreateCourierMessage(ctx, c.CourierID,
		client.CourierMessageRequest{Text: strings.Join(c.Text, " ")}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{
		field("message", sent.MessageID), field("courier", sent.CourierID), field("text", sent.Text),
	})
}

type messagesCommand struct {
	CourierID string `arg:"" help:"The courier."`
	listFlags
	operatorFlags
}

// Run prints the messages to the courier, the newest first.
func (c *messagesCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var q client.PageQuery
	return list(&c.listFlags, "messages", largestPage, []column[client.CourierMessage]{
		text("SENT", func(m client.CourierMessage) string { return moment(m.At) }),
		text("BY", func(m client.CourierMessage) string { return m.By.Email }),
		text("READ", func(m client.CourierMessage) string {
			if m.ReadAt.IsZero() {
				return "no"
			}
			return moment(m.ReadAt)
		}),
		text("TEXT", func(m client.CourierMessage) string { return m.Text }),
	}, func(size int, option client.CallOption) ([]client.CourierMessage, bool, error) {
		q.Limit = size
		found, err := operator.ListCourierMessages(ctx, c.CourierID, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Messages, q.Cursor != "", nil
	})
}

// settingsCommand shows and changes the settings of the service that admins set while it runs.
type settingsCommand struct {
	Show showSettingsCommand `cmd:"" default:"withargs" help:"Show the settings."`
	Set  setSettingsCommand  `cmd:"" help:"Change the settings, as an admin."`
}

type showSettingsCommand struct {
	outputFlags
	operatorFlags
}

// Run prints the settings.
func (c *showSettingsCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := operator.GetServiceSettings(ctx, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, settingsFields(found))
}

func settingsFields(s *client.ServiceSettings) []terminal.Field {
	return []terminal.Field{field("dispatch phone", cmp.Or(s.DispatchPhone, "none"))}
}

type setSettingsCommand struct {
	DispatchPhone   string `help:"Number at which couriers reach dispatch (example: +15145550100)." placeholder:"PHONE"`
	NoDispatchPhone bool   `help:"Remove the number, and the button of the courier's app that calls it."`
	outputFlags
	operatorFlags
}

// Run changes the settings.
func (c *setSettingsCommand) Run(ctx context.Context) error {
	var change client.ServiceSettingsChange
	switch {
	case c.DispatchPhone == "" && !c.NoDispatchPhone:
		return usageError{errors.New("--dispatch-phone, --no-dispatch-phone: one of them is needed")}
	case c.DispatchPhone != "" && c.NoDispatchPhone:
		return usageError{errors.New("--dispatch-phone, --no-dispatch-phone: only one of them is possible")}
	case c.NoDispatchPhone:
		change.DispatchPhone = client.Reset[string]()
	default:
		change.DispatchPhone = client.Set(c.DispatchPhone)
	}
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	changed, err := operator.ChangeServiceSettings(ctx, change, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, settingsFields(changed))
}
