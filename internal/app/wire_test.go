package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

const mebibyte = 1 << 20

// padded returns a valid order of the given size, which has an unknown member.
func padded(reference string, size int) []byte {
	body := string(testkit.OrderJSON(reference, ""))
	empty := len(`"padding":"",`)
	return []byte(strings.Replace(body, "{", `{"padding":"`+strings.Repeat("x", size-len(body)-empty)+`",`, 1))
}

// TestBodySize sends bodies of one mebibyte, which are accepted, and larger ones,
// with and without a Content-Length and credentials. Of the largest the service reads a
// part only. Then the client gets the refusal if it reads before it notices that what it
// sent last was not taken: at full length only, because a busy client may come too late.
func TestBodySize(t *testing.T) {
	t.Parallel()
	tooLarge := []int{mebibyte + 1, 2 * mebibyte}
	if testkit.Long() {
		tooLarge = append(tooLarge, 20*mebibyte)
	}
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	partner.Create(t, padded("A-1", mebibyte)).Must(t, 201)
	untouched(t, partner, func() {
		for _, size := range tooLarge {
			partner.Create(t, padded("A-2", size)).Refused(t, 413, "payload_too_large")
			chunked(t, partner, padded("A-2", size)).Refused(t, 413, "payload_too_large")
			service.Do(t, "POST", "/v1/orders", padded("A-2", size)).Refused(t, 413, "payload_too_large")
			service.Do(t, "POST", "/v1/auth/register", padded("A-2", size)).Refused(t, 413, "payload_too_large")
		}
	})
	chunked(t, partner, padded("A-3", mebibyte)).Must(t, 201)
}

// chunked creates an order with a body that has no Content-Length.
func chunked(t *testing.T, p *apptest.Partner, body []byte) *apptest.Answer {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, p.URL+"/v1/orders", io.MultiReader(strings.NewReader(string(body))))
	if err != nil {
		t.Fatal(err)
	}
	headers := append(p.Signed("POST", "/v1/orders", body), "Content-Type", "application/json", "Idempotency-Key",
		uuid.NewString())
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Errorf("got error %v, want a response", err)
		return &apptest.Answer{Header: http.Header{}}
	}
	defer func() { _ = response.Body.Close() }()
	content, _ := io.ReadAll(response.Body)
	return &apptest.Answer{Status: response.StatusCode, Header: response.Header, Body: content}
}

// TestBodyLength sends bodies that do not agree with their Content-Length or chunks.
func TestBodyLength(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	body := string(testkit.OrderJSON("A-1", ""))
	request := func(extra ...string) string {
		headers := append(partner.Signed("POST", "/v1/orders", []byte(body)), "Content-Type", "application/json",
			"Idempotency-Key", uuid.NewString())
		return apptest.Text("POST", "/v1/orders", append(headers, extra...), "")
	}
	length := func(n int) string { return request("Content-Length", fmt.Sprint(n)) }
	chunks := request("Transfer-Encoding", "chunked")
	untouched(t, partner, func() {
		for name, c := range map[string]struct {
			text   string
			status int
			code   string
		}{
			"longer than sent":       {length(len(body)+1) + body, 400, "bad_request"},
			"nothing sent":           {length(len(body)), 400, "bad_request"},
			"too large and not sent": {length(2*mebibyte) + body, 413, "payload_too_large"},
			"shorter than sent":      {length(len(body)-1) + body, 401, "unauthorized"},
			"zero":                   {length(0) + body, 401, "unauthorized"},
			"chunk cut short":        {chunks + fmt.Sprintf("%x\r\n%s", len(body)+5, body), 400, "bad_request"},
			"last chunk missing":     {chunks + fmt.Sprintf("%x\r\n%s\r\n", len(body), body), 400, "bad_request"},
			"chunk of nonsense":      {chunks + "zz\r\n" + body, 400, "bad_request"},
			"chunk too long":         {chunks + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body)-1, body), 400, "bad_request"},
		} {
			t.Run(name, func(t *testing.T) {
				wire := service.Wire(t).Send(c.text)
				if c.status == 400 { // the service waits for more
					wire.CloseWrite()
				}
				wire.Answer("POST").Refused(t, c.status, c.code)
			})
		}
	})
}

