package main

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type webhooksCommand struct {
	Get            getWebhookCommand     `cmd:"" help:"Show the endpoint that events are sent to."`
	Set            setWebhookCommand     `cmd:"" help:"Set the endpoint. A new one gets a secret, which is printed this once."`
	Delete         deleteWebhookCommand  `cmd:"" help:"Remove the endpoint. Events that wait are skipped."`
	RotateSecret   rotateSecretCommand   `cmd:"" help:"Make a new secret. For 24 hours events are signed with both."`
	ActivateSecret activateSecretCommand `cmd:"" help:"End the rotation: only the new secret signs from now on."`
	Test           testWebhookCommand    `cmd:"" help:"Send a test event to the endpoint and print what it answers."`
}

// webhookFlags are the flags of the commands about the endpoint.
type webhookFlags struct {
	outputFlags
	partnerFlags
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
		field("url", endpoint.URL),
		field("enabled", yes(endpoint.Enabled)),
		{Name: "disabled because", Value: endpoint.DisabledReason, Style: terminal.Red},
		field("created", exactly(endpoint.CreatedAt)),
		field("secret rotates", exactly(endpoint.SecretRotatesAt)),
		field("secret", endpoint.Secret),
	})
}

type getWebhookCommand struct{ webhookFlags }

// Run prints the endpoint.
func (c *getWebhookCommand) Run(ctx context.Context) error {
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.GetWebhookEndpoint(ctx, option)
	})
}

type setWebhookCommand struct {
	URL      string `arg:"" help:"The endpoint (https://…)."`
	Disabled bool   `help:"Keep events back for now."`
	webhookFlags
}

// Run sets the endpoint and prints it.
func (c *setWebhookCommand) Run(ctx context.Context) error {
	enabled := !c.Disabled
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.SetWebhookEndpoint(ctx, client.WebhookEndpointRequest{URL: c.URL, Enabled: &enabled}, option)
	})
}

type rotateSecretCommand struct{ webhookFlags }

// Run makes a new secret and prints it.
func (c *rotateSecretCommand) Run(ctx context.Context) error {
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.RotateWebhookSecret(ctx, option)
	})
}

type activateSecretCommand struct{ webhookFlags }

// Run ends the rotation.
func (c *activateSecretCommand) Run(ctx context.Context) error {
	return c.print(func(partner *client.Client, option client.CallOption) (*client.WebhookEndpoint, error) {
		return partner.ActivateWebhookSecret(ctx, option)
	})
}

type deleteWebhookCommand struct {
	Yes bool `short:"y" help:"Do not ask."`
	webhookFlags
}

// Run removes the endpoint, after a question.
func (c *deleteWebhookCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := confirm(ctx, "Remove the endpoint of "+c.Server+"?"); err != nil {
			return err
		}
	}
	var answer client.Answer
	if _, err := partner.DeleteWebhookEndpoint(ctx, client.WithAnswer(&answer)); err != nil {
		return err
	}
	return c.output().record(&answer, []terminal.Field{field("deleted", "yes")})
}

type testWebhookCommand struct{ webhookFlags }

// errNotAccepted means that the endpoint did not answer 2xx to a test.
var errNotAccepted = errors.New("the endpoint did not accept the event")

// Run sends a test event and prints the result.
func (c *testWebhookCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	var answer client.Answer
	tested, err := partner.TestWebhook(ctx, client.WithAnswer(&answer))
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
