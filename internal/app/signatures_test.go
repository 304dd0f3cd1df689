package app_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

type vector struct {
	Name, Timestamp, Method, Path, Query, Body, Signature string
}

// readVectors returns the published test vectors.
func readVectors(t *testing.T) (secret string, requests []vector) {
	t.Helper()
	text, err := os.ReadFile("../signature/testdata/signature_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		SecretKey string `json:"secret_key"`
		Requests  []vector
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Requests) == 0 {
		t.Fatalf("got %d vectors, error %v, want some", len(file.Requests), err)
	}
	return file.SecretKey, file.Requests
}

// TestSignatureVectors sends the published test vectors. Most requests fail for
// other reasons, but none for its signature.
func TestSignatureVectors(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	secret, vectors := readVectors(t)
	partner := service.Register(t, "metro").InsertKey(t, "pk_vectors", secret)
	want := map[string]int{
		"get without body": 200, "post compact json": 422, "post with white space and key order kept": 400,
		"utf-8 body": 400, "path with an escape": 404, "cancel without body": 400,
	}
	for _, v := range vectors {
		seconds, _ := strconv.ParseInt(v.Timestamp, 10, 64)
		service.Clock.Advance(time.Unix(seconds, 0).Sub(service.Clock.Now()))
		headers := []string{"X-Api-Key", partner.PublicKey, "X-Timestamp", v.Timestamp, "X-Signature", v.Signature}
		target := strings.TrimSuffix(v.Path+"?"+v.Query, "?")
		if got := service.Do(t, v.Method, target, []byte(v.Body), headers...); got.Status != want[v.Name] {
			t.Errorf("%s: got status %d, want %d: %s", v.Name, got.Status, want[v.Name], got.Body)
		}
		headers[5] = v.Signature[:len(v.Signature)-1] + "x"
		service.Do(t, v.Method, target, []byte(v.Body), headers...).Refused(t, 401, "unauthorized")
	}
}

// without returns the headers except one.
func without(name string, headers []string) (rest []string) {
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] != name {
			rest = append(rest, headers[i], headers[i+1])
		}
	}
	return rest
}

// with returns the headers with another value of one.
func with(name, value string, headers []string) []string {
	return append(without(name, headers), name, value)
}