// TestInvalidHTTP sends requests that are not valid HTTP. The HTTP server itself
// refuses them, so that their responses have no request id.
func TestInvalidHTTP(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	signed := partner.Signed("GET", "/v1/orders", nil)
	untouched(t, partner, func() {
		for name, text := range map[string]string{
			"no HTTP":            "hello\r\n\r\n",
			"bad escape in path": apptest.Text("GET", "/v1/orders/%zz", signed, ""),
			"space in path":      apptest.Text("GET", "/v1/orders/a b", signed, ""),
			"negative length":    apptest.Text("POST", "/v1/orders", append(signed, "Content-Length", "-1"), ""),
			"two lengths": apptest.Text("POST", "/v1/orders",
				append(signed, "Content-Length", "1", "Content-Length", "2"), "xx"),
			"NUL in header": apptest.Text("GET", "/v1/orders", append(signed, "X-Other", "a\x00b"), ""),
			"colon missing": strings.Replace(apptest.Text("GET", "/v1/orders", signed, ""), "X-Api-Key:", "X-Api-Key",
				1),
			"no host": strings.Replace(apptest.Text("GET", "/v1/orders", signed, ""), "Host: dropyard\r\n", "", 1),
			"100 KiB of headers": apptest.Text("GET", "/v1/orders", append(signed, "X-Other", strings.Repeat("x", 100<<10)),
				""),
			"100 KiB of path":      apptest.Text("GET", "/v1/orders/"+strings.Repeat("x", 100<<10), signed, ""),
			"unknown encoding":     apptest.Text("POST", "/v1/orders", append(signed, "Transfer-Encoding", "gzip"), ""),
			"unknown HTTP version": strings.Replace(apptest.Text("GET", "/v1/orders", signed, ""), "HTTP/1.1", "HTTP/7.0", 1),
			"unknown expectation": apptest.Text("POST", "/v1/orders",
				append(signed, "Expect", "miracles", "Content-Length", "1"), "x"),
			"HTTP/2 without asking": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		} {
			t.Run(name, func(t *testing.T) {
				got := service.Wire(t).Send(text).Answer("GET")
				if got.Status < 400 || got.Status >= 600 || got.Status == 500 {
					t.Errorf("got status %d, want an error: %s", got.Status, got.Body)
				}
			})
		}
	})
}

// TestLongHeaders sends headers and paths that are long but allowed.
func TestLongHeaders(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	long := strings.Repeat("x", 50<<10)
	signed := partner.Signed("GET", "/v1/orders", nil)
	service.Raw(t, "GET", "/v1/orders", "", append(signed, "X-Other", long)...).Must(t, 200)
	service.Raw(t, "GET", "/v1/orders?partner_order_id="+long, "", signed...).Must(t, 200)
	service.Raw(t, "GET", "/v1/orders?cursor="+long, "", signed...).Refused(t, 422, "validation_error")
	service.Raw(t, "GET", "/v1/"+long, "", signed...).Refused(t, 404, "not_found")
	service.Raw(t, "GET", "/track/"+long, "").Refused(t, 404, "not_found")
	for _, name := range []string{"X-Api-Key", "X-Timestamp", "X-Signature"} {
		service.Raw(t, "GET", "/v1/orders", "", with(name, long, signed)...).Refused(t, 401, "unauthorized")
	}
	body := string(testkit.OrderJSON("A-1", ""))
	untouched(t, partner, func() {
		headers := append(partner.Signed("POST", "/v1/orders", []byte(body)), "Idempotency-Key", long)
		service.Raw(t, "POST", "/v1/orders", body, headers...).Refused(t, 400, "bad_request")
		service.Do(t, "GET", "/v1/auth/me", nil, "Cookie", "dropyard_session="+long).Refused(t, 401, "unauthorized")
		service.Do(t, "GET", "/ops/v1/couriers", nil, "Authorization", "Bearer "+long).Refused(t, 401, "unauthorized")
	})
}
