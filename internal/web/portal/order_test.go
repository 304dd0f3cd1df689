package portal_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestOrderPage shows an order to the people of its partner, with what their role may
// do, until it has ended.
func TestOrderPage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	product := desk.Stock(t, metro.PartnerID, "lamp", map[string]int{"MTL-1": 5})
	id := metro.Create(t, testkit.OrderJSON("LIVE-1", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product))).Must(t,
		201).Text("order_id")
	test := metro.InTest(t).Create(t, testkit.OrderJSON("TEST-1", "")).Must(t, 201).Text("order_id")
	owner, reader, stranger := metro.Owner(t), metro.As(t, "reader"), s.Register(t, "nord").Owner(t)
	path := "/portal/orders/" + id

	fresh := []string{
		"Pending", `data-live="20"`, "4000 Rue Saint-Denis", "lamp", "/track/" + id, path + `/label?format=zpl"`, path +
			`/cancel"`,
		"/portal/orders/new?from=" + id, "NEW-NUMBER", "sk_…", `href="/portal/orders?mode=test"`,
	}
	shows(t, "new", owner.Open(t, path).Must(t, http.StatusOK), fresh, []string{"Camille"})
	shows(t, "to a reader", reader.Open(t, path).Must(t, http.StatusOK), []string{"LIVE-1"},
		[]string{path + "/cancel", path + "/label", "/portal/orders/new"})
	for _, status := range []string{"accepted", "courier_assigned"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	shows(t, "assigned", owner.Open(t, path).Must(t, http.StatusOK), []string{"Assigned", "Camille Tremblay", "by test"},
		[]string{path + `/cancel"`})
	desk.Call(t, "POST", "/ops/v1/orders/"+id+"/status",
		[]byte(`{"status":"failed","failure_reason":"not_home","next_attempt":"2026-01-15T15:00:00Z"}`)).Must(t, 200)
	shows(t, "failed", owner.Open(t, path).Must(t, http.StatusOK),
		[]string{"No one was there", "Next attempt:", "2026-01-15T15:00:00Z"}, nil)
	for _, status := range []string{"out_for_delivery", "delivered"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	shows(t, "delivered", owner.Open(t, path).Must(t, http.StatusOK), []string{"Delivered", "No one was there"},
		[]string{"data-live", "Next attempt:"})

	shows(t, "test order", owner.Open(t, "/portal/orders/"+test+"?mode=test").Must(t, http.StatusOK),
		[]string{"TEST-1", "sk_test_…"}, nil)
	for who, answer := range map[string]*apptest.Answer{
		"stranger":           stranger.Open(t, path),
		"in test mode":       owner.Open(t, path+"?mode=test"),
		"test order in live": owner.Open(t, "/portal/orders/"+test),
		"malformed id":       owner.Open(t, "/portal/orders/%00"),
		"label":              stranger.Open(t, path+"/label"),
		"cancellation":       stranger.Open(t, path+"/cancel"),
	} {
		if answer.Status != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", who, answer.Status)
		}
	}
}

// TestCancelOrder cancels an order once, although its form is sent twice, and returns
// what was taken from stock. A form that comes too late says so.
func TestCancelOrder(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	product := desk.Stock(t, metro.PartnerID, "lamp", map[string]int{"MTL-1": 5})
	id := metro.Create(t, testkit.OrderJSON("LIVE-1", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product))).Must(t,
		201).Text("order_id")
	late := metro.Create(t, testkit.OrderJSON("LIVE-2", "")).Must(t, 201).Text("order_id")
	clerk, reader := metro.As(t, "clerk"), metro.As(t, "reader")
	path := "/portal/orders/" + id + "/cancel"

	reader.Open(t, path).Must(t, http.StatusForbidden)
	asked := clerk.Open(t, path).Must(t, http.StatusOK)
	shows(t, "asked", asked, []string{"Cancel LIVE-1?", "2 units go back to your stock."}, []string{"order.cancelled"})
	shows(t, "refused", clerk.Send(t, asked, path, "reason", strings.Repeat("x", 501)).Must(t,
		http.StatusUnprocessableEntity), []string{`id="fault-reason"`, "xxx</textarea>"}, nil)
	for range 2 {
		if got := clerk.Send(t, asked, path, "reason", "wrong size").Must(t,
			http.StatusSeeOther).Header.Get("Location"); got != "/portal/orders/"+id {
			t.Errorf("got to %q, want to the order", got)
		}
	}
	shows(t, "cancelled", clerk.Open(t, "/portal/orders/"+id).Must(t, http.StatusOK), []string{"Cancelled", "wrong size"},
		[]string{path, "data-live"})
	if got := metro.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200); got.Text("cancellation_reason") != "wrong size" ||
		got.Len("status_history") != 2 {
		t.Errorf("got %s, want it cancelled once", got.Body)
	}
	if got := metro.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200).JSON("products", 0,
		"quantity"); got != 5.0 {
		t.Errorf("got a quantity of %v, want 5", got)
	}

	path = "/portal/orders/" + late + "/cancel"
	asked = clerk.Open(t, path).Must(t, http.StatusOK)
	for _, status := range []string{"accepted", "courier_assigned"} {
		desk.Move(t, late, status).Must(t, http.StatusOK)
	}
	answer := clerk.Send(t, asked, path).Must(t, http.StatusSeeOther)
	cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	shown := s.Do(t, "GET", answer.Header.Get("Location"), nil, "Cookie", clerk.Cookie+"; "+cookie, "Accept", "text/html")
	shows(t, "too late", shown, []string{"Nothing was changed: the order’s status is now “Assigned”."}, nil)
	clerk.Open(t, path).Must(t, http.StatusSeeOther)
}

