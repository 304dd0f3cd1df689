package generated_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestSchemathesis sends what schemathesis generates from the documents to a service, and
// fails for answers that the documents do not allow. Settings and exceptions are in
// testdata/schemathesis. Its summaries are in the log.
func TestSchemathesis(t *testing.T) {
	t.Parallel()
	testkit.NeedPython.OrSkip(t)
	w := newWorkshop(t, "schemathesis")
	w.venv("-r", "requirements.txt")
	program := filepath.Join(w.dir, "venv", "bin", "schemathesis")
	for _, name := range []string{"openapi", "ops"} {
		t.Run(name, func(t *testing.T) {
			world := newWorld(t)
			known, err := json.Marshal(world)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(w.dir, "world.json"), known)
			out := (&workshop{t, w.dir}).run(program, "run", name+".yaml", "--url", world.URL)
			_, summary, _ := strings.Cut(out, "= SUMMARY =")
			t.Logf("%s.yaml: %s", name, strings.Trim(summary, "= \n"))
		})
	}
}

// world is what hooks.py knows of a service.
type world struct {
	URL        string           `json:"-"`
	PublicKey  string           `json:"public_key"`
	SecretKey  string           `json:"secret_key"`
	Token      string           `json:"token"`                // of an operator
	Session    string           `json:"dropyard_session"`     // of the partner
	OpsSession string           `json:"dropyard_ops_session"` // of another operator
	IDs        map[string][]any `json:"ids"`                  // by the names of path parameters
	Own        []string         `json:"own"`                  // ids behind the credentials
}

// newWorld starts a service with some of everything that path parameters name.
func newWorld(t *testing.T) *world {
	t.Helper()
	service := apptest.Start(t, onSystemClock, apptest.Webhooks(), apptest.TrustProxies("127.0.0.0/8"))
	service.Clock = testkit.NewClock(time.Now())
	partner, boss := service.Register(t, "metro"), service.Operate(t)
	partner.SetEndpoint(t, apptest.NewReceiver(t).URL)
	addExamples(t, service, boss)
	admin, other := boss.As(t, "admin"), boss.As(t, "dispatcher")
	product := boss.Stock(t, partner.PartnerID, "Coffee", map[string]int{"MTL-01": 500})
	w := &world{
		URL: service.URL, PublicKey: partner.PublicKey, SecretKey: partner.SecretKey, Token: admin.Token,
		Own: []string{partner.KeyID, admin.OperatorID, admin.TokenID, boss.OperatorID},
		IDs: map[string][]any{
			"partner_id": {partner.PartnerID}, "product_id": {product}, "courier_id": {boss.CourierID},
			"operator_id": {other.OperatorID}, "token_id": {other.TokenID},
			"key_id": {partner.NewKey(t).KeyID, partner.NewKey(t).KeyID},
		},
	}
	w.Session = w.logIn(t, service, "/v1/auth/", partner.Email, partner.Password)
	w.OpsSession = w.logIn(t, service, "/ops/v1/", apptest.OperatorEmail, apptest.OperatorPassword)
	for _, status := range delivery.Statuses {
		w.IDs["order_id"] = append(w.IDs["order_id"], orderIn(t, partner, boss, product, status))
	}
	events := partner.Call(t, "GET", "/v1/webhooks/events", nil).Must(t, 200)
	for i := range events.Len("events") {
		w.IDs["event_id"] = append(w.IDs["event_id"], events.Text("events", i, "event_id"))
	}
	return w
}

// addExamples adds the accounts with which the examples of the documents log in.
func addExamples(t *testing.T, service *apptest.Service, boss *apptest.Operator) {
	t.Helper()
	service.Do(t, "POST", "/v1/auth/register",
		[]byte(`{"name":"Épicerie Métro","email":"partner@example.com","password":"maple-harbour-42"}`)).Must(t, 201)
	boss.Call(t, "POST", "/ops/v1/operators",
		[]byte(`{"email":"operator@example.com","password":"quai-de-nuit-1907","role":"dispatcher"}`)).Must(t, 201)
}

// orderIn creates an order and moves it to a status, by way of those before it.
func orderIn(
	t *testing.T, partner *apptest.Partner, operator *apptest.Operator, product int, status delivery.Status,
) string {
	t.Helper()
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product)
	id := partner.Create(t, testkit.OrderJSON(string(status), items)).Must(t, 201).Text("order_id")
	var steps []delivery.Status
	switch status {
	case delivery.StatusPending:
	case delivery.StatusCancelled:
		steps = []delivery.Status{status}
	default:
		on := delivery.Statuses[1:slices.Index(delivery.Statuses, delivery.StatusDelivered)]
		steps = append(slices.Clone(on[:min(len(on), slices.Index(delivery.Statuses, status)-1)]), status)
	}
	for _, step := range steps {
		operator.Move(t, id, string(step)).Must(t, 200)
	}
	return id
}

// logIn returns the value of a new session's cookie, and adds the ids of the session and
// of its user to Own.
func (w *world) logIn(t *testing.T, service *apptest.Service, prefix, email, password string) string {
	t.Helper()
	login := service.Do(t, "POST", prefix+"login", fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)).Must(t,
		200)
	cookie, err := http.ParseSetCookie(login.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	header := cookie.Name + "=" + cookie.Value
	me := service.Do(t, "GET", prefix+"me", nil, "Cookie", header).Must(t, 200)
	sessions := service.Do(t, "GET", strings.TrimSuffix(prefix, "auth/")+"auth/sessions", nil, "Cookie", header).Must(t,
		200)
	w.Own = append(w.Own, sessions.Text("sessions", 0, "session_id"), me.Text("user", "user_id"))
	return cookie.Value
}
