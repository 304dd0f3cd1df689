package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
)

type listenCommand struct {
	ForwardTo   string        `help:"URL to post each event to (example: http://localhost:3000/hooks), signed with the webhook secret in DROPYARD_WEBHOOK_SECRET, or with a new one, which is printed. Default: events are only printed." placeholder:"URL"`
	PrintBodies bool          `help:"Also print the body of each event."`
	Events      []string      `help:"Types of events to show and forward (example: order.delivered,order.failed). Default: all." placeholder:"TYPE"`
	Since       time.Duration `help:"Begin with the events of this period before now (example: 10m). Default: only new events." placeholder:"DURATION"`
	partnerFlags

	webhookSecret string
}

// Run shows the partner's events as they happen, and forwards them, until ctx ends.
func (c *listenCommand) Run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return usageError{err}
	}
	since := time.Time{}
	if c.Since > 0 {
		since = time.Now().Add(-c.Since)
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	feed, err := partner.Feed(ctx, since)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	feed.OnDisconnect = func(err error) {
		notice("Lost the connection to the service (%v). Trying to reconnect; no event will be missed.", reason(err))
	}
	feed.OnReconnect = func() { notice("Reconnected.") }
	c.greet(inTest(partner))
	forward := newForwarder(c.ForwardTo, c.webhookSecret)
	for event, err := range feed.Events(ctx) {
		switch {
		case errors.Is(err, client.ErrForged):
			notice("WARNING: event %q is NOT SIGNED by the service and is not forwarded. Check what is running at %s.",
				event.EventID, c.Server)
		case err != nil:
			return unlessStopped(ctx, err)
		default:
			c.handle(ctx, forward, event)
		}
	}
	return nil
}

func (c *listenCommand) check() error {
	for _, name := range c.Events {
		if !slices.Contains(delivery.EventTypes, delivery.EventType(name)) {
			return fmt.Errorf("--events: %q is not one of %s", name, eventNames(delivery.EventTypes))
		}
	}
	if c.Since < 0 {
		return fmt.Errorf("--since: %v is negative", c.Since)
	}
	if c.ForwardTo != "" {
		if err := checkURL("--forward-to", c.ForwardTo); err != nil {
			return err
		}
	}
	if c.webhookSecret = os.Getenv("DROPYARD_WEBHOOK_SECRET"); c.webhookSecret == "" {
		c.webhookSecret = client.NewWebhookSecret()
		return nil
	}
	if _, err := client.SignWebhook(c.webhookSecret, "", time.Now(), nil); err != nil {
		return fmt.Errorf("DROPYARD_WEBHOOK_SECRET: %w", err)
	}
	return nil
}

// eventNames returns types of events, separated by commas.
func eventNames(types []delivery.EventType) string {
	names := make([]string, len(types))
	for i, name := range types {
		names[i] = string(name)
	}
	return strings.Join(names, ", ")
}

func checkURL(flag, text string) error {
	where, err := url.Parse(text)
	if err != nil || (where.Scheme != "http" && where.Scheme != "https") || where.Hostname() == "" {
		return fmt.Errorf("%s: the value is not an http or https URL (example: http://localhost:3000)", flag)
	}
	return nil
}

// greet prints what happens from now on. It is called once the feed is open, so that
// any later event is shown.
func (c *listenCommand) greet(inTest bool) {
	listening := "Listening."
	if inTest {
		listening = "Listening in test mode."
	}
	if c.ForwardTo == "" {
		tell("%s Events are printed but not forwarded (see --forward-to). Press Ctrl-C to stop.", listening)
		return
	}
	tell("The signing secret is %s", c.webhookSecret)
	tell("%s Each event is posted to %s once, and again only if the connection is refused. Press Ctrl-C to stop.",
		listening, c.ForwardTo)
}

// handle prints one event and forwards it.
func (c *listenCommand) handle(ctx context.Context, forward *forwarder, e client.FeedEvent) {
	event, err := client.ParseEvent([]byte(e.Body))
	if err != nil {
		return // cannot happen: the feed has parsed it
	}
	if len(c.Events) > 0 && !slices.Contains(c.Events, string(event.Type)) {
		return
	}
	at := event.CreatedAt.In(userZone()).Format(time.TimeOnly)
	line := fmt.Sprintf("%s  %-22s  %s  %s", at, event.Type, event.OrderID(), event.ID)
	if c.ForwardTo != "" {
		line += "  → " + forward.post(ctx, event.ID, []byte(e.Body))
	}
	tell("%s", line)
	if c.PrintBodies {
		tell("  %s", e.Body)
	}
}

// unlessStopped returns err, or nil if ctx has ended, which is how the program is
// stopped.
func unlessStopped(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// reason returns the cause of a failed request without the URL, which may hold a
// long query.
func reason(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// statusText returns a status with its name, such as "404 Not Found".
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
