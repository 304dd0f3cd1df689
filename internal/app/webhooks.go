package app

import (
	"context"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/webhook"
)

// newOutbound returns a client that reaches what partners may have the service reach.
func newOutbound(settings *config.Config) (*outbound.Client, error) {
	allowed, err := settings.WebhookAllowed()
	if err != nil {
		return nil, err
	}
	insecure := settings.WebhookInsecure || settings.LocalDemo()
	return outbound.NewClient(outbound.Policy{Networks: allowed, Insecure: insecure}), nil
}

// openWebhooks starts the sender and creates the service by which partners manage
// their webhooks.
func (a *App) openWebhooks(ctx context.Context, sealer *credential.Sealer) (err error) {
	if a.outbound, err = newOutbound(a.config); err != nil {
		return err
	}
	a.atClose(ending(a.outbound.Close))
	client := webhookClient{a.outbound}
	kept := a.store.Webhooks()
	if !a.store.Shared() {
		if err := webhook.HandBack(ctx, kept); err != nil {
			return err
		}
	}
	a.sender, err = webhook.NewSender(ctx, webhook.SenderConfig{
		Store: kept, Client: client, Sealer: sealer, Now: a.Now, MachineNow: a.machine, Aged: a.trust.Now, At: a.At,
		Random: a.Random, Log: a.Log, Post: a.Post, Shared: a.store.Shared(), Observer: a.metrics.Webhooks(),
		Tracer: a.tracer, Clock: a.calendar.Clock, Source: a.URL, Requests: outbound.MaxRequests(), Held: a.hold.on,
	})
	if err != nil {
		return err
	}
	a.atClose(ending(a.sender.Close))
	a.webhooks = webhook.NewService(webhook.Config{
		Store: kept, Client: client, Sealer: sealer, Now: a.Now, MachineNow: a.machine, At: a.At, Random: a.Random,
		Wake: a.sender.Wake, Changed: a.sender.Changed, Source: a.URL,
		Upgraded: func(ctx context.Context) error { return a.nodes.editable(ctx) },
	})
	return nil
}

// webhookClient adapts the outbound client to webhook.Client.
type webhookClient struct{ *outbound.Client }

// Post sends a body once. It does not retry.
func (c webhookClient) Post(ctx context.Context, url string, headers []webhook.Header, body []byte) webhook.Answer {
	lines := make([]outbound.Header, len(headers))
	for i, h := range headers {
		lines[i] = outbound.Header(h)
	}
	answer := c.Client.Post(ctx, url, lines, body)
	return webhook.Answer{Status: answer.Status, RetryAfter: answer.RetryAfter, Took: answer.Took, Problem: answer.Problem}
}
