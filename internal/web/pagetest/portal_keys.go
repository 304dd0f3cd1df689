package pagetest

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
)

// developerScenes are the scenes of keys, the first five minutes, and the request log.
func (h *house) developerScenes() (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes,
			Scene{Name: name, URL: h.url + path, Policy: page.Policy, Cookie: sessionCookie + "=" + h.cookies[who]})
	}
	add("portal-keys", owner, "/portal/keys")
	add("portal-keys-none", newcomer, "/portal/keys")
	add("portal-keys-hostile", hostiles, "/portal/keys")
	add("portal-keys-revoke", owner, "/portal/keys/"+h.ownersKey)
	add("portal-keys-revoke-hostile", hostiles, "/portal/keys/"+h.hostilesKey)
	add("portal-start", owner, "/portal/start")
	add("portal-start-nothing", newcomer, "/portal/start")
	add("portal-start-hostile", hostiles, "/portal/start")
	add("portal-logs", owner, "/portal/logs")
	add("portal-logs-refused", owner, "/portal/logs?show=refused")
	add("portal-logs-empty", newcomer, "/portal/logs")
	add("portal-logs-none", owner, "/portal/logs?q=A-9999")
	add("portal-logs-hostile", hostiles, "/portal/logs?q="+url.QueryEscape(hostileText))
	add("portal-logs-entry", owner, "/portal/logs/"+h.refusedRequest)
	return scenes
}

// addDevelopers adds the keys of programs, a test order, and refused requests.
func (h *house) addDevelopers(ctx context.Context) error {
	session, err := h.signIn(ctx, owner)
	if err != nil {
		return err
	}
	for _, wanted := range []client.CreateAPIKeyRequest{
		{Name: "first five minutes", Mode: client.ModeTest}, {},
		{Name: "warehouse screens", Scopes: []client.Scope{client.ScopeStock, client.ScopeRead}},
	} {
		key, err := session.CreateAPIKey(ctx, wanted)
		if err != nil {
			return err
		}
		h.ownersKey = key.KeyID
		if wanted.Mode == client.ModeTest {
			if _, err := h.signing(key).CreateOrder(ctx, orderTo("first-1f0c9a70", 0, h.clock.Now())); err != nil {
				return err
			}
		} else if err := h.refusals(ctx, h.signing(key)); err != nil {
			return err
		}
	}
	if session, err = h.signIn(ctx, hostiles); err != nil {
		return err
	}
	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: hostileText, Mode: client.ModeTest})
	if err == nil {
		h.hostilesKey = key.KeyID
	}
	return err
}

// refusals sends requests of which some are refused.
func (h *house) refusals(ctx context.Context, c *client.Client) error {
	for i := range 30 {
		var err error
		switch i % 3 {
		case 0:
			wrong := orderTo("A-1100", i, h.clock.Now())
			wrong.Parcels, wrong.Dropoff.Address.PostalCode = nil, "12345"
			_, err = c.CreateOrder(ctx, wrong)
		case 1:
			_, err = c.GetOrder(ctx, "ord_s3rmcbfx06gzv5ekn284wv1j4pyr4kne")
		default:
			_, err = c.ListProducts(ctx, client.ProductQuery{})
		}
		var refused *client.Error
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		if refused != nil && refused.Code == client.CodeValidationError {
			h.refusedRequest = refused.RequestID
		}
		h.clock.Advance(time.Second)
	}
	return nil
}
