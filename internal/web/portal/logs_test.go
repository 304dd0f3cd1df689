package portal_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRequestLogPages lists requests of each mode, finds them by order and id, and shows
// what was refused, without what is personal.
func TestRequestLogPages(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	created := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	wrong := strings.Replace(string(testkit.OrderJSON("A-2", "")), `"express"`, `"overnight"`, 1)
	refused := metro.Create(t, []byte(wrong)).Refused(t, 422, "validation_error")
	metro.InTest(t).Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	s.Until(t, "SELECT sum(requests) FROM request_log", "3")

	orderID, requestID := created.Text("order_id"), refused.Header.Get("X-Request-Id")
	entry := regexp.MustCompile(`/portal/logs/` + requestID + `\?at=[^"]+`).FindString(string(owner.Open(t,
		"/portal/logs").Must(t, 200).Body))
	for path, c := range map[string]struct{ want, absent string }{
		"/portal/logs":                          {"2 requests", "/v1/inventory/products"},
		"/portal/logs?mode=test":                {"/v1/inventory/products", "validation_error"},
		"/portal/logs?show=refused":             {"1 request on", orderID},
		"/portal/logs?q=A-1":                    {orderID, "validation_error"},
		"/portal/logs?q=" + orderID:             {orderID, "validation_error"},
		"/portal/logs?q=" + requestID:           {"validation_error", orderID},
		"/portal/logs?q=A-2":                    {"No request here matches", "validation_error"},
		"/portal/logs/" + requestID:             {"&#34;[text of ", "Alex Martin"},
		strings.ReplaceAll(entry, "&amp;", "&"): {"docs/contract.md#errors", "Alex Martin"},
	} {
		shown := string(owner.Open(t, path).Must(t, http.StatusOK).Body)
		if !strings.Contains(shown, c.want) || strings.Contains(shown, c.absent) {
			t.Errorf("%s: got a page that has not %q, or has %q:\n%s", path, c.want, c.absent, shown)
		}
	}
	s.Register(t, "nord").Owner(t).Open(t, "/portal/logs/"+requestID).Must(t, http.StatusNotFound)
	if empty := string(owner.Open(t, "/portal/logs?cursor=nonsense").Must(t, 200).Body); !strings.Contains(empty,
		"2 requests") {
		t.Errorf("an unknown cursor: got\n%s\nwant the first page", empty)
	}
}
