package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/client"
)

// scripted is a transport that answers with one response after the other, and with the
// last one from then on.
type scripted struct {
	script []*http.Response
	sent   []*http.Request
}

func (s *scripted) RoundTrip(request *http.Request) (*http.Response, error) {
	s.sent = append(s.sent, request)
	response := *s.script[min(len(s.sent), len(s.script))-1]
	if response.StatusCode == 0 {
		return nil, errors.New("no route to host")
	}
	response.Request = request
	return &response, nil
}

func script(responses ...*http.Response) *scripted { return &scripted{script: responses} }

func TestMethodsRetryWhatIsSafe(t *testing.T) {
	t.Parallel()
	const inProgress = `{"error":{"code":"idempotency_in_progress","message":"wait"}}`
	register := func(ctx context.Context, c *client.Client) error {
		_, err := c.Register(ctx, client.RegisterRequest{})
		return err
	}
	create := func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateOrder(ctx, client.OrderRequest{})
		return err
	}
	quote := func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateQuote(ctx, client.QuoteRequest{})
		return err
	}
	ready := func(ctx context.Context, c *client.Client) error {
		_, err := c.GetReady(ctx)
		return err
	}
	silent := &http.Response{}
	for name, c := range map[string]struct {
		call     func(context.Context, *client.Client) error
		first    *http.Response
		attempts int
	}{
		"order, 503":         {create, respond(503, ""), 2},
		"order, in progress": {create, respond(409, inProgress), 2},
		"order, conflict":    {create, respond(409, `{"error":{"code":"conflict"}}`), 1},
		"order, silence":     {create, silent, 2},
		"quote, 503":         {quote, respond(503, ""), 2},
		"quote, silence":     {quote, silent, 2},
		"register, 429":      {register, respond(429, ""), 2},
		"register, 503":      {register, respond(503, ""), 1},
		"register, silence":  {register, silent, 1},
		"ready, 503":         {ready, respond(503, ""), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			transport := script(c.first, respond(200, "{}"))
			err := c.call(t.Context(), through(transport))
			if len(transport.sent) != c.attempts || (err == nil) != (c.attempts == 2) {
				t.Errorf("%s: got %d attempts and %v, want %d", name, len(transport.sent), err, c.attempts)
			}
			for _, request := range transport.sent {
				if got, want := request.Header.Get("Idempotency-Key"),
					transport.sent[0].Header.Get("Idempotency-Key"); got != want {
					t.Errorf("%s: got key %q, want %q in every attempt", name, got, want)
				}
			}
		})
	}
}

