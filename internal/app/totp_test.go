package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

func TestSignInWithTOTP(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		session := p.cookie(t)
		p.in(t, session, "POST", "/totp/confirm", `{"code":"123456"}`).Refused(t, 409, "conflict")
		p.in(t, session, "POST", "/totp", `{"password":"a guess"}`).Refused(t, 422, "validation_error")
		p.enrol(t, session)
		p.in(t, session, "POST", "/totp", fmt.Sprintf(`{"password":%q}`, p.password)).Refused(t, 409, "conflict")

		refusedFor(t, p.enter(t, p.password, ""), 401, "unauthorized", "totp_required")
		refusedFor(t, p.enter(t, "a guess", p.code(t)), 401, "unauthorized", "")
		code := p.code(t)
		p.enter(t, p.password, code).Must(t, 200)
		refusedFor(t, p.enter(t, p.password, code), 401, "unauthorized", "totp_wrong")
		p.Clock.Advance(30 * time.Second)
		next := p.code(t)
		p.Clock.Advance(30 * time.Second)
		p.enter(t, p.password, next).Must(t, 200) // of the step before
		p.Clock.Advance(5 * time.Minute)
		old := p.code(t)
		p.Clock.Advance(90 * time.Second)
		refusedFor(t, p.enter(t, p.password, old), 401, "unauthorized", "totp_wrong")

		state := p.in(t, session, "GET", "/totp", "").Must(t, 200)
		if state.JSON("enrolled") != true || state.JSON("required") != false || state.JSON("recovery_codes_left") != 10.0 {
			t.Errorf("got %s, want enrolled with 10 recovery codes", state.Body)
		}
		remove := func(password, code string) *apptest.Answer {
			return p.in(t, session, "DELETE", "/totp", fmt.Sprintf(`{"password":%q,"code":%q}`, password, code))
		}
		remove("a guess", p.code(t)).Refused(t, 422, "validation_error")
		remove(p.password, "000000").Refused(t, 422, "validation_error")
		remove(p.password, p.code(t)).Must(t, 200)
		p.enter(t, p.password, "").Must(t, 200)
		remove(p.password, "000000").Refused(t, 404, "not_found")
	})
}

func TestSignInWithRecoveryCode(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		session := p.cookie(t)
		codes := p.enrol(t, session)
		p.enter(t, p.password, codes[3]).Must(t, 200)
		refusedFor(t, p.enter(t, p.password, codes[3]), 401, "unauthorized", "totp_wrong")
		p.enter(t, p.password, strings.ToUpper(strings.ReplaceAll(codes[4], "-", " "))).Must(t, 200)
		if left := p.in(t, session, "GET", "/totp", "").Must(t, 200).JSON("recovery_codes_left"); left != 8.0 {
			t.Errorf("got %v recovery codes left, want 8", left)
		}
		p.in(t, session, "DELETE", "/totp", fmt.Sprintf(`{"password":%q,"code":%q}`, p.password, codes[5])).Must(t, 200)
		p.enrol(t, session)
		refusedFor(t, p.enter(t, p.password, codes[6]), 401, "unauthorized", "totp_wrong")
	})
}

// TestOneCodeOneSignIn uses one code in several requests at the same time.
func TestOneCodeOneSignIn(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		recovery := p.enrol(t, p.cookie(t))
		for _, code := range []string{p.code(t), recovery[0]} {
			got := map[int]int{}
			for _, status := range apptest.Together(5, func(int) int { return p.enter(t, p.password, code).Status }) {
				got[status]++
			}
			if got[200] != 1 || got[401] != 4 {
				t.Errorf("code %s in 5 requests at the same time: got %v, want 200 once and 401 for 4", code, got)
			}
		}
	})
}

// TestWrongCodesAreThrottled guesses codes with the right password. They count as
// failed logins.
func TestWrongCodesAreThrottled(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		p.enrol(t, p.cookie(t))
		got := map[int]int{}
		for _, code := range p.wrongCodes(t, 12) {
			got[p.enter(t, p.password, code).Status]++
		}
		if got[401] != 10 || got[429] != 2 {
			t.Errorf("12 wrong codes: got %v, want 401 for 10 and 429 for 2", got)
		}
		p.enter(t, p.password, p.code(t)).Refused(t, 429, "rate_limited")
		p.Clock.Advance(10 * time.Minute)
		p.enter(t, p.password, p.code(t)).Must(t, 200)
	})
}

// TestResetKeepsTheSecondFactor checks that who can read a person's links cannot sign
// in without a code.
func TestResetKeepsTheSecondFactor(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		p.enrol(t, p.cookie(t))
		link := token(t, p.newLink())
		p.Do(t, "POST", p.auth+"/reset/"+link, []byte(`{"new_password":"lune-sur-les-quais-89"}`)).Must(t, 200)
		refusedFor(t, p.enter(t, "lune-sur-les-quais-89", ""), 401, "unauthorized", "totp_required")
		p.enter(t, "lune-sur-les-quais-89", p.code(t)).Must(t, 200)
	})
}

