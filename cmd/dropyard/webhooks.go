package main

import (
	"context"
	"errors"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type webhooksCommand struct {
	List           listWebhooksCommand   `cmd:"" default:"withargs" help:"List all endpoints that events are sent to."`
	Get            getWebhookCommand     `cmd:"" help:"Show an endpoint that events are sent to."`
	Set            setWebhookCommand     `cmd:"" help:"Set the first endpoint. A new one gets a secret, which is printed this once."`
	Add            addWebhookCommand     `cmd:"" help:"Add an endpoint, up to ten. Its secret is printed this once."`
	Edit           editWebhookCommand    `cmd:"" help:"Change the settings of an endpoint."`
	Delete         deleteWebhookCommand  `cmd:"" help:"Remove an endpoint. Events that wait there are skipped."`
	RotateSecret   rotateSecretCommand   `cmd:"" help:"Make a new secret. For 24 hours events are signed with both secrets."`
	ActivateSecret activateSecretCommand `cmd:"" help:"End the rotation: events are signed with the new secret only."`
	Test           testWebhookCommand    `cmd:"" help:"Send a test event to an endpoint and print what it answers."`
}

// webhookFlags are the flags of the commands about endpoints.
type webhookFlags struct {
	outputFlags
	partnerFlags
}

// endpointFlags are those of the commands about any endpoint.
type endpointFlags struct {
	Endpoint string `default:"first" help:"The id of the endpoint. Default: the first." placeholder:"ENDPOINT-ID"`
	webhookFlags
}

// print calls the service and prints the endpoint.
func (f *webhookFlags) print(call func(*client.Client, client.CallOption) (*client.WebhookEndpoint, error)) error {
	partner, err := f.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	endpoint, err := call(partner, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return f.output().record(&answer, []terminal.Field{
		field("endpoint", endpoint.EndpointID),
		field("url", endpoint.URL),
		field("enabled", yes(endpoint.Enabled)),
		field("events", typeList(endpoint.Events)),
		field("format", string(endpoint.Format)),
		{Name: "disabled because", Value: endpoint.DisabledReason, Style: terminal.Red},
		field("created", exactly(endpoint.CreatedAt)),
		field("secret rotates", exactly(endpoint.SecretRotatesAt)),
		field("secret", endpoint.Secret),
	})
}

// typeList returns the types that an endpoint takes, in words.
func typeList(types []client.EventType) string {
	if len(types) == 0 {
		return "all"
	}
	names := make([]string, len(types))
	for i, name := range types {
		names[i] = string(name)
	}
	return strings.Join(names, ", ")
}

type listWebhooksCommand struct{ webhookFlags }

// Run prints all endpoints.
func (c *listWebhooksCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := partner.ListWebhookEndpoints(ctx, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	out := c.output()
	if out.json {
		return out.line(answer.Body)
	}
	table := terminal.NewTable(out.to, out.palette,
		[]terminal.Column{{Title: "ENDPOINT"}, {Title: "URL"}, {Title: "ENABLED"}, {Title: "EVENTS"}, {Title: "FORMAT"}})
	for _, endpoint := range found.Endpoints {
		enabled := terminal.Cell{Text: yes(endpoint.Enabled)}
		if endpoint.DisabledReason != "" {
			enabled.Style = terminal.Red
		}
		table.Add(terminal.Cell{Text: endpoint.EndpointID}, terminal.Cell{Text: endpoint.URL}, enabled,
			terminal.Cell{Text: typeList(endpoint.Events)}, terminal.Cell{Text: string(endpoint.Format)})
	}
	return table.Flush()
}

type addWebhookCommand struct {
	URL      string                `arg:"" help:"The endpoint (https://…)."`
	Events   []client.EventType    `help:"The types of events that it takes (example: order.delivered,order.failed). Default: all." placeholder:"TYPE"`
	Format   client.EndpointFormat `help:"How requests look: dropyard or cloudevents." placeholder:"FORMAT"`
	Disabled bool                  `help:"Send no events until the endpoint is enabled."`
	webhookFlags
}

// Run adds an endpoint and prints it.
func (c *addWebhookCommand) Run(ctx context.Context) error {
	enabled := !c.Disabled
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.AddWebhookEndpoint(ctx,
			client.WebhookEndpointRequest{URL: c.URL, Enabled: &enabled, Events: c.Events, Format: c.Format}, option)
	})
}

type editWebhookCommand struct {
	EndpointID string                `arg:"" help:"The id of the endpoint, such as first."`
	URL        string                `help:"Another address (https://…)." placeholder:"URL"`
	Events     []client.EventType    `help:"The types of events that it takes from now on." placeholder:"TYPE"`
	Format     client.EndpointFormat `help:"How requests look: dropyard or cloudevents." placeholder:"FORMAT"`
	Enable     bool                  `help:"Send events, also those that wait." xor:"enabled"`
	Disable    bool                  `help:"Send no events until the endpoint is enabled." xor:"enabled"`
	webhookFlags
}

// Run changes an endpoint and prints it.
func (c *editWebhookCommand) Run(ctx context.Context) error {
	edit := client.WebhookEndpointPatch{URL: c.URL, Events: c.Events, Format: c.Format}
	if c.Enable || c.Disable {
		edit.Enabled = &c.Enable
	}
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.EditEndpoint(ctx, c.EndpointID, edit, option)
	})
}

