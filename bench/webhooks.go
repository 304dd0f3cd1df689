package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/client"
)

// delivering is the work of the rows of webhooks.
const delivering = "deliver webhooks"

// deliverTimeout is how long all events may take to arrive.
const deliverTimeout = 5 * time.Minute

// webhooks measures events that wait when the service starts, from the first arrival
// at one endpoint to the last, and the same requests by the bare client.
func (c *reportCommand) webhooks(ctx context.Context, directory string) ([]row, error) {
	sent, err := c.deliver(ctx, &installation{directory: directory, binary: c.Binary})
	if err != nil {
		return nil, err
	}
	bare, err := c.postBare(ctx)
	return []row{
		{Server: onSQLite, Work: delivering, figures: sent}, {Server: bareClient, Work: delivering, figures: bare},
	}, err
}

func (c *reportCommand) deliver(ctx context.Context, i *installation) (f figures, err error) {
	r, err := newReceiver(ctx, 1, accepts)
	if err != nil {
		return f, err
	}
	defer r.close()
	if err := i.fill(ctx, 1, 0); err != nil {
		return f, err
	}
	if err := i.addEndpoint(ctx, r.urls()[0], c.Events); err != nil {
		return f, err
	}
	r.want(c.Events)
	t, err := i.start(ctx, "--webhook-allow-insecure")
	if err != nil {
		return f, err
	}
	return c.arrivals(ctx, r, t.command.Process.Pid, t.stop)
}

// addEndpoint sets the endpoint of the first partner, and adds events for it.
func (i *installation) addEndpoint(ctx context.Context, url string, events int) (err error) {
	t, err := i.start(ctx, "--webhook-allow-insecure")
	if err != nil {
		return err
	}
	a := i.Accounts[0]
	_, err = client.New(t.url(""), a.PublicKey, a.Secret).SetWebhookEndpoint(ctx, client.WebhookEndpointRequest{URL: url})
	if err = errors.Join(err, t.stop()); err != nil {
		return err
	}
	db, err := openStore(ctx, i.database())
	if err != nil {
		return err
	}
	return errors.Join(addEvents(ctx, db, a.PartnerID, events), db.Close())
}

// postBare measures the floor.
func (c *reportCommand) postBare(ctx context.Context) (f figures, err error) {
	r, err := newReceiver(ctx, 1, accepts)
	if err != nil {
		return f, err
	}
	defer r.close()
	r.want(c.Events)
	poster, err := startSelf(ctx, "poster", r.urls()[0], fmt.Sprint(c.Events))
	if err != nil {
		return f, err
	}
	if _, err := poster.input.Write([]byte("begin\n")); err != nil {
		return f, errors.Join(err, poster.stop())
	}
	return c.arrivals(ctx, r, poster.command.Process.Pid, poster.stop)
}

// arrivals waits for all events, and stops the sender.
func (c *reportCommand) arrivals(ctx context.Context, r *receiver, pid int, stop func() error) (f figures, err error) {
	sender := &meter{pids: []int{pid}}
	err = inTurn(sender.hook, func() error { return r.wait(ctx, deliverTimeout) }, sender.hook)
	f.Resident = resident(pid, "VmRSS")
	if err = errors.Join(err, stop()); err != nil {
		return f, err
	}
	f.Orders = r.count()
	f.PerSecond = float64(f.Orders-1) / r.span().Seconds()
	f.spend(sender.used(), spent{}, f.Orders)
	return f, nil
}
