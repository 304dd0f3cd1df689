// Package apptest starts whole services for tests and speaks to them over HTTP,
// as partners and operators do.
package apptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/credential"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// The operator that every service under test has.
const (
	OperatorEmail    = "boss@example.com"
	OperatorPassword = "correct horse battery"
)

// cheapHashing keeps suites fast; what it hashes protects nothing.
var cheapHashing = credential.Cost{Memory: 64, Passes: 1, Lanes: 1}

// Service is a whole service under test, on a free loopback port and a
// directory of its own.
type Service struct {
	URL   string
	Clock *testkit.Clock
	Log   *bytes.Buffer // read it only after Stop
	stop  func()
}

// Option changes the settings of a service under test.
type Option func(*config.Config, *app.Surroundings)

// RateLimit sets the requests per minute; services under test have none unless
// told.
func RateLimit(perMinute int) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.RateLimit = perMinute }
}

// Demo seeds the demo and writes what it prints to out. The service runs on the
// system's clock, for clients that do.
func Demo(out io.Writer) Option {
	return func(c *config.Config, world *app.Surroundings) { c.Demo, world.Out, world.Now = true, out, time.Now }
}

// DataIn keeps the data in a directory that outlives the service.
func DataIn(dir string) Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Data = dir }
}

// Start starts a service; it stops with the test, or by Stop.
func Start(t testing.TB, options ...Option) *Service {
	t.Helper()
	s := &Service{Clock: testkit.NewClock(testkit.Epoch), Log: &bytes.Buffer{}}
	settings := &config.Config{
		Listen: "127.0.0.1:0", Data: t.TempDir(),
		OperatorEmail: OperatorEmail, OperatorPassword: OperatorPassword,
	}
	world := app.System()
	world.Now, world.Out = s.Clock.Now, io.Discard
	world.Log = slog.New(slog.NewTextHandler(&locked{w: s.Log}, nil))
	world.Hasher = credential.NewHasher(cheapHashing, world.Random)
	for _, option := range options {
		option(settings, &world)
	}
	ctx, cancel := context.WithCancel(context.Background())
	service, err := app.Start(ctx, settings, world)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	stopped := false
	s.URL = service.URL()
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service did not end well: %v", err)
		}
	}
	t.Cleanup(s.stop)
	return s
}

// Stop ends the service as a signal would, and waits for it.
func (s *Service) Stop() { s.stop() }

// Answer is what the service said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON is a member of the body, reached by names and list positions; nil if
// there is none.
func (a *Answer) JSON(path ...any) any {
	var value any
	if err := json.Unmarshal(a.Body, &value); err != nil {
		return nil
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

// Text is JSON for a member that is a string.
func (a *Answer) Text(path ...any) string {
	text, _ := a.JSON(path...).(string)
	return text
}

// Code is the error's code; empty for an answer that is no error.
func (a *Answer) Code() string { return a.Text("error", "code") }

// Must fails the test unless the answer has the status.
func (a *Answer) Must(t testing.TB, status int) *Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("got %d, want %d: %s", a.Status, status, a.Body)
	}
	return a
}

