package app

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/webhook"
)

// receiverPath is where the demo's shops take their webhooks, and stockReceiverPath where the stock program of the
// first one does.
const (
	receiverPath      = "/demo/webhooks"
	stockReceiverPath = "/demo/stock"
)

// demoRoutes returns what only a demo on this machine serves: the program of the demo's
// shop, which takes every webhook, so that deliveries can be seen without writing one.
func (a *App) demoRoutes() []web.Route {
	if !a.config.LocalDemo() {
		return nil
	}
	take := func(*web.PageRequest) (int, []byte, error) { return http.StatusNoContent, nil, nil }
	var routes []web.Route
	for _, path := range []string{receiverPath, stockReceiverPath} {
		routes = append(routes,
			web.Route{Method: http.MethodPost, Pattern: path, For: web.Anyone, Uncounted: true, Serve: take})
	}
	return routes
}

// onlyThisMachine refuses requests that name another host than this machine. A page of
// another site, whose name was made to resolve to a loopback address, names its own.
func onlyThisMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !machine.IsLoopback(r.Host) {
			http.Error(w, "this demo answers at a loopback address only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// connectDemo sends the webhooks of accounts to the demo's receiver. An endpoint that a person
// has set instead stays.
func (a *App) connectDemo(ctx context.Context, accounts ...string) error {
	if !a.config.LocalDemo() {
		return nil
	}
	ctx = demoContext(ctx)
	shop := a.URL() + receiverPath
	for _, account := range accounts {
		found, err := a.webhooks.Get(ctx, webhook.KeyOf(account, ""))
		if err != nil && !refusal.HasCode(err, refusal.CodeNotFound) {
			return err
		}
		if err == nil && (found.URL == shop || !strings.HasSuffix(found.URL, receiverPath)) {
			continue
		}
		if _, _, err := a.webhooks.Put(ctx, account, webhook.Signed{}, webhook.Target{URL: shop, Enabled: true}); err != nil {
			return err
		}
	}
	return nil
}

// connectStock sends the stock events of an account to the demo's receiver, as CloudEvents, by a second endpoint.
// One that was added at another address of this service is moved.
func (a *App) connectStock(ctx context.Context, account string) error {
	if !a.config.LocalDemo() {
		return nil
	}
	ctx = demoContext(ctx)
	target := webhook.Target{
		URL: a.URL() + stockReceiverPath, Enabled: true, Format: webhook.FormatCloudEvents,
		Events: outbox.FilterOf([]delivery.EventType{delivery.EventStockLow, delivery.EventStockChanged}),
	}
	there, err := a.webhooks.Endpoints(ctx, account)
	if err != nil {
		return err
	}
	for _, e := range there {
		if strings.HasSuffix(e.URL, stockReceiverPath) {
			if e.URL == target.URL {
				return nil
			}
			_, err := a.webhooks.Edit(ctx, e.Key(), webhook.Signed{}, webhook.Edit{URL: &target.URL})
			return err
		}
	}
	if len(there) >= webhook.MaxEndpoints {
		return nil
	}
	_, err = a.webhooks.Add(ctx, account, webhook.Signed{}, target)
	if errors.Is(err, errOlderNode) { // the next start adds it
		return nil
	}
	return err
}