// TestCancelledContextEndsWait: a call returns as soon as its context is cancelled.
func TestCancelledContextEndsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		later(300*time.Millisecond, cancel)
		begin, transport := time.Now(), script(respond(503, ""))
		_, err := through(transport).ListOrders(ctx, client.OrderQuery{})
		if took := time.Since(begin); took != 300*time.Millisecond || err == nil || len(transport.sent) != 1 {
			t.Errorf("got %v after %v and %d attempts, want an error after 300ms and one", err, took, len(transport.sent))
		}
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	const full = `{"error":{"code":"insufficient_stock","message":"too little","doc_url":"https://d.example/e","new":1,
		"details":{"items":[{"product_id":1,"available":2,"requested":3}],"new":[]}},"request_id":"req_1"}`
	for name, c := range map[string]struct {
		status int
		body   string
		code   client.ErrorCode
		text   string
		items  int
	}{
		"complete": {
			422, full, client.CodeInsufficientStock, "refused with 422 insufficient_stock: too little (request req_1)", 1,
		},
		"unknown code": {
			422, `{"error":{"code":"parcel_too_odd","message":"odd"}}`, "parcel_too_odd",
			"refused with 422 parcel_too_odd: odd (request req_0)", 0,
		},
		"unusual details": {
			422, `{"error":{"code":"insufficient_stock","message":"m","details":{"items":"all"}}}`, client.CodeInsufficientStock,
			"refused with 422 insufficient_stock: m (request req_0)", 0,
		},
		"a proxy's page":   {502, "<html>", "", "refused with 502 Bad Gateway (request req_0)", 0},
		"a redirect":       {301, "", "", "refused with 301 Moved Permanently (request req_0)", 0},
		"JSON of a proxy":  {403, `[1]`, "", "refused with 403 Forbidden (request req_0)", 0},
		"without a status": {404, `{"error":"gone"}`, "", "refused with 404 Not Found (request req_0)", 0},
	} {
		response := respond(c.status, c.body)
		response.Header.Set("X-Request-Id", "req_0")
		response.Header.Set("Retry-After", "7")
		response.Header.Set("Location", "http://other.test/")
		transport := script(response)
		cl := client.New("http://service.test", "pk_1", "sk_1")
		cl.HTTP.Transport, cl.RetryDelays = transport, nil
		var answer client.Answer
		_, err := cl.GetOrder(t.Context(), "ord_1", client.WithAnswer(&answer))
		var refused *client.Error
		if !errors.As(err, &refused) || err.Error() != c.text || refused.Status != c.status ||
			client.CodeOf(fmt.Errorf("wrapped: %w", err)) != c.code {
			t.Errorf("%s: got %v, want %s", name, err, c.text)
			continue
		}
		if len(refused.Details.Items) != c.items || refused.RetryAfter != 7*time.Second ||
			(refused.DocURL != "") != (name == "complete") {
			t.Errorf("%s: got %+v, want %d items and Retry-After", name, refused, c.items)
		}
		if answer.Status != c.status || string(answer.Body) != c.body || len(transport.sent) != 1 {
			t.Errorf("%s: got the answer %+v after %d requests, want the refusal after one", name, answer, len(transport.sent))
		}
	}
}

// TestNewMembersAndWords: answers of a later version of the service can be read.
func TestNewMembersAndWords(t *testing.T) {
	t.Parallel()
	body := `{"order_id":"ord_1","status":"weighed","livemode":true,"courier":null,"cod":null,
		"parcels":[{"parcel_id":"1","dimensions":{"volume":7}}],"status_history":[{"status":"weighed","timestamp":"2026-03-02T14:05:09.417Z"}],
		"warnings":[{"code":"late"}],"created_at":"2026-03-02T14:05:09.417Z"}`
	order, err := through(script(respond(200, body))).GetOrder(t.Context(), "ord_1")
	if err != nil || order.Status != "weighed" || order.StatusHistory[0].Status != "weighed" || order.Courier != nil ||
		order.CreatedAt.IsZero() {
		t.Errorf("got %+v, %v, want the order", order, err)
	}
}

// TestUserAgent: requests name the client and its version, or what the caller has set, also those of a session.
func TestUserAgent(t *testing.T) {
	t.Parallel()
	login := respond(200, "{}")
	login.Header.Set("Set-Cookie", "dropyard_session=x")
	transport := script(respond(200, "{}"), respond(200, "{}"), login, respond(200, "{}"))
	c := through(transport)
	_, err := c.GetOrder(t.Context(), "ord_1")
	c.UserAgent = "shop/7"
	_, failed := c.Call(t.Context(), "GET", "/v1/orders", nil)
	session, refused := c.Login(t.Context(), client.LoginRequest{})
	if err := errors.Join(err, failed, refused); err != nil {
		t.Fatal(err)
	}
	if _, err := session.GetMe(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, request := range transport.sent {
		got = append(got, request.UserAgent())
	}
	if !strings.HasPrefix(got[0], "dropyard-go/") || !slices.Equal(got[1:], []string{"shop/7", "shop/7", "shop/7"}) {
		t.Errorf("got %q, want dropyard-go with a version and then shop/7", got)
	}
}

// TestIDsCannotChangeThePath: an id cannot lead to another operation.
func TestIDsCannotChangeThePath(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"ord_1":            "/v1/orders/ord_1/cancel",
		"a/b":              "/v1/orders/a%2Fb/cancel",
		"../keys":          "/v1/orders/..%2Fkeys/cancel",
		"x?y#z":            "/v1/orders/x%3Fy%23z/cancel",
		"":                 "",
		".":                "",
		"..":               "",
		"{id}":             "/v1/orders/%7Bid%7D/cancel",
		"é \n":             "/v1/orders/%C3%A9%20%0A/cancel",
		"%2e%2e":           "/v1/orders/%252e%252e/cancel",
		"ord_1/../../auth": "/v1/orders/ord_1%2F..%2F..%2Fauth/cancel",
	} {
		transport := script(respond(200, "{}"))
		_, err := through(transport).CancelOrder(t.Context(), id, client.CancelRequest{})
		got := ""
		if len(transport.sent) > 0 {
			got = transport.sent[0].URL.EscapedPath()
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", id, got, err, want)
		}
	}
}

