package portal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/record"
)

// sample is a signed request as commands for a shell, without secrets.
type sample struct {
	ID    string // of the element that shows it
	Title string
	Text  string
}

// samples returns the requests that read an order and create it again.
func (s *sheet) samples(o *delivery.Order) []sample {
	again := o.OrderRequest
	again.PartnerOrderID = "NEW-NUMBER"
	var body bytes.Buffer
	if encoded := record.EncodeRequest(&again); json.Indent(&body, encoded, "", "  ") != nil {
		body.Write(encoded) // cannot happen: the service has written it
	}
	keys := "KEY=pk_…\nSECRET=sk_…\n"
	if s.Mode() == delivery.ModeTest {
		keys = "KEY=pk_test_…\nSECRET=sk_test_…\n"
	}
	address := s.pages.config.BaseURL()
	return []sample{
		{"sample-read", s.Text("portal.sample.read"), keys + signedRequest(http.MethodGet, address, "/v1/orders/"+o.OrderID,
			"")},
		{"sample-again", s.Text("portal.sample.again"), keys + signedRequest(http.MethodPost, address, "/v1/orders",
			body.String())},
	}
}

// signedRequest returns commands that sign a request with openssl and send it with
// curl. A request with a body is a POST, and gets an idempotency key.
func signedRequest(method, address, path, body string) string {
	lines := []string{
		"NOW=$(date +%s)",
		`SIGNATURE=$(printf '%s\n%s\n%s\n%s' "$NOW" ` + method + " " + path +
			` "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //')`,
		"curl -sS -X " + method + " " + quoted(address+path) + ` \`,
		`  -H "X-Api-Key: $KEY" -H "X-Timestamp: $NOW" -H "X-Signature: v1=$SIGNATURE"`,
	}
	if body == "" {
		return "BODY=\n" + strings.Join(lines, "\n")
	}
	return strings.Join([]string{
		"BODY=" + quoted(body),
		`UUID=$(openssl rand -hex 16 | sed -E 's/(.{8})(.{4})(.{4})(.{4})/\1-\2-\3-\4-/')`,
		strings.Join(lines, "\n") + ` \`,
		`  -H "Idempotency-Key: $UUID" -H "Content-Type: application/json" --data-raw "$BODY"`,
	}, "\n")
}

// quoted returns a text as one word of a shell, whatever it holds.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
