package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// set changes a partner's settings.
func set(t *testing.T, o *apptest.Operator, p *apptest.Partner, body string) *apptest.Answer {
	t.Helper()
	return o.Call(t, "PATCH", "/ops/v1/partners/"+p.PartnerID, []byte(body)).Must(t, 200)
}

func TestSuspension(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o, p, other := s.Operate(t), s.Register(t, "metro"), s.Register(t, "other")
	order := p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, p.Email, p.Password)
	cookie, _, _ := strings.Cut(s.Do(t, "POST", "/v1/auth/login", login).Must(t, 200).Header.Get("Set-Cookie"), ";")

	changed := set(t, o, p, `{"suspended":true,"suspended_reason":"unpaid"}`)
	if changed.JSON("suspended") != true || changed.Text("suspended_reason") != "unpaid" ||
		changed.Text("suspended_at") != "2026-01-14T15:00:00.000Z" || changed.JSON("api_keys", "active") != 1.0 {
		t.Errorf("suspended: got %s, want the reason, the time and one active key", changed.Body)
	}
	before := s.Content(t)
	refused := p.Create(t, testkit.OrderJSON("A-2", "")).Refused(t, 403, "forbidden")
	if refused.Text("error", "message") != "this account is suspended" {
		t.Errorf("got %s, want the message that the account is suspended", refused.Body)
	}
	p.Call(t, "GET", "/v1/orders", nil).Refused(t, 403, "forbidden")
	s.Do(t, "GET", "/v1/orders", nil, append(p.Signed("GET", "/v1/orders", nil), "X-Signature", "v1=00")...).Refused(t,
		401, "unauthorized")
	s.Do(t, "POST", "/v1/auth/login", login).Refused(t, 403, "forbidden")
	s.Do(t, "POST", "/v1/auth/login", []byte(strings.Replace(string(login), p.Password, "wrong", 1))).Refused(t, 401,
		"unauthorized")
	s.Do(t, "POST", "/v1/auth/api-keys", nil, p.Login()...).Refused(t, 403, "forbidden")
	s.Do(t, "POST", "/v1/auth/api-keys", login).Refused(t, 403, "forbidden")
	s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", cookie).Refused(t, 401, "unauthorized")
	s.Unchanged(t, before)
	s.Do(t, "GET", "/track/"+order.Text("order_id"), nil).Must(t, 200)
	o.Move(t, order.Text("order_id"), "accepted").Must(t, 200)
	other.Call(t, "GET", "/v1/orders", nil).Must(t, 200)

	set(t, o, p, `{"suspended":false}`)
	p.Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201)
	s.Do(t, "POST", "/v1/auth/login", login).Must(t, 200)
	s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", cookie).Refused(t, 401, "unauthorized")
	o.Call(t, "PATCH", "/ops/v1/partners/"+p.PartnerID, []byte(`{"suspended_reason":"none"}`)).Refused(t, 422,
		"validation_error")
}

func TestOwnRateLimit(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.RateLimit(4))
	o, p, other := s.Operate(t), s.Register(t, "metro"), s.Register(t, "other")
	policy := func(p *apptest.Partner, want string) {
		t.Helper()
		got := p.Call(t, "GET", "/v1/orders?limit=1", nil)
		if header := got.Header.Get("RateLimit-Policy"); header != `"partner";q=`+want+`;w=60` {
			t.Errorf("status %d: got RateLimit-Policy %s, want q=%s", got.Status, header, want)
		}
	}
	policy(p, "4")
	set(t, o, p, `{"rate_limit":600}`)
	for range 50 {
		p.Call(t, "GET", "/v1/orders?limit=1", nil).Must(t, 200)
	}
	policy(p, "600")
	policy(other, "4")
	set(t, o, p, `{"rate_limit":2}`)
	s.Clock.Advance(2 * time.Minute)
	p.Call(t, "GET", "/v1/orders?limit=1", nil).Must(t, 200)
	p.Call(t, "GET", "/v1/orders?limit=1", nil).Must(t, 200)
	p.Call(t, "GET", "/v1/orders?limit=1", nil).Refused(t, 429, "rate_limited")
	set(t, o, p, `{"rate_limit":null}`)
	s.Clock.Advance(2 * time.Minute)
	policy(p, "4")
}

