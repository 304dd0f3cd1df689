package app_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

func TestRevokedKeyIsRefused(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	first := service.Register(t, "metro")
	second := first.NewKey(t)
	first.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	second.Call(t, "GET", "/v1/orders", nil).Must(t, 200)

	service.Do(t, "DELETE", "/v1/auth/api-keys/"+second.KeyID, nil, first.Login()...).Must(t, 200)
	refused := second.Call(t, "POST", "/v1/orders", testkit.OrderJSON("A-1", ""), "Idempotency-Key", uuid.NewString())
	if refused.Refused(t, 401, "unauthorized").Text("error", "details", "reason") != "unknown_key" {
		t.Errorf("revoked: got %s, want reason unknown_key", refused.Body)
	}
	if list := first.Call(t, "GET", "/v1/orders", nil).Must(t, 200); list.JSON("count") != 0.0 {
		t.Errorf("orders: got %s, want none", list.Body)
	}
	service.Do(t, "DELETE", "/v1/auth/api-keys/"+second.KeyID, nil, first.Login()...).Refused(t, 404, "not_found")
}

// TestRevocationDuringRequests revokes a key that is in use. After the response to the
// revocation no request with that key succeeds.
func TestRevocationDuringRequests(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	first := service.Register(t, "metro")
	second := first.NewKey(t)
	var revoked atomic.Bool
	after := apptest.Together(8, func(i int) int {
		if i == 0 {
			defer revoked.Store(true)
			return service.Do(t, "DELETE", "/v1/auth/api-keys/"+second.KeyID, nil, first.Login()...).Status
		}
		for !revoked.Load() {
			second.Call(t, "GET", "/v1/orders?limit=1", nil)
		}
		return second.Call(t, "GET", "/v1/orders?limit=1", nil).Status
	})
	if after[0] != 200 {
		t.Errorf("revocation: got status %d, want 200", after[0])
	}
	for _, status := range after[1:] {
		if status != 401 {
			t.Errorf("after the revocation: got status %d, want 401", status)
		}
	}
}

func TestOnlyOwnerRevokesKey(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	owner, other := service.Register(t, "metro"), service.Register(t, "other")
	target := "/v1/auth/api-keys/" + owner.KeyID
	before := service.Content(t)
	for name, c := range map[string]struct {
		target  string
		headers []string
		status  int
		code    string
	}{
		"another partner": {target, other.Login(), 404, "not_found"},
		"unknown key":     {"/v1/auth/api-keys/key_unknown", owner.Login(), 404, "not_found"},
		"public key":      {"/v1/auth/api-keys/" + owner.PublicKey, owner.Login(), 404, "not_found"},
		"anonymous":       {target, nil, 401, "unauthorized"},
		"wrong password": {
			target, []string{"X-Partner-Email", owner.Email, "X-Partner-Password", "wrong"}, 401, "unauthorized",
		},
		"only e-mail": {target, []string{"X-Partner-Email", owner.Email}, 401, "unauthorized"},
		"signed":      {target, owner.Signed("DELETE", target, nil), 401, "unauthorized"},
	} {
		t.Log(name)
		service.Do(t, "DELETE", c.target, nil, c.headers...).Refused(t, c.status, c.code)
	}
	service.Unchanged(t, before)
	owner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

// TestKeyList lists keys: only active ones, and without their secrets.
func TestKeyList(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	first, other := service.Register(t, "metro"), service.Register(t, "other")
	service.Clock.Advance(time.Second)
	second := first.NewKey(t)
	second.Call(t, "GET", "/v1/orders", nil).Must(t, 200)

	list := service.Do(t, "GET", "/v1/auth/api-keys", nil, first.Login()...).Must(t, 200)
	if list.JSON("count") != 2.0 || list.Text("api_keys", 0, "key_id") != first.KeyID ||
		list.Text("api_keys", 1, "public_key") != second.PublicKey {
		t.Errorf("got %s, want both keys, the older first", list.Body)
	}
	if list.JSON("api_keys", 0, "last_used_at") != nil ||
		list.Text("api_keys", 1, "last_used_at") != "2026-01-14T15:00:01.000Z" {
		t.Errorf("last use: got %s, want that of the second key only", list.Body)
	}
	for _, secret := range []string{first.SecretKey, second.SecretKey, "secret", other.KeyID, other.PublicKey} {
		if strings.Contains(string(list.Body), secret) {
			t.Errorf("got %q in the list, want it left out: %s", secret, list.Body)
		}
	}
	service.Do(t, "DELETE", "/v1/auth/api-keys/"+first.KeyID, nil, first.Login()...).Must(t, 200)
	list = service.Do(t, "GET", "/v1/auth/api-keys", nil, first.Login()...).Must(t, 200)
	if list.JSON("count") != 1.0 || list.Text("api_keys", 0, "key_id") != second.KeyID {
		t.Errorf("after revoking: got %s, want key %s only", list.Body, second.KeyID)
	}
}