type getWebhookCommand struct{ endpointFlags }

// Run prints the endpoint.
func (c *getWebhookCommand) Run(ctx context.Context) error {
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.GetEndpoint(ctx, c.Endpoint, option)
	})
}

type setWebhookCommand struct {
	URL      string `arg:"" help:"The endpoint (https://…)."`
	Disabled bool   `help:"Send no events until the endpoint is enabled."`
	webhookFlags
}

// Run sets the endpoint and prints it.
func (c *setWebhookCommand) Run(ctx context.Context) error {
	enabled, kept := !c.Disabled, false
	err := c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		request := client.WebhookEndpointRequest{URL: c.URL, Enabled: &enabled}
		endpoint, err := partner.SetWebhookEndpoint(ctx, request, option)
		kept = err == nil && endpoint.Secret == ""
		return endpoint, err
	})
	if kept && !c.JSON {
		notice("The endpoint existed and keeps its secret; webhooks rotate-secret makes a new one.")
	}
	return err
}

type rotateSecretCommand struct{ endpointFlags }

// Run makes a new secret and prints it.
func (c *rotateSecretCommand) Run(ctx context.Context) error {
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.RotateEndpointSecret(ctx, c.Endpoint, option)
	})
}

type activateSecretCommand struct{ endpointFlags }

// Run ends the rotation.
func (c *activateSecretCommand) Run(ctx context.Context) error {
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.ActivateEndpointSecret(ctx, c.Endpoint, option)
	})
}

type deleteWebhookCommand struct {
	Yes bool `short:"y" help:"Do not ask."`
	endpointFlags
}

// Run removes the endpoint, after a question.
func (c *deleteWebhookCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := confirm(ctx, "Remove the endpoint "+c.Endpoint+" of "+c.Server+"?"); err != nil {
			return err
		}
	}
	var answer client.Answer
	if _, err := partner.DeleteEndpoint(ctx, c.Endpoint, client.WithAnswer(&answer)); err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{field("deleted", "yes")})
}

type testWebhookCommand struct{ endpointFlags }

// errNotAccepted means that the endpoint did not answer 2xx to a test.
var errNotAccepted = errors.New("the endpoint did not accept the event")

// Run sends a test event and prints the result.
func (c *testWebhookCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	tested, err := partner.TestEndpoint(ctx, client.EndpointQuery{EndpointID: c.Endpoint}, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	err = c.output().record(&answer, []terminal.Field{
		field("event", tested.EventID),
		field("accepted", yes(tested.Delivered)),
		field("answer", answered(tested.StatusCode, tested.Error)),
		field("took", number(tested.DurationMS)+" ms"),
	})
	if err == nil && !tested.Delivered {
		return errNotAccepted
	}
	return err
}

// answered returns what an endpoint answered: a status, or why there was none.
func answered(status int, failure string) string {
	if status == 0 {
		return failure
	}
	return statusText(status)
}