// TestUnauthorizedReasons sends requests that get 401, for every details.reason.
func TestUnauthorizedReasons(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, stranger := service.Register(t, "metro"), service.Register(t, "stranger")
	revoked := partner.NewKey(t)
	service.Do(t, "DELETE", "/v1/auth/api-keys/"+revoked.KeyID, nil, partner.Login()...).Must(t, 200)

	const target = "/v1/orders"
	body := testkit.OrderJSON("A-1", "")
	good := partner.Signed("POST", target, body)
	signature := apptest.HeaderOf(good, "X-Signature")
	at := func(timestamp string) []string { return partner.SignedWith(timestamp, "POST", target, body) }
	ago := func(d time.Duration) []string {
		return partner.SignedAt(service.Clock.Now().Add(-d), "POST", target, body)
	}
	before := service.Content(t)
	for name, c := range map[string]struct {
		reason  string
		headers []string
	}{
		"no headers":      {"missing_header", nil},
		"no key":          {"missing_header", without("X-Api-Key", good)},
		"no timestamp":    {"missing_header", without("X-Timestamp", good)},
		"no signature":    {"missing_header", without("X-Signature", good)},
		"empty signature": {"missing_header", with("X-Signature", "", good)},
		"unknown key":     {"unknown_key", with("X-Api-Key", "pk_unknown", good)},
		"secret as key":   {"unknown_key", with("X-Api-Key", partner.SecretKey, good)},
		"key in capitals": {"unknown_key", with("X-Api-Key", strings.ToUpper(partner.PublicKey), good)},
		"revoked key":     {"unknown_key", revoked.Signed("POST", target, body)},
		"301 s old":       {"timestamp_skew", ago(301 * time.Second)},
		"301 s ahead":     {"timestamp_skew", ago(-301 * time.Second)},
		"a year old":      {"timestamp_skew", ago(365 * 24 * time.Hour)},
		"milliseconds":    {"timestamp_skew", at("1768402800000")},
		"fraction":        {"timestamp_skew", at("1768402800.0")},
		"exponent":        {"timestamp_skew", at("1768402800e0")},
		"hexadecimal":     {"timestamp_skew", at("0x6967ad70")},
		"a date":          {"timestamp_skew", at("2026-01-14T15:00:00Z")},
		"smallest number": {"timestamp_skew", at("-9223372036854775808")},
		"largest number":  {"timestamp_skew", at("9223372036854775807")},
		"beyond numbers":  {"timestamp_skew", at("99999999999999999999999")},
		"no scheme":       {"signature_mismatch", with("X-Signature", strings.TrimPrefix(signature, "v1="), good)},
		"other scheme":    {"signature_mismatch", with("X-Signature", strings.Replace(signature, "v1", "v2", 1), good)},
		"only the scheme": {"signature_mismatch", with("X-Signature", "v1=", good)},
		"hex in capitals": {"signature_mismatch", with("X-Signature", "v1="+strings.ToUpper(signature[3:]), good)},
		"cut short":       {"signature_mismatch", with("X-Signature", signature[:len(signature)-1], good)},
		"another's secret": {"signature_mismatch", with("X-Api-Key", partner.PublicKey,
			stranger.Signed("POST", target, body))},
		"for another method":   {"signature_mismatch", partner.Signed("PUT", target, body)},
		"for another path":     {"signature_mismatch", partner.Signed("POST", "/v1/orders/", body)},
		"without prefix":       {"signature_mismatch", partner.Signed("POST", "/orders", body)},
		"for another body":     {"signature_mismatch", partner.Signed("POST", target, append(body, ' '))},
		"for another time":     {"signature_mismatch", with("X-Timestamp", "1768402801", good)},
		"time written twofold": {"signature_mismatch", with("X-Timestamp", "01768402800", good)},
	} {
		headers := append(slices.Clone(c.headers), "Idempotency-Key", uuid.NewString())
		got := service.Do(t, "POST", target, body, headers...).Refused(t, 401, "unauthorized")
		if reason := got.Text("error", "details", "reason"); reason != c.reason {
			t.Errorf("%s: got reason %q, want %q", name, reason, c.reason)
		}
		if now := got.Text("error", "details",
			"server_time"); (now == "2026-01-14T15:00:00.000Z") != (c.reason == "timestamp_skew") {
			t.Errorf("%s: got server_time %q, want it for timestamp_skew only", name, now)
		}
	}
	service.Unchanged(t, before)
	service.Do(t, "POST", target, body, append(good, "Idempotency-Key", uuid.NewString())...).Must(t, 201)
}

func TestMissingHeaderIsNamed(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	good := partner.Signed("GET", "/v1/orders", nil)
	for _, name := range []string{"X-Api-Key", "X-Timestamp", "X-Signature"} {
		got := service.Do(t, "GET", "/v1/orders", nil, without(name, good)...).Refused(t, 401, "unauthorized")
		if !strings.Contains(got.Text("error", "message"), name) {
			t.Errorf("without %s: got %s, want a message that names it", name, got.Body)
		}
	}
}

func TestTimestampTolerance(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	for _, skew := range []time.Duration{-300 * time.Second, -299 * time.Second, 0, 299 * time.Second, 300 * time.Second} {
		headers := partner.SignedAt(service.Clock.Now().Add(skew), "GET", "/v1/orders", nil)
		service.Do(t, "GET", "/v1/orders", nil, headers...).Must(t, 200)
	}
}

// TestPathIsSignedAsSent requests a path with an escape that is not necessary.
func TestPathIsSignedAsSent(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	plain, escaped := "/v1/orders/"+id, "/v1/orders/%6f"+id[1:]

	partner.Call(t, "GET", escaped, nil).Must(t, 200)
	partner.Call(t, "GET", "/v1/orders/a%20b", nil).Refused(t, 404, "not_found")
	partner.Call(t, "GET", "/v1/orders/a%2Fb", nil).Refused(t, 404, "not_found")
	for sent, signed := range map[string]string{
		plain: escaped, escaped: plain, "/v1/orders/a%20b": "/v1/orders/a b", "/v1/orders/a%2fb": "/v1/orders/a%2Fb",
	} {
		got := service.Do(t, "GET", sent, nil, partner.Signed("GET", signed, nil)...).Refused(t, 401, "unauthorized")
		if got.Text("error", "details", "reason") != "signature_mismatch" {
			t.Errorf("sent %s, signed %s: got %s, want signature_mismatch", sent, signed, got.Body)
		}
	}
}

func TestQueryIsNotSigned(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	headers := partner.Signed("GET", "/v1/orders", nil)
	for _, query := range []string{"", "?", "?limit=1", "?status=pending&limit=2&offset=0", "?partner_order_id=%2F"} {
		service.Do(t, "GET", "/v1/orders"+query, nil, headers...).Must(t, 200)
	}
}

