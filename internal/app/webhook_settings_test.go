package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

const endpointPath = "/v1/webhooks/endpoint"

// TestSecretIsShownOnce creates an endpoint and rotates its secret. Only these two
// responses have a secret, and the database stores none in plain text.
func TestSecretIsShownOnce(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	partner.Call(t, "GET", endpointPath, nil).Refused(t, 404, "not_found")
	for _, change := range []string{"rotate-secret", "activate-secret"} {
		partner.Call(t, "POST", endpointPath+"/"+change, nil).Refused(t, 404, "not_found")
	}
	partner.Call(t, "DELETE", endpointPath, nil).Refused(t, 404, "not_found")

	members := []string{
		"created_at", "disabled_reason", "enabled", "endpoint_id", "events", "format", "livemode", "secret_rotates_at", "url",
	}
	created := partner.Call(t, "PUT", endpointPath, []byte(`{"url":"https://hooks.example.com/a?b=c"}`)).Must(t, 201)
	if got := created.Keys(); !slices.Equal(got, slices.Insert(slices.Clone(members), 7, "secret")) {
		t.Errorf("got members %v, want those of later responses and the secret", got)
	}
	if created.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(created.Text("secret"), "whsec_") ||
		created.JSON("enabled") != true {
		t.Errorf("created: got %v %s, want a secret, not to be cached", created.Header, created.Body)
	}
	service.Clock.Advance(time.Hour)
	for _, again := range []*apptest.Answer{
		partner.Call(t, "GET", endpointPath, nil).Must(t, 200),
		partner.Call(t, "PUT", endpointPath, []byte(`{"url":"https://hooks.example.com/a?b=c","enabled":null}`)).Must(t, 200),
		partner.Call(t, "POST", endpointPath+"/activate-secret", nil).Must(t, 200),
	} {
		if got := again.Keys(); !slices.Equal(got, members) || again.Text("created_at") != created.Text("created_at") ||
			again.JSON("enabled") != true {
			t.Errorf("got %s, want the same endpoint without a secret", again.Body)
		}
	}
	rotated := partner.Call(t, "POST", endpointPath+"/rotate-secret", nil).Must(t, 200)
	if rotated.Text("secret") == created.Text("secret") || rotated.Header.Get("Cache-Control") != "no-store" ||
		rotated.Text("secret_rotates_at") != "2026-01-15T16:00:00.000Z" {
		t.Errorf("rotated: got %s, want another secret", rotated.Body)
	}
	content := strings.Join(service.Query(t, "SELECT secret, next_secret FROM webhook_endpoints"), "")
	for _, secret := range []string{created.Text("secret"), rotated.Text("secret")} {
		if strings.Contains(content, secret) || strings.Contains(content, secret[len("whsec_"):]) {
			t.Error("got a secret in the database, want it encrypted")
		}
	}
}

// TestConcurrentEndpoints creates an endpoint with several concurrent requests. One
// response has a secret, and that is the one that signs.
func TestConcurrentEndpoints(t *testing.T) {
	t.Parallel()
	service, receiver := apptest.Start(t, apptest.Webhooks()), apptest.NewReceiver(t)
	for round := range 5 {
		partner, secrets := service.Register(t, fmt.Sprint("metro-", round)), []string{}
		for _, put := range apptest.Together(8, func(int) *apptest.Answer {
			return partner.Call(t, "PUT", endpointPath, fmt.Appendf(nil, `{"url":%q}`, receiver.URL))
		}) {
			if put.Status == 201 {
				secrets = append(secrets, put.Text("secret"))
			} else if put.Must(t, 200); put.Text("secret") != "" {
				t.Errorf("got %s with status 200, want no secret", put.Body)
			}
		}
		partner.Call(t, "POST", "/v1/webhooks/test", nil).Must(t, 200)
		if hook := receiver.Next(t); len(secrets) != 1 || !hook.Verifies(secrets[0]) {
			t.Errorf("got %d secrets, want 1 that signs", len(secrets))
		}
	}
}

