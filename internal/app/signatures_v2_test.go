package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// requiring creates a key that requires version 2.
func requiring(t *testing.T, p *apptest.Partner) *apptest.Partner {
	t.Helper()
	created := p.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"name":"strict","require_v2":true}`), p.Login()...).Must(t,
		201)
	if created.JSON("require_v2") != true {
		t.Errorf("got %s, want a key that requires version 2", created.Body)
	}
	with := *p
	with.KeyID, with.PublicKey, with.SecretKey = created.Text("key_id"), created.Text("public_key"),
		created.Text("secret_key")
	return &with
}

// wantReason fails the test unless the answer is 401 for a reason.
func wantReason(t *testing.T, what, want string, got *apptest.Answer) {
	t.Helper()
	if reason := got.Refused(t, 401, "unauthorized").Text("error", "details", "reason"); reason != want {
		t.Errorf("%s: got %s, want the reason %s", what, got.Body, want)
	}
}

// TestNonceIsUsedOnce sends recorded requests again, on another node, and as version 1.
func TestNonceIsUsedOnce(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	body := testkit.OrderJSON("A-1", "")
	key := []string{"Idempotency-Key", uuid.NewString()}
	create := partner.SignedV2("POST", "/v1/orders", body, "0123456789abcdef", key...)
	first := partner.Do(t, "POST", "/v1/orders", body, create...).Must(t, 201)
	retry := partner.Do(t, "POST", "/v1/orders", body,
		partner.SignedV2("POST", "/v1/orders", body, "0123456789abcde1", key...)...).Must(t, 201)
	if !bytes.Equal(first.Body, retry.Body) || retry.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %s, want the retry to be answered as the first request", retry.Body)
	}
	put := []byte(`{"url":"https://hooks.example.com"}`)
	partner.Do(t, "PUT", endpointPath, put, partner.SignedV2("PUT", endpointPath, put, "0123456789abcde2")...).Must(t, 201)
	rotatePath := endpointPath + "/rotate-secret"
	rotate := partner.SignedV2("POST", rotatePath, nil, "0123456789abcde3")
	partner.Do(t, "POST", rotatePath, nil, rotate...).Must(t, 200)

	there := anotherNode(t, partner)
	before := there.Content(t)
	wantReason(t, "creation", "nonce_used", there.Do(t, "POST", "/v1/orders", body, create...))
	wantReason(t, "rotation", "nonce_used", there.Do(t, "POST", rotatePath, nil, rotate...))
	asV1 := with("X-Signature", strings.Replace(apptest.HeaderOf(rotate, "X-Signature"), "v2=", "v1=", 1), rotate)
	wantReason(t, "rotation as version 1", "signature_mismatch",
		there.Do(t, "POST", rotatePath, []byte("\n\n\n0123456789abcde3\n"), asV1...))
	there.Unchanged(t, before)

	// Another key of the partner has nonces of its own.
	other := there.NewKey(t)
	other.Clock.Advance(time.Second)
	other.Do(t, "POST", rotatePath, nil, other.SignedV2("POST", rotatePath, nil, "0123456789abcde3")...).Must(t, 200)
}

// TestNonceTakenByOne sends the same request eight times at once to two nodes.
func TestNonceTakenByOne(t *testing.T) {
	t.Parallel()
	nodes := []*apptest.Partner{apptest.Start(t).Register(t, "metro")}
	if nodes[0].Database != "" {
		nodes = append(nodes, anotherNode(t, nodes[0]))
	}
	for round := range 5 {
		body, target := testkit.OrderJSON(fmt.Sprint("A-", round), ""), "/v1/orders"
		headers := nodes[0].SignedV2("POST", target, body, fmt.Sprint("0123456789abcdef-", round), "Idempotency-Key",
			uuid.NewString())
		won := 0
		for _, got := range apptest.Together(8, func(i int) *apptest.Answer {
			return nodes[i%len(nodes)].Do(t, "POST", target, body, headers...)
		}) {
			if got.Status == 201 {
				won++
			} else {
				wantReason(t, "the same nonce", "nonce_used", got)
			}
		}
		if won != 1 {
			t.Errorf("got %d answers with an order, want 1", won)
		}
	}
}

// TestV2CoversWhatV1LeavesOut changes what version 1 does not sign.
func TestV2CoversWhatV1LeavesOut(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	list := partner.SignedV2("GET", "/v1/orders?limit=1", nil, "")
	for range 2 { // reads need no nonce, and may be repeated
		partner.Do(t, "GET", "/v1/orders?limit=1", nil, list...).Must(t, 200)
	}
	for _, target := range []string{"/v1/orders", "/v1/orders?limit=500", "/v1/orders?limit=1&offset=0"} {
		wantReason(t, target, "signature_mismatch", partner.Do(t, "GET", target, nil, list...))
	}
	body, target := testkit.OrderJSON("A-1", ""), "/v1/orders"
	good := partner.SignedV2("POST", target, body, "0123456789abcdef", "Idempotency-Key",
		"0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a11", "Content-Type", "application/json")
	before := partner.Content(t)
	for name, changed := range map[string]string{
		"Idempotency-Key": "0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a12", "Content-Type": "application/json; charset=utf-8",
		"X-Nonce": "0123456789abcdeg",
	} {
		wantReason(t, name, "signature_mismatch", partner.Do(t, "POST", target, body, with(name, changed, good)...))
		twice := partner.Raw(t, "POST", target, string(body), append(good, name, apptest.HeaderOf(good, name))...)
		wantReason(t, name+" twice", "signature_mismatch", twice)
		if !strings.Contains(twice.Text("error", "message"), name+" was sent more than once") {
			t.Errorf("%s twice: got %s, want a message that says so", name, twice.Body)
		}
	}
	partner.Unchanged(t, before)
	partner.Do(t, "POST", target, body, good...).Must(t, 201)
}

func TestNonceForms(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	send := func(nonce string) *apptest.Answer {
		return partner.Do(t, "POST", "/v1/webhooks/test", nil, partner.SignedV2("POST", "/v1/webhooks/test", nil, nonce)...)
	}
	got := send("")
	wantReason(t, "no nonce", "missing_header", got)
	if !strings.Contains(got.Text("error", "message"), "X-Nonce") {
		t.Errorf("got %s, want a message that names X-Nonce", got.Body)
	}
	for _, nonce := range []string{"short", strings.Repeat("a", 65), "0123456789 abcdef", "0123456789abcdé"} {
		send(nonce).Refused(t, 400, "bad_request")
	}
	send(strings.Repeat("~", 64)).Refused(t, 422, "webhook_not_configured")
	// A request that fails has used its nonce.
	wantReason(t, "again", "nonce_used", send(strings.Repeat("~", 64)))
	quote := partner.SignedV2("POST", "/v1/rates/quote", []byte(`{}`), "")
	for range 2 { // it changes nothing
		partner.Do(t, "POST", "/v1/rates/quote", []byte(`{}`), quote...).Refused(t, 422, "validation_error")
	}
}

func TestKeyRequiresV2(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	strict := requiring(t, partner)
	wantReason(t, "version 1", "v2_required", strict.Call(t, "GET", "/v1/orders", nil))
	wantReason(t, "version 1, wrong", "signature_mismatch",
		strict.Do(t, "GET", "/v1/orders", nil,
			with("X-Signature", "v1="+strings.Repeat("0", 64), strict.Signed("GET", "/v1/orders", nil))...))
	strict.Do(t, "GET", "/v1/orders", nil, strict.SignedV2("GET", "/v1/orders", nil, "")...).Must(t, 200)
	partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	keys := partner.Do(t, "GET", "/v1/auth/api-keys", nil, partner.Login()...).Must(t, 200)
	if !bytes.Contains(keys.Body, []byte(`"require_v2":true`)) ||
		!bytes.Contains(keys.Body, []byte(`"require_v2":false`)) {
		t.Errorf("got %s, want one key that requires version 2 and one that does not", keys.Body)
	}
}
