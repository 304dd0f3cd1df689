package app_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// tokenOf requests a token with a password.
func tokenOf(t *testing.T, s *apptest.Service, email, password string) *apptest.Answer {
	t.Helper()
	return s.Do(t, "POST", "/ops/v1/tokens", fmt.Appendf(nil, `{"email":%q,"password":%q,"name":"desk"}`, email, password))
}

// opsLogin starts an operator's session and returns its cookie.
func opsLogin(t *testing.T, s *apptest.Service, email, password string) string {
	t.Helper()
	in := s.Do(t, "POST", "/ops/v1/login", fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)).Must(t, 200)
	cookie := in.Header.Get("Set-Cookie")
	for _, part := range []string{"dropyard_ops_session=", "; Path=/", "; HttpOnly", "; SameSite=Lax"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("got cookie %q, want it to contain %q", cookie, part)
		}
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	return cookie
}

func TestOperatorSession(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	s.Do(t, "POST", "/ops/v1/login", []byte(`{"email":"boss@example.com","password":"wrong"}`)).Refused(t, 401,
		"unauthorized")
	cookie := opsLogin(t, s, "BOSS@example.com", apptest.OperatorPassword)
	me := s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", cookie).Must(t, 200)
	if me.Text("operator_id") != o.OperatorID || me.Text("role") != "admin" || me.JSON("active") != true ||
		me.JSON("courier_id") != nil {
		t.Errorf("me: got %s, want operator %s, an active admin", me.Body, o.OperatorID)
	}
	courier := []byte(`{"name":"Devon","phone":"+14165550119","vehicle":"bike"}`)
	s.Do(t, "POST", "/ops/v1/couriers", courier, "Cookie", cookie, "Sec-Fetch-Site", "same-origin").Must(t, 201)
	s.Do(t, "POST", "/ops/v1/couriers", courier, "Cookie", cookie, "Origin", "https://evil.example").Refused(t, 403,
		"forbidden")
	s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", "dropyard_ops_session=made-up").Refused(t, 401, "unauthorized")
	s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", strings.Replace(cookie, "_ops", "", 1)).Refused(t, 401, "unauthorized")

	out := s.Do(t, "POST", "/ops/v1/logout", nil, "Cookie", cookie).Must(t, 200)
	if !strings.Contains(out.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("logout: got %v, want the cookie removed", out.Header)
	}
	s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", cookie).Refused(t, 401, "unauthorized")
	s.Do(t, "POST", "/ops/v1/logout", nil).Must(t, 200)

	idle := opsLogin(t, s, apptest.OperatorEmail, apptest.OperatorPassword)
	used := opsLogin(t, s, apptest.OperatorEmail, apptest.OperatorPassword)
	for range 15 { // 11 h each: in use for seven days less three hours
		s.Clock.Advance(11 * time.Hour)
		s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", used).Must(t, 200)
	}
	s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", idle).Refused(t, 401, "unauthorized")
	s.Clock.Advance(3 * time.Hour)
	s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", used).Refused(t, 401, "unauthorized")
}

// TestOperatorChanges changes the courier, the role, the password and the state of an
// operator. Each change takes effect immediately.
func TestOperatorChanges(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	rider := boss.As(t, "courier")
	cookie := opsLogin(t, s, "courier@example.com", "a long password of a courier")
	target := "/ops/v1/operators/" + rider.OperatorID

	boss.Call(t, "PATCH", target, []byte(`{"courier_id":"cou_unknown"}`)).Refused(t, 422, "validation_error")
	linked := boss.Call(t, "PATCH", target, fmt.Appendf(nil, `{"courier_id":%q}`, rider.CourierID)).Must(t, 200)
	if linked.Text("courier_id") != rider.CourierID {
		t.Errorf("courier: got %s, want %s", linked.Body, rider.CourierID)
	}
	boss.Call(t, "PATCH", "/ops/v1/operators/"+boss.OperatorID,
		fmt.Appendf(nil, `{"courier_id":%q}`, rider.CourierID)).Refused(t, 422, "validation_error")
	rider.Call(t, "GET", "/ops/v1/operators", nil).Refused(t, 403, "forbidden")

	moved := boss.Call(t, "PATCH", target, []byte(`{"role":"dispatcher"}`)).Must(t, 200)
	if moved.Text("role") != "dispatcher" || moved.JSON("courier_id") != nil {
		t.Errorf("role: got %s, want dispatcher without a courier", moved.Body)
	}
	rider.Call(t, "GET", "/ops/v1/couriers", nil).Must(t, 200) // with the new role

	boss.Call(t, "PATCH", target, []byte(`{"password":"un autre mot de passe"}`)).Must(t, 200)
	rider.Call(t, "GET", "/ops/v1/me", nil).Refused(t, 401, "unauthorized")
	s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", cookie).Refused(t, 401, "unauthorized")
	tokenOf(t, s, "courier@example.com", "a long password of a courier").Refused(t, 401, "unauthorized")
	rider.Token = tokenOf(t, s, "courier@example.com", "un autre mot de passe").Must(t, 201).Text("token")

	boss.Call(t, "PATCH", target, []byte(`{"active":false}`)).Must(t, 200)
	rider.Call(t, "GET", "/ops/v1/me", nil).Refused(t, 401, "unauthorized")
	tokenOf(t, s, "courier@example.com", "un autre mot de passe").Refused(t, 403, "forbidden")
	boss.Call(t, "PATCH", target, []byte(`{"active":true,"role":null}`)).Must(t, 200)
	tokenOf(t, s, "courier@example.com", "un autre mot de passe").Must(t, 201)

	list := boss.Call(t, "GET", "/ops/v1/operators?limit=1", nil).Must(t, 200)
	next := boss.Call(t, "GET", "/ops/v1/operators?limit=1&cursor="+list.Text("next_cursor"), nil).Must(t, 200)
	if list.Len("operators") != 1 || next.Len("operators") != 1 || next.JSON("next_cursor") != nil ||
		list.Text("operators", 0, "email") == next.Text("operators", 0, "email") {
		t.Errorf("pages: got %s and %s, want one operator on each", list.Body, next.Body)
	}
}

