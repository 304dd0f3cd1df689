package app

import (
	"context"
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/webhook"
)

// receiverPath is where the demo's shop takes its webhooks.
const receiverPath = "/demo/webhooks"

// demoRoutes returns what only a demo on this machine serves: the program of the demo's
// shop, which takes every webhook, so that deliveries can be seen without writing one.
func (a *App) demoRoutes() []web.Route {
	if !a.config.LocalDemo() {
		return nil
	}
	take := func(*web.PageRequest) (int, []byte, error) { return http.StatusNoContent, nil, nil }
	return []web.Route{{Method: http.MethodPost, Pattern: receiverPath, For: web.Anyone, Uncounted: true, Serve: take}}
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