// TestFlippedBits flips every bit of all that is signed, one at a time. A changed
// request that is valid HTTP is refused for its signature, or has no route.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	method, path, body := "POST", "/v1/orders/"+id+"/cancel", `{"reason":"é"}`
	good := partner.Signed(method, path, []byte(body))
	before := service.Content(t)

	parts := []string{method, path, apptest.HeaderOf(good,
		"X-Api-Key"), apptest.HeaderOf(good, "X-Timestamp"), apptest.HeaderOf(good, "X-Signature"), body}
	found := 0
	for part := range parts {
		for bit := range 8 * len(parts[part]) {
			flipped := append([]string{}, parts...)
			flipped[part] = flip(parts[part], bit)
			got := sendFlipped(t, service, flipped)
			switch reason := got.Text("error", "details", "reason"); {
			case got.Status == 401 && reason != "":
				found++
			case part < 2 && (got.Status == 404 || got.Status == 405): // there is no such route
			case got.Status == 400 && got.Header.Get("X-Request-Id") == "": // it is not HTTP
			default:
				t.Errorf("bit %d of %q: got status %d, want 401: %s", bit, parts[part], got.Status, got.Body)
			}
		}
	}
	if all := 8 * len(strings.Join(parts, "")); found < all/2 {
		t.Errorf("got %d of %d bits refused for the signature, want at least half", found, all)
	}
	service.Unchanged(t, before)
	sendFlipped(t, service, parts).Must(t, 200)
}

// flip returns the text with one bit changed.
func flip(text string, bit int) string {
	changed := []byte(text)
	changed[bit/8] ^= 1 << (bit % 8)
	return string(changed)
}

func sendFlipped(t *testing.T, service *apptest.Service, parts []string) *apptest.Answer {
	return service.Raw(t, parts[0], parts[1], parts[5], "X-Api-Key", parts[2], "X-Timestamp", parts[3], "X-Signature",
		parts[4], "Idempotency-Key", "0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a11", "Connection", "close")
}

// TestRepeatedHeaders sends each header of which the service reads one value twice: with
// the same value, and with another one before or after. Nothing may be done by either.
func TestRepeatedHeaders(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, admin := service.Register(t, "metro"), service.Operate(t)
	body, target := string(testkit.OrderJSON("A-1", "")), "/v1/orders"
	good := append(partner.Signed("POST", target, []byte(body)), "Idempotency-Key", "0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a11")
	inSession := []string{"Cookie", partner.As(t,
		"owner").Cookie, "Idempotency-Key", "0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a11"}
	before := partner.Content(t)
	twice := func(method, target, body, name string, headers []string) {
		for _, other := range []string{apptest.HeaderOf(headers, name), "0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a12", ""} {
			for _, sent := range [][]string{append([]string{name, other},
				headers...), append(slices.Clone(headers), name, other)} {
				got := partner.Raw(t, method, target, body, sent...)
				if got.Status != 400 && got.Status != 401 {
					t.Errorf("%s %s with %s twice, %q: got %d %s, want it refused", method, target, name, other, got.Status, got.Body)
				}
			}
		}
	}
	for _, name := range []string{"X-Api-Key", "X-Timestamp", "X-Signature", "Idempotency-Key"} {
		twice("POST", target, body, name, good)
	}
	twice("POST", target, body, "Content-Type", append(good, "Content-Type", "application/json"))
	twice("GET", target, "", "X-Signature", partner.Signed("GET", target, nil))
	twice("POST", target, body, "Idempotency-Key", inSession)
	password := []string{"X-Partner-Email", partner.Email, "X-Partner-Password", partner.Password}
	twice("POST", "/v1/auth/api-keys", `{"name":"a"}`, "X-Partner-Email", password)
	twice("POST", "/v1/auth/api-keys", `{"name":"a"}`, "X-Partner-Password", password)
	token := []string{"Authorization", "Bearer " + admin.Token, "Idempotency-Key", "0f9f2f62-3d0f-4c0e-9c84-6a1a2f4f3a13"}
	for _, name := range []string{"Authorization", "Idempotency-Key"} {
		twice("POST", "/ops/v1/couriers", `{"name":"Ève"}`, name, token)
	}
	partner.Unchanged(t, before)
	partner.Do(t, "POST", target, []byte(body), good...).Must(t, 201)
}