// TestAdminRemovesLostFactor lets a person in who has lost the authenticator app and the
// recovery codes.
func TestAdminRemovesLostFactor(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		p.clear().Refused(t, 404, "not_found")
		codes := p.enrol(t, p.cookie(t))
		refusedFor(t, p.enter(t, p.password, ""), 401, "unauthorized", "totp_required")
		p.clear().Must(t, 200)
		p.enter(t, p.password, "").Must(t, 200)
		p.enrol(t, p.cookie(t))
		refusedFor(t, p.enter(t, p.password, codes[0]), 401, "unauthorized", "totp_wrong")
	})
}

func TestTOTPRequiredOfRole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss := s.Operate(t)
	desk := boss.As(t, "dispatcher")
	rules := "/ops/v1/sign-in-rules"
	desk.Call(t, "GET", rules, nil).Refused(t, 403, "forbidden")
	boss.Call(t, "PUT", rules, []byte(`{"totp_required":{"operators":["king"],"users":[]}}`)).Refused(t, 422,
		"validation_error")
	boss.Call(t, "PUT", rules, []byte(`{"totp_required":{"operators":["dispatcher"],"users":[]}}`)).Must(t, 200)
	if got := boss.Call(t, "GET", rules, nil).Must(t, 200); got.Text("totp_required", "operators", 0) != "dispatcher" {
		t.Errorf("got %s, want the role dispatcher", got.Body)
	}

	refusedFor(t, desk.Call(t, "GET", "/ops/v1/orders", nil), 403, "forbidden", "totp_enrolment_required")
	p := &person{
		Service: s, auth: "/ops/v1/auth", login: "/ops/v1/login", me: "/ops/v1/me", email: "dispatcher@example.com",
		password: "a long password of a dispatcher",
	}
	session := p.cookie(t)
	if state := p.in(t, session, "GET", "/totp", "").Must(t, 200); state.JSON("required") != true ||
		state.JSON("enrolled") != false {
		t.Errorf("got %s, want required and not enrolled", state.Body)
	}
	s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", session).Must(t, 200)
	refusedFor(t, s.Do(t, "GET", "/ops/v1/orders", nil, "Cookie", session), 403, "forbidden", "totp_enrolment_required")
	p.enrol(t, session)
	s.Do(t, "GET", "/ops/v1/orders", nil, "Cookie", session).Must(t, 200)
	desk.Call(t, "GET", "/ops/v1/orders", nil).Must(t, 200)
	refusedFor(t, tokenOf(t, s, p.email, p.password), 401, "unauthorized", "totp_required")
	s.Do(t, "POST", "/ops/v1/tokens",
		fmt.Appendf(nil, `{"email":%q,"password":%q,"code":%q}`, p.email, p.password, p.code(t))).Must(t, 201)
}

// TestPasswordAloneForKeys manages API keys by e-mail address and password, of a user
// who signs in with a code as well.
func TestPasswordAloneForKeys(t *testing.T) {
	t.Parallel()
	p := people(t)["user"]
	session := p.cookie(t)
	p.enrol(t, session)
	login := []string{"X-Partner-Email", p.email, "X-Partner-Password", p.password}
	inBody := fmt.Appendf(nil, `{"name":"till","email":%q,"password":%q}`, p.email, p.password)
	refusedFor(t, p.Do(t, "POST", "/v1/auth/api-keys", nil, login...), 401, "unauthorized", "totp_required")
	refusedFor(t, p.Do(t, "GET", "/v1/auth/api-keys", nil, login...), 401, "unauthorized", "totp_required")
	refusedFor(t, p.Do(t, "DELETE", "/v1/auth/api-keys/key_x", nil, login...), 401, "unauthorized", "totp_required")
	refusedFor(t, p.Do(t, "POST", "/v1/auth/api-keys", inBody), 401, "unauthorized", "totp_required")
	refusedFor(t, p.Do(t, "POST", "/v1/auth/api-keys", nil, login[0], login[1], login[2], "a guess"), 401, "unauthorized",
		"")
	p.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"name":"till"}`), "Cookie", session).Must(t, 201)
}

// TestTOTPRequiredOfUsers requires a code of the role owner.
func TestTOTPRequiredOfUsers(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	boss, metro := s.Operate(t), s.Register(t, "metro")
	p := &person{
		Service: s, auth: "/v1/auth", login: "/v1/auth/login", me: "/v1/auth/me", email: metro.Email,
		password: metro.Password,
	}
	session := p.cookie(t)
	boss.Call(t, "PUT", "/ops/v1/sign-in-rules", []byte(`{"totp_required":{"operators":[],"users":["owner"]}}`)).Must(t,
		200)
	s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", session).Must(t, 200)
	refusedFor(t, s.Do(t, "GET", "/v1/auth/api-keys", nil, "Cookie", session), 403, "forbidden", "totp_enrolment_required")
	refusedFor(t, s.Do(t, "GET", "/v1/webhooks/endpoint", nil, "Cookie", session), 403, "forbidden",
		"totp_enrolment_required")
	refusedFor(t, s.Do(t, "GET", "/v1/auth/api-keys", nil, metro.Login()...), 403, "forbidden", "totp_enrolment_required")
	metro.Call(t, "GET", "/v1/orders", nil).Must(t, 200) // keys are no sign-in
	p.enrol(t, session)
	s.Do(t, "GET", "/v1/auth/api-keys", nil, "Cookie", session).Must(t, 200)
}