// TestPageLeadsToItself: a list whose cursor is that of the page itself would never end.
func TestPageLeadsToItself(t *testing.T) {
	t.Parallel()
	page := func() *http.Response { return respond(200, `{"orders":[{"order_id":"1"}],"next_cursor":"same"}`) }
	var got []string
	for order, err := range through(script(page(), page(), page(), page())).Orders(t.Context(), client.OrderQuery{}) {
		got = append(got, fmt.Sprint(order.OrderID, errors.Is(err, client.ErrAnswer)))
	}
	if want := []string{"1false", "true"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want one order and the error %q", got, want)
	}
}

func TestOrdersFollowsPages(t *testing.T) {
	t.Parallel()
	page := func(ids, cursor string) *http.Response {
		return respond(200, `{"orders":[`+ids+`],"next_cursor":"`+cursor+`"}`)
	}
	transport := script(page(`{"order_id":"3"},{"order_id":"2"}`, "c 1"), page("", "c2"), page(`{"order_id":"1"}`, ""),
		page(`{"order_id":"4"}`, "c1"), respond(403, `{"error":{"code":"forbidden"}}`))
	orders := through(transport).Orders(t.Context(), client.OrderQuery{
		Status: client.StatusPending, CreatedFrom: time.Unix(1767225600, 5e8).In(time.FixedZone("", -5*3600)), Offset: 7,
	})
	var got []string
	for range 2 {
		for order, err := range orders {
			got = append(got, fmt.Sprint(order.OrderID, client.CodeOf(err)))
		}
	}
	if want := []string{"3", "2", "1", "4", "forbidden"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	const filter = "created_from=2026-01-01T00%3A00%3A00.5Z"
	for i, want := range map[int]string{
		0: filter + "&offset=7&status=pending",
		1: filter + "&cursor=c+1&status=pending",
		2: filter + "&cursor=c2&status=pending",
		3: filter + "&offset=7&status=pending",
	} {
		if got := transport.sent[i].URL.RawQuery; got != want {
			t.Errorf("request %d: got %q, want %q", i, got, want)
		}
	}
}

// TestProductsAndMovements: movements that are added while the pages are read shift the
// others, and are not returned, nor do others come twice.
func TestProductsAndMovements(t *testing.T) {
	t.Parallel()
	transport := script(
		respond(200, `{"movements":[{"movement_id":5},{"movement_id":4}],"limit":2}`),
		respond(200, `{"movements":[{"movement_id":4},{"movement_id":3}],"limit":2}`),
		respond(200, `{"movements":[{"movement_id":2}],"limit":2}`),
		respond(200, `{"products":[{"product_id":1},{"product_id":2}],"total":3}`),
		respond(200, `{"products":[{"product_id":3}],"total":3}`),
	)
	c := through(transport)
	var got []int64
	for movement, err := range c.Movements(t.Context(), client.MovementQuery{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, movement.MovementID)
	}
	for product, err := range c.Products(t.Context(), client.ProductQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, product.ProductID)
	}
	if want := []int64{5, 4, 3, 2, 1, 2, 3}; !slices.Equal(got, want) || len(transport.sent) != 5 {
		t.Errorf("got %v with %d requests, want %v with 5", got, len(transport.sent), want)
	}
}