// TestPartnerSettingsOnOtherNodes changes a partner on one node: its rate limit,
// its rate card, and whether it is suspended. Within 5 s the changes take effect on
// others.
func TestPartnerSettingsOnOtherNodes(t *testing.T) {
	t.Parallel()
	first, everywhere := threeNodes(t, 300)
	o, p := first.Operate(t), everywhere[0]
	for _, there := range everywhere {
		list(t, there).Must(t, 200)
	}
	quoted := func(p *apptest.Partner) any {
		t.Helper()
		return p.Call(t, "POST", "/v1/rates/quote", testkit.OrderJSON("A-1", "")).Must(t, 200).JSON("rate_cents")
	}
	usual := quoted(everywhere[1])
	o.Call(t, "POST", "/ops/v1/rate-cards", upload("deal", "deal-1", "", 1000)).Must(t, 201)
	set(t, o, p, `{"rate_limit":1000,"rate_card":"deal"}`)
	first.Clock.Advance(5 * time.Second)
	for i, there := range everywhere {
		if got := list(t, there).Must(t, 200).Header.Get("RateLimit-Policy"); got != `"partner";q=1000;w=60` {
			t.Errorf("node %d: got RateLimit-Policy %s, want q=1000", i, got)
		}
		if got := quoted(there); got == usual {
			t.Errorf("node %d: got the price %v, want another", i, got)
		}
	}
	set(t, o, p, `{"suspended":true}`)
	list(t, p).Refused(t, 403, "forbidden")
	first.Clock.Advance(5 * time.Second)
	for _, there := range everywhere {
		list(t, there).Refused(t, 403, "forbidden")
	}
	set(t, o, p, `{"suspended":false}`)
	first.Clock.Advance(5 * time.Second)
	for _, there := range everywhere {
		list(t, there).Must(t, 200)
	}
}

// TestPartnerSearch finds partners by text, page by page.
func TestPartnerSearch(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	var ids []string
	for _, name := range []string{"epicerie", "librairie", "boulangerie"} {
		ids = append(ids, s.Register(t, name).PartnerID)
	}
	desk := o.As(t, "dispatcher")
	o.Call(t, "PATCH", "/ops/v1/partners/"+ids[1], []byte(`{"suspended":true,"rate_limit":5}`)).Must(t, 200)
	suspended := desk.Call(t, "GET", "/ops/v1/partners?q=librairie", nil).Must(t, 200)
	if suspended.JSON("partners", 0, "suspended") != true || suspended.JSON("partners", 0, "rate_limit") != 5.0 {
		t.Errorf("got %s, want a suspended partner with rate_limit 5", suspended.Body)
	}
	for q, want := range map[string]int{
		"ERIE": 2, "librairie@": 1, strings.ToUpper(ids[2]): 1, "quincaillerie": 0, "%25": 0, "_": 3,
	} {
		if found := desk.Call(t, "GET", "/ops/v1/partners?q="+q, nil).Must(t, 200); found.Len("partners") != want {
			t.Errorf("%q: got %s, want %d partners", q, found.Body, want)
		}
	}
	seen, cursor := map[string]bool{}, ""
	for range 3 {
		page := desk.Call(t, "GET", "/ops/v1/partners?limit=1"+cursor, nil).Must(t, 200)
		seen[page.Text("partners", 0, "partner_id")] = true
		cursor = "&cursor=" + page.Text("next_cursor")
	}
	if len(seen) != 3 || cursor != "&cursor=" {
		t.Errorf("got %v and %s, want 3 partners and no cursor", seen, cursor)
	}
	desk.Call(t, "GET", "/ops/v1/partners/"+ids[0], nil).Must(t, 200)
	desk.Call(t, "PATCH", "/ops/v1/partners/"+ids[0], []byte(`{"suspended":true}`)).Refused(t, 403, "forbidden")
}