// TestInvalidEndpointURLs sets invalid URLs. Each error says what is expected, and
// nothing is stored.
func TestInvalidEndpointURLs(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	for _, body := range []string{
		`{}`, `{"url":null}`, `{"url":""}`, `{"url":7}`, `{"url":["https://hooks.example.com/"]}`,
		`{"URL":"https://hooks.example.com/"}`, `{"url":"http://hooks.example.com/"}`, `{"url":"hooks.example.com"}`,
		`{"url":"https://"}`, `{"url":"ftp://hooks.example.com/"}`, `{"url":"file:///etc/passwd"}`,
		`{"url":"https://user:secret@hooks.example.com/"}`, `{"url":"https://hooks.example.com/#here"}`,
		`{"url":"https://hooks.example.com:22/"}`, `{"url":"https://localhost/"}`, `{"url":"https://api.localhost:8443/"}`,
		`{"url":"https://127.0.0.1/"}`, `{"url":"https://2130706433/"}`, `{"url":"https://0x7f.1/"}`,
		`{"url":"https://10.1.2.3/"}`, `{"url":"https://172.16.0.1/"}`, `{"url":"https://192.168.1.1/"}`,
		`{"url":"https://169.254.169.254/latest/meta-data"}`, `{"url":"https://100.64.0.1/"}`, `{"url":"https://0.0.0.0/"}`,
		`{"url":"https://[::1]/"}`, `{"url":"https://[fd00::1]/"}`, `{"url":"https://[fe80::1]/"}`,
		`{"url":"https://[::ffff:10.0.0.1]/"}`, `{"url":"https://metadata.google.internal/"}`, `{"url":"https://router/"}`,
		`{"url":"https://hooks.example.com/ x"}`, "{\"url\":\"https://hooks.example.com/é\"}",
		`{"url":"https://hooks.example.com/` + strings.Repeat("x", 2048) + `"}`,
	} {
		got := partner.Call(t, "PUT", endpointPath, []byte(body)).Refused(t, 422, "validation_error")
		if got.Text("error", "details", "field") != "url" || got.Len("error", "details", "errors") != 1 {
			t.Errorf("%s: got %s, want one error of url", body, got.Body)
		}
	}
	both := partner.Call(t, "PUT", endpointPath, []byte(`{"url":"http://hooks.example.com/","enabled":"yes"}`)).Refused(t,
		422, "validation_error")
	if both.Len("error", "details", "errors") != 2 || both.Text("error", "details", "errors", 1, "field") != "enabled" {
		t.Errorf("got %s, want errors of url and enabled", both.Body)
	}
	partner.Call(t, "PUT", endpointPath, []byte(`{"url":`)).Refused(t, 400, "bad_request")
	partner.Call(t, "GET", endpointPath, nil).Refused(t, 404, "not_found")
	service.Audit(t)
}

// TestEndpointAccess uses signatures and sessions. Either is accepted, a session
// not from other sites, and not beside a wrong signature.
func TestEndpointAccess(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, body := service.Register(t, "metro"), []byte(`{"url":"https://hooks.example.com/"}`)
	cookie := session(t, partner)
	crossing := append(slices.Clone(cookie), "Sec-Fetch-Site", "cross-site")
	origin := append(slices.Clone(cookie), "Origin", "https://evil.example")
	for _, headers := range [][]string{crossing, origin} {
		service.Do(t, "PUT", endpointPath, body, headers...).Refused(t, 403, "forbidden")
		service.Do(t, "POST", "/v1/webhooks/test", nil, headers...).Refused(t, 403, "forbidden")
	}
	service.Do(t, "PUT", endpointPath, body).Refused(t, 401, "unauthorized")
	service.Do(t, "PUT", endpointPath, body, partner.Login()...).Refused(t, 401, "unauthorized")
	service.Do(t, "PUT", endpointPath, body, "Cookie", "dropyard_session=none").Refused(t, 401, "unauthorized")
	badly := append(slices.Clone(cookie), partner.Signed("PUT", endpointPath, []byte("another body"))...)
	service.Do(t, "PUT", endpointPath, body, badly...).Refused(t, 401, "unauthorized")
	partner.Call(t, "GET", endpointPath, nil).Refused(t, 404, "not_found")

	service.Do(t, "PUT", endpointPath, body, cookie...).Must(t, 201)
	// reading changes nothing, and other sites do not get the response
	service.Do(t, "GET", endpointPath, nil, crossing...).Must(t, 200)
	partner.Call(t, "PUT", endpointPath, body, "Sec-Fetch-Site", "cross-site").Must(t, 200)
	service.Do(t, "GET", "/v1/webhooks/events", nil, cookie...).Must(t, 200)
	// there is no key to sign with
	service.Do(t, "GET", "/v1/webhooks/feed", nil, cookie...).Refused(t, 401, "unauthorized")
	service.Do(t, "DELETE", endpointPath, nil, crossing...).Refused(t, 403, "forbidden")
	service.Do(t, "DELETE", endpointPath, nil, cookie...).Must(t, 200)
}