// TestOrderLabel responds with the labels that the interface responds with.
func TestOrderLabel(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	id := metro.Create(t, testkit.OrderJSON("LIVE-1", "")).Must(t, 201).Text("order_id")
	owner, reader := metro.Owner(t), metro.As(t, "reader")
	path := "/portal/orders/" + id + "/label"
	for format, kind := range map[string]string{
		"": "application/pdf", "?format=pdf": "application/pdf", "?format=zpl": "application/zpl",
	} {
		got := owner.Open(t, path+format).Must(t, http.StatusOK)
		want := metro.Call(t, "GET", "/v1/orders/"+id+"/label", nil, "Accept", kind).Must(t, http.StatusOK)
		for _, name := range []string{"Content-Type", "Content-Disposition", "Cache-Control"} {
			if got.Header.Get(name) != want.Header.Get(name) {
				t.Errorf("%q: got %s %q, want %q", format, name, got.Header.Get(name), want.Header.Get(name))
			}
		}
		if got.Header.Get("Content-Type") != kind || !bytes.Equal(got.Body, want.Body) {
			t.Errorf("%q: got %d bytes of %s, want the %d of the interface", format, len(got.Body),
				got.Header.Get("Content-Type"), len(want.Body))
		}
	}
	owner.Open(t, path+"?format=png").Must(t, http.StatusBadRequest)
	reader.Open(t, path).Must(t, http.StatusForbidden)
}

var copied = regexp.MustCompile(`<pre id="[^>]*>(KEY=[^<]*)</pre>`)

// TestSignedRequestsRun runs the commands of an order's page as they are copied, with
// the keys put in. The order has texts that a shell could take for its own.
func TestSignedRequestsRun(t *testing.T) {
	t.Parallel()
	testkit.NeedCurl.OrSkip(t)
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	odd := `it's "$HOME" ` + "`id` \\\\ %s é"
	body := bytes.Replace(testkit.OrderJSON("LIVE-1", ""), []byte(`"Épicerie Métro"`), fmt.Appendf(nil, "%q", odd), 1)
	id := metro.Create(t, body).Must(t, 201).Text("order_id")
	shown := string(metro.Owner(t).Open(t, "/portal/orders/"+id).Must(t, http.StatusOK).Body)
	samples := copied.FindAllStringSubmatch(shown, -1)
	if len(samples) != 2 {
		t.Fatalf("got %d samples, want 2:\n%s", len(samples), shown)
	}
	names := [2]string{"LIVE-1", "NEW-NUMBER"}
	for i, sample := range samples {
		script := strings.NewReplacer("pk_…", metro.PublicKey, "sk_…", metro.SecretKey, "$(date +%s)",
			fmt.Sprint(s.Clock.Now().Unix())).Replace(html.UnescapeString(sample[1]))
		out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
		if err != nil || !bytes.Contains(out, fmt.Appendf(nil, `"partner_order_id":%q`, names[i])) ||
			!bytes.Contains(out, fmt.Appendf(nil, `"name":%q`, odd)) {
			t.Errorf("got %s, %v, want the order %s, from\n%s", out, err, names[i], script)
		}
	}
}
