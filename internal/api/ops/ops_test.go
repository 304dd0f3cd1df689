package ops_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

func TestCouriersOverHTTP(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t) // adds a courier
	s.Do(t, "GET", "/ops/v1/couriers", nil).Must(t, 401)
	added := o.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Devon Clarke","phone":"+14165550119","vehicle":"bike","active":false}`)).Must(t, 201)
	if !strings.HasPrefix(added.Text("courier_id"), "cou_") || added.JSON("active") != false ||
		added.Text("vehicle") != "bike" {
		t.Errorf("add: got %s, want an inactive courier with a bike", added.Body)
	}
	faulty := o.Call(t, "POST", "/ops/v1/couriers", []byte(`{"name":"Devon Clarke","phone":"416 555-0119"}`)).Must(t, 422)
	if faulty.JSON("error", "details", "errors", 1) == nil {
		t.Errorf("a faulty phone number and no vehicle: got %s, want two errors", faulty.Body)
	}
	all := o.Call(t, "GET", "/ops/v1/couriers", nil).Must(t, 200)
	if all.JSON("couriers", 1) == nil || all.JSON("couriers", 2) != nil || all.JSON("next_cursor") != nil {
		t.Errorf("list: got %s, want two couriers on one page", all.Body)
	}
	first := o.Call(t, "GET", "/ops/v1/couriers?limit=1", nil).Must(t, 200)
	second := o.Call(t, "GET", "/ops/v1/couriers?limit=1&cursor="+first.Text("next_cursor"), nil).Must(t, 200)
	if first.Text("couriers", 0, "courier_id") != all.Text("couriers", 0, "courier_id") ||
		second.Text("couriers", 0, "courier_id") != all.Text("couriers", 1, "courier_id") ||
		second.JSON("next_cursor") != nil {
		t.Errorf("pages of one: got %s and %s, want the couriers of %s", first.Body, second.Body, all.Body)
	}
	for _, query := range []string{"limit=0", "limit=501", "limit=x", "cursor=x"} {
		o.Call(t, "GET", "/ops/v1/couriers?"+query, nil).Must(t, 422)
	}
}

func TestOperatorTokens(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	body := func(password string) []byte {
		return fmt.Appendf(nil, `{"email":%q,"password":%q,"name":"desk"}`, apptest.OperatorEmail, password)
	}
	token := s.Do(t, "POST", "/ops/v1/tokens", body(apptest.OperatorPassword)).Must(t, 201)
	if token.Text("role") != "admin" ||
		token.Text("expires_at") != timestamp.Format(s.Clock.Now().Add(30*24*time.Hour)) ||
		!strings.HasPrefix(token.Text("token_id"), "tok_") {
		t.Errorf("create: got %s, want the role admin and an expiry in 30 days", token.Body)
	}
	for range 10 {
		s.Do(t, "POST", "/ops/v1/tokens", body("x")).Must(t, 401)
	}
	if refused := s.Do(t, "POST", "/ops/v1/tokens", body("x")).Must(t, 429); refused.Header.Get("Retry-After") == "" {
		t.Errorf("after 10 failures: got %v, want a Retry-After", refused.Header)
	}
	s.Clock.Advance(30 * 24 * time.Hour)
	s.Do(t, "GET", "/ops/v1/couriers", nil, "Authorization", "Bearer "+token.Text("token")).Must(t, 401)
}