// Do sends a request as it is. Headers come in pairs of name and value.
func (s *Service) Do(t testing.TB, method, target string, body []byte, headers ...string) *Answer {
	t.Helper()
	request, err := http.NewRequest(method, s.URL+target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return send(t, request)
}

var httpClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func send(t testing.TB, request *http.Request) *Answer {
	t.Helper()
	response, err := httpClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &Answer{response.StatusCode, response.Header, content}
}

// Partner is a partner's engineer with an API key.
type Partner struct {
	*Service
	PartnerID string
	Email     string
	Password  string
	KeyID     string
	PublicKey string
	SecretKey string
}

// Register makes a partner with a key, through the interface.
func (s *Service) Register(t testing.TB, name string) *Partner {
	t.Helper()
	p := &Partner{Service: s, Email: name + "@example.com", Password: "a long password of " + name}
	account := s.Do(t, "POST", "/v1/auth/register",
		fmt.Appendf(nil, `{"name":%q,"email":%q,"password":%q}`, name, p.Email, p.Password)).Must(t, 201)
	p.PartnerID = account.Text("partner_id")
	key := s.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"name":"test"}`),
		"X-Partner-Email", p.Email, "X-Partner-Password", p.Password).Must(t, 201)
	p.KeyID, p.PublicKey, p.SecretKey = key.Text("key_id"), key.Text("public_key"), key.Text("secret_key")
	return p
}

// Signed makes the headers of a signed request.
func (p *Partner) Signed(method, target string, body []byte) []string {
	path, _, _ := strings.Cut(target, "?")
	timestamp := strconv.FormatInt(p.Clock.Now().Unix(), 10)
	signed := signature.Request{Timestamp: timestamp, Method: method, Path: path, Body: body}
	return []string{"X-Api-Key", p.PublicKey, "X-Timestamp", timestamp, "X-Signature", signed.Sign([]byte(p.SecretKey))}
}

// Call sends a signed request. Headers come in pairs of name and value.
func (p *Partner) Call(t testing.TB, method, target string, body []byte, headers ...string) *Answer {
	t.Helper()
	return p.Do(t, method, target, body, append(p.Signed(method, target, body), headers...)...)
}

// Create creates an order under a fresh idempotency key.
func (p *Partner) Create(t testing.TB, body []byte) *Answer {
	t.Helper()
	return p.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", uuid.NewString())
}

// Cancel cancels an order under a fresh idempotency key.
func (p *Partner) Cancel(t testing.TB, orderID, reason string) *Answer {
	t.Helper()
	return p.Call(t, "POST", "/v1/orders/"+orderID+"/cancel", fmt.Appendf(nil, `{"reason":%q}`, reason), "Idempotency-Key", uuid.NewString())
}

// Operator is an operator with a token.
type Operator struct {
	*Service
	Token     string
	CourierID string
}

// Operate logs the operator in and adds a courier.
func (s *Service) Operate(t testing.TB) *Operator {
	t.Helper()
	o := &Operator{Service: s}
	o.Token = s.Do(t, "POST", "/ops/v1/tokens",
		fmt.Appendf(nil, `{"email":%q,"password":%q,"name":"test"}`, OperatorEmail, OperatorPassword)).Must(t, 201).Text("token")
	o.CourierID = o.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Camille Tremblay","phone":"+15145550177","vehicle":"cargo bike","active":true}`)).Must(t, 201).Text("courier_id")
	return o
}

// Call sends a request with the operator's token.
func (o *Operator) Call(t testing.TB, method, target string, body []byte) *Answer {
	t.Helper()
	return o.Do(t, method, target, body, "Authorization", "Bearer "+o.Token)
}

// Move moves an order to another state.
func (o *Operator) Move(t testing.TB, orderID, status string) *Answer {
	t.Helper()
	return o.Call(t, "POST", "/ops/v1/orders/"+orderID+"/status",
		fmt.Appendf(nil, `{"status":%q,"courier_id":%q,"notes":"by test"}`, status, o.CourierID))
}

// Stock gives the partner a product with so much of it at each location, and
// tells its id.
func (o *Operator) Stock(t testing.TB, partnerID, name string, levels map[string]int) (productID int) {
	t.Helper()
	product := o.Call(t, "POST", "/ops/v1/partners/"+partnerID+"/products",
		fmt.Appendf(nil, `{"name":%q,"price":9.99,"stock_min":5,"stock_max":100,"barcode":"B-%s"}`, name, name)).Must(t, 201)
	id, _ := product.JSON("product_id").(float64)
	for location, quantity := range levels {
		o.Call(t, "POST", "/ops/v1/partners/"+partnerID+"/movements",
			fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":%d,"location":%q}`, int(id), quantity, location)).Must(t, 201)
	}
	return int(id)
}

// locked is a writer that many may use at once.
type locked struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
