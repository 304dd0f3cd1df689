package courier_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/testkit"
)

// yard is a service with a clock that sequences move on, and a desk that they call.
type yard struct {
	*apptest.Service
	partner *apptest.Partner
	desk    *apptest.Operator
	address string // of the proxy in front of the service

	mu     sync.Mutex
	riders map[string]*apptest.Operator // by seed; guarded by mu
	moved  map[string]bool              // order, status and time of the desk's moves; guarded by mu
}

func newYard(t *testing.T) *yard {
	t.Helper()
	s := apptest.Start(t)
	y := &yard{Service: s, partner: s.Register(t,
		"metro"), desk: s.Operate(t), riders: map[string]*apptest.Operator{}, moved: map[string]bool{}}
	y.desk.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, http.StatusOK)
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Date", y.Clock.Now().UTC().Format(http.TimeFormat)) // which is the system's otherwise
		return nil
	}
	routes := http.NewServeMux()
	routes.Handle("/", proxy)
	for path, serve := range map[string]func(*testing.T,
		url.Values) any{"begin": y.begin, "advance": y.advance, "desk": y.interfere, "sign-in": y.signIn} {
		routes.HandleFunc("POST /world/"+path, func(w http.ResponseWriter, r *http.Request) {
			_ = json.NewEncoder(w).Encode(serve(t, r.URL.Query())) // the sequences read it
		})
	}
	front := httptest.NewServer(routes)
	t.Cleanup(front.Close)
	y.address = front.URL
	return y
}

// begin makes a courier with orders, and pictures that differ.
func (y *yard) begin(t *testing.T, q url.Values) any {
	seed := q.Get("seed")
	r := y.newRider(t, seed)
	orders := make([]string, stopsOfSequence)
	for i := range orders {
		orders[i] = y.assigned(t, r, fmt.Sprint(seed, "-", i))
	}
	y.Clock.Advance(10 * time.Second) // the courier reads the round
	pictures := make([][]byte, picturesOfSequence)
	for i := range pictures {
		number, _ := strconv.Atoi(seed)
		pictures[i] = drawing(number*picturesOfSequence + i)
	}
	return map[string]any{
		"operator_id": r.OperatorID, "token": r.Token, "now": y.Clock.Now().UnixMilli(), "orders": orders,
		"pictures": pictures,
	}
}

// newRider adds an operator who is a courier.
func (y *yard) newRider(t *testing.T, name string) *apptest.Operator {
	t.Helper()
	r := &apptest.Operator{
		Service: y.Service, Email: "rider" + name + "@example.com", Password: "a long password of " + name,
	}
	r.CourierID = y.desk.Call(t, "POST", "/ops/v1/couriers",
		fmt.Appendf(nil, `{"name":"Rider %s","phone":"+15145550190","vehicle":"bike"}`, name)).Text("courier_id")
	r.OperatorID = y.desk.Call(t, "POST", "/ops/v1/operators",
		fmt.Appendf(nil, `{"email":%q,"password":%q,"role":"courier","courier_id":%q}`, r.Email, r.Password,
			r.CourierID)).Text("operator_id")
	y.mu.Lock()
	y.riders[name] = r
	y.mu.Unlock()
	y.signIn(t, url.Values{"seed": {name}})
	return r
}

// assigned makes an order that a courier is assigned to, of which $20 are to be collected.
func (y *yard) assigned(t *testing.T, r *apptest.Operator, reference string) (orderID string) {
	t.Helper()
	body := bytes.Replace(testkit.OrderJSON(reference, ""), []byte(`"reference":`),
		[]byte(`"cod":{"amount_cents":2000,"currency":"CAD"},"reference":`), 1)
	orderID = y.partner.Create(t, body).Text("order_id")
	for _, body := range []string{`{"status":"accepted"}`, fmt.Sprintf(`{"status":"courier_assigned","courier_id":%q}`,
		r.CourierID)} {
		if got := y.desk.Call(t, "POST", "/ops/v1/orders/"+orderID+"/status", []byte(body)); got.Status != http.StatusOK {
			t.Errorf("%s of %s: got %d %s, want 200", body, reference, got.Status, got.Body)
		}
	}
	return orderID
}

func (y *yard) signIn(t *testing.T, q url.Values) any {
	y.mu.Lock()
	r := y.riders[q.Get("seed")]
	y.mu.Unlock()
	got := y.Do(t, "POST", "/ops/v1/tokens", fmt.Appendf(nil, `{"email":%q,"password":%q}`, r.Email, r.Password))
	if r.Token = got.Text("token"); r.Token == "" {
		t.Errorf("sign in as %s: got %d %s, want a token", r.Email, got.Status, got.Body)
	}
	return map[string]any{"token": r.Token}
}

func (y *yard) advance(t *testing.T, q url.Values) any {
	ms, err := strconv.Atoi(q.Get("ms"))
	if err != nil {
		t.Error(err)
	}
	y.Clock.Advance(time.Duration(ms) * time.Millisecond)
	return map[string]any{"now": y.Clock.Now().UnixMilli()}
}

// interfere changes an order at the desk, if its status allows that.
func (y *yard) interfere(t *testing.T, q url.Values) any {
	order, status := q.Get("order"), q.Get("status")
	body := fmt.Sprintf(`{"status":%q,"courier_id":%q,"reason":"by the desk","failure_reason":"closed"}`, status,
		y.desk.CourierID)
	got := y.desk.Call(t, "POST", "/ops/v1/orders/"+order+"/status", []byte(body))
	done := 0
	if got.Status == http.StatusOK {
		done = 1
		y.mu.Lock()
		y.moved[order+" "+status+" "+timestamp.Format(y.Clock.Now())] = true
		y.mu.Unlock()
	}
	return map[string]any{"done": done}
}

// drawing returns a small picture that differs for each number.
func drawing(number int) []byte {
	drawn := image.NewGray(image.Rect(0, 0, 8, 8))
	for bit := range 32 {
		if number>>bit&1 == 1 {
			drawn.SetGray(bit%8, bit/8, color.Gray{Y: 255})
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, drawn) // into memory
	return file.Bytes()
}
