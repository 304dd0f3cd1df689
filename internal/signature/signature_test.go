package signature_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

type vectors struct {
	SecretKey     string `json:"secret_key"`
	WebhookSecret string `json:"webhook_secret"`
	Requests      []struct {
		Name, Timestamp, Method, Path, Body, Signature string
	} `json:"requests"`
	Events []struct {
		Name, Body string
		Signature  string `json:"drop_signature"`
	} `json:"events"`
	Webhooks []struct {
		Name, Secret, Body string
		Valid              bool
		Now                int64
		Headers            map[string]string
	} `json:"webhooks"`
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/signature_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Requests) == 0 || len(v.Events) == 0 || len(v.Webhooks) == 0 {
		t.Fatalf("signature_vectors.json: got %d requests, %d events and %d webhooks, want at least one of each",
			len(v.Requests), len(v.Events), len(v.Webhooks))
	}
	return v
}

func TestVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	for _, known := range v.Requests {
		request := signature.Request{
			Timestamp: known.Timestamp, Method: known.Method, Path: known.Path, Body: []byte(known.Body),
		}
		if got := request.Sign([]byte(v.SecretKey)); got != known.Signature {
			t.Errorf("%s: got %s, want %s", known.Name, got, known.Signature)
		}
		if !request.Verify([]byte(v.SecretKey), known.Signature) {
			t.Errorf("%s: the signature was refused", known.Name)
		}
	}
	for _, known := range v.Events {
		if !signature.VerifyEvent([]byte(v.WebhookSecret), []byte(known.Body), known.Signature) {
			t.Errorf("event %s: the signature was refused", known.Name)
		}
	}
	for _, known := range v.Webhooks {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(known.Secret, "whsec_"))
		if err != nil {
			t.Fatal(err)
		}
		timestamp := known.Headers["webhook-timestamp"]
		want := signature.SignStandard(key, known.Headers["webhook-id"], timestamp, []byte(known.Body))
		valid := signature.Fresh(timestamp, time.Unix(known.Now, 0)) &&
			slices.Contains(strings.Fields(known.Headers["webhook-signature"]), want)
		if valid != known.Valid {
			t.Errorf("webhook %s: got %t, want %t", known.Name, valid, known.Valid)
		}
	}
}

// flip returns a text with one bit changed.
func flip(t *rapid.T, text string) string {
	flipped := []byte(text)
	bit := rapid.IntRange(0, 8*len(flipped)-1).Draw(t, "bit")
	flipped[bit/8] ^= 1 << (bit % 8)
	return string(flipped)
}

func TestVerifyChangedRequest(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		secret := rapid.StringN(1, 40, 80).Draw(t, "secret")
		request := signature.Request{
			Timestamp: "1767225600",
			Method:    rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"),
			Path:      "/v1/" + rapid.StringMatching(`[a-z/_%0-9]{1,30}`).Draw(t, "path"),
			Body:      rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "body"),
		}
		signed := request.Sign([]byte(secret))
		if !request.Verify([]byte(secret), signed) {
			t.Fatalf("%+v: the signature %s was refused", request, signed)
		}
		changed := request
		switch rapid.SampledFrom([]string{"timestamp", "method", "path", "body", "secret", "signature"}).Draw(t, "what") {
		case "timestamp":
			changed.Timestamp = flip(t, request.Timestamp)
		case "method":
			changed.Method = flip(t, request.Method)
		case "path":
			changed.Path = flip(t, request.Path)
		case "body":
			changed.Body = []byte(flip(t, string(request.Body)))
		case "secret":
			secret = flip(t, secret)
		case "signature":
			signed = flip(t, signed)
		}
		if changed.Verify([]byte(secret), signed) {
			t.Fatalf("%+v, changed to %+v: the signature %s was accepted", request, changed, signed)
		}
	})
}

func TestFresh(t *testing.T) {
	t.Parallel()
	now := time.Unix(1767225600, 999_999_999)
	for timestamp, want := range map[string]bool{
		"1767225600":           true,
		"1767225300":           true,
		"1767225900":           true,
		"1767225299":           false,
		"1767225901":           false,
		"":                     false,
		"now":                  false,
		"1767225600.5":         false,
		"1767225600000":        false,
		"\x201767225600":       false,
		"99999999999999999999": false,
		"-9223372036854775808": false,
		"9223372036854775807":  false,
	} {
		if got := signature.Fresh(timestamp, now); got != want {
			t.Errorf("%q: got %v, want %v", timestamp, got, want)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("1767225600", "POST", "/v1/orders", []byte(`{}`), "secret", "v1=00")
	f.Fuzz(func(t *testing.T, timestamp, method, path string, body []byte, secret, signed string) {
		request := signature.Request{Timestamp: timestamp, Method: method, Path: path, Body: body}
		if request.Verify([]byte(secret), signed) != (signed == request.Sign([]byte(secret))) {
			t.Fatalf("%+v with %q: Verify and Sign disagree", request, signed)
		}
	})
}