// TestWebhookRequestsAreLimited sends more test events than are allowed, signed and
// in a session. Those that are refused send nothing.
func TestWebhookRequestsAreLimited(t *testing.T) {
	t.Parallel()
	h := newHooked(t, apptest.RateLimit(10))
	cookie := session(t, h.partner)
	sent := 0
	for i := range 20 {
		headers := cookie
		if i%2 == 0 {
			headers = h.partner.Signed("POST", "/v1/webhooks/test", nil)
		}
		got := h.Do(t, "POST", "/v1/webhooks/test", nil, headers...)
		if got.Status == 429 {
			if got.Refused(t, 429, "rate_limited"); got.Header.Get("Retry-After") == "" {
				t.Errorf("got %v, want Retry-After", got.Header)
			}
			continue
		}
		got.Must(t, 200)
		h.receiver.Next(t)
		sent++
	}
	if sent != 9 { // the tenth request has set the endpoint
		t.Errorf("got %d test events sent, want 9", sent)
	}
	h.receiver.NoneLeft(t)
}

// checkRotation rotates secrets. Until a rotation ends, the old secret signs
// Drop-Signature, and both sign as Standard Webhooks does.
func checkRotation(t *testing.T, h *hooked) {
	type fits struct{ first, second, standardFirst, standardSecond bool }
	first, second := h.secret, ""
	signs := func() fits {
		t.Helper()
		h.test(t)
		hook := h.receiver.Next(t)
		return fits{hook.Verifies(first), hook.Verifies(second), hook.VerifiesStandard(first), hook.VerifiesStandard(second)}
	}
	rotate := func() string {
		t.Helper()
		return h.partner.Call(t, "POST", h.path()+"/rotate-secret", nil).Must(t, 200).Text("secret")
	}
	expect := func(when string, want fits) {
		t.Helper()
		if got := signs(); got != want {
			t.Errorf("%s: got %+v, want %+v", when, got, want)
		}
	}
	forgotten := rotate()
	h.advance(t, time.Second) // the same signature counts once
	second = rotate()
	expect("during the rotation", fits{true, false, true, true})
	h.advance(t, 24*time.Hour-time.Millisecond)
	expect("just before its end", fits{true, false, true, true})
	h.advance(t, time.Millisecond)
	expect("after a day", fits{false, true, false, true})
	if got := h.endpoint(t); got.JSON("secret_rotates_at") != nil {
		t.Errorf("after a day: got %s, want no rotation", got.Body)
	}
	first, second = second, rotate()
	expect("during the next", fits{true, false, true, true})
	activated := h.partner.Call(t, "POST", h.path()+"/activate-secret", nil).Must(t, 200)
	if got := activated; got.JSON("secret_rotates_at") != nil {
		t.Errorf("activated: got %s, want no rotation", got.Body)
	}
	expect("activated", fits{false, true, false, true})
	if h.test(t); h.receiver.Next(t).VerifiesStandard(forgotten) {
		t.Error("got a signature with a secret that was replaced before it took effect, want none")
	}
	h.remove(t)
	h.add(t, "")
	first = h.secret
	expect("a new endpoint", fits{true, false, true, false})
}

// checkRemoved removes an endpoint. Its waiting events are skipped, and can
// be redelivered to a new endpoint.
func checkRemoved(t *testing.T, h *hooked) {
	h.receiver.Answers(apptest.Always(500))
	id := h.accepted(t)
	h.operator.Move(t, id, "cancelled").Must(t, 200)
	h.receiver.Next(t)
	h.settled(t, id, "1 pending 1", "2 pending 0")
	h.remove(t)
	h.settled(t, id, "1 skipped 1", "2 skipped 0")
	h.partner.Call(t, "GET", h.path(), nil).Refused(t, 404, "not_found")
	h.partner.Call(t, "DELETE", h.path(), nil).Refused(t, 404, "not_found")
	status, code := 404, "not_found"
	if h.endpointID == "" {
		status, code = 422, "webhook_not_configured"
	}
	h.partner.Call(t, "POST", h.to("/v1/webhooks/test"), nil).Refused(t, status, code)
	h.redeliver(t, h.eventOf(t, id, 1)).Refused(t, status, code)
	unseen := h.accepted(t)
	h.advance(t, 48*time.Hour)

	h.receiver.Answers(nil)
	secret := h.secret
	if h.add(t, ""); h.secret == secret {
		t.Error("got the old secret, want a new one")
	}
	since := fmt.Sprintf(`"since":%q,"state":"skipped"`, h.Clock.Now().Add(-72*time.Hour).Format(time.RFC3339))
	if got := h.redeliverAll(t, since).Must(t, 200); got.JSON("redelivered") != 3.0 || got.JSON("next_cursor") != nil {
		t.Errorf("got %s, want 3 redelivered", got.Body)
	}
	h.settled(t, id, "1 delivered 1", "2 delivered 1")
	h.settled(t, unseen, "1 delivered 1")
}