// TestCourierHasOneLogin adds operators for one courier concurrently, and one of them is
// added. Others can be linked to the courier only when it has none.
func TestCourierHasOneLogin(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	rider := func(i int, courierID string) []byte {
		return fmt.Appendf(nil,
			`{"email":"rider-%d@example.com","password":"a long password of a courier","role":"courier","courier_id":%q}`, i,
			courierID)
	}
	var added, refused atomic.Int64
	var first sync.Map // the operator that was added
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			answer := boss.Call(t, "POST", "/ops/v1/operators", rider(i, boss.CourierID))
			switch answer.Status {
			case 201:
				added.Add(1)
				first.Store("id", answer.Text("operator_id"))
			case 422:
				refused.Add(1)
			}
		})
	}
	work.Wait()
	if added.Load() != 1 || refused.Load() != 3 {
		t.Fatalf("got %d added and %d refused, want 1 and 3", added.Load(), refused.Load())
	}
	id, _ := first.Load("id")
	second := boss.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Devon Clarke","phone":"+14165550119","vehicle":"Cargo bike"}`)).Must(t, 201).Text("courier_id")
	other := "/ops/v1/operators/" + boss.Call(t, "POST", "/ops/v1/operators", rider(9, second)).Must(t,
		201).Text("operator_id")
	link := fmt.Appendf(nil, `{"courier_id":%q}`, boss.CourierID)
	boss.Call(t, "PATCH", other, link).Refused(t, 422, "validation_error")
	boss.Call(t, "PATCH", fmt.Sprint("/ops/v1/operators/", id), link).Must(t, 200) // its own
	boss.Call(t, "PATCH", fmt.Sprint("/ops/v1/operators/", id), []byte(`{"role":"dispatcher"}`)).Must(t, 200)
	boss.Call(t, "PATCH", other, link).Must(t, 200)
}

// TestLastAdminStays lets two admins demote each other concurrently, again and
// again. One of them remains an admin.
func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	for _, body := range []string{`{"active":false}`, `{"role":"dispatcher"}`} {
		boss.Call(t, "PATCH", "/ops/v1/operators/"+boss.OperatorID, []byte(body)).Refused(t, 409, "conflict")
	}
	other := boss.As(t, "admin")
	pair := []*apptest.Operator{boss, other}
	for round := range 5 {
		answers := apptest.Together(2, func(i int) int {
			return pair[i].Call(t, "PATCH", "/ops/v1/operators/"+pair[1-i].OperatorID, []byte(`{"role":"dispatcher"}`)).Status
		})
		left := []string{}
		for i, status := range answers {
			if status == 200 {
				left = append(left, pair[i].OperatorID)
			}
		}
		if len(left) != 1 {
			t.Fatalf("round %d: got statuses %v, want 200 once", round, answers)
		}
		winner, loser := boss, other
		if left[0] == other.OperatorID {
			winner, loser = other, boss
		}
		winner.Call(t, "PATCH", "/ops/v1/operators/"+loser.OperatorID, []byte(`{"role":"admin"}`)).Must(t, 200)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	desk := boss.As(t, "dispatcher")
	own := desk.Call(t, "GET", "/ops/v1/tokens", nil).Must(t, 200)
	if own.Len("tokens") != 1 || own.Text("tokens", 0, "token_id") != desk.TokenID ||
		strings.Contains(string(own.Body), desk.Token) {
		t.Errorf("own tokens: got %s, want one, without the token itself", own.Body)
	}
	desk.Call(t, "GET", "/ops/v1/tokens?operator_id="+boss.OperatorID, nil).Refused(t, 403, "forbidden")
	if theirs := boss.Call(t, "GET", "/ops/v1/tokens?operator_id="+desk.OperatorID, nil).Must(t,
		200); theirs.Len("tokens") != 1 {
		t.Errorf("another operator's tokens: got %s, want one", theirs.Body)
	}
	desk.Call(t, "DELETE", "/ops/v1/tokens/"+boss.TokenID, nil).Refused(t, 404, "not_found")
	boss.Call(t, "DELETE", "/ops/v1/tokens/"+desk.TokenID, nil).Must(t, 200)
	boss.Call(t, "DELETE", "/ops/v1/tokens/"+desk.TokenID, nil).Refused(t, 404, "not_found")
	desk.Call(t, "GET", "/ops/v1/me", nil).Refused(t, 401, "unauthorized")
}
