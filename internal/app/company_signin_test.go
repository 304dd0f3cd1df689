package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// at is a person at the provider of a company.
func at(email string, changes ...any) apptest.Claims {
	return anna(append([]any{"sub", "sub of " + strings.ToLower(email), "email", email, "name", "Ada"}, changes...)...)
}

// employer is a service with a partner that has proven a domain and set its provider.
type employer struct {
	*apptest.Service
	records  *apptest.Records
	provider *apptest.Provider
	owner    *apptest.User
}

func newEmployer(t *testing.T, settings ...string) employer {
	t.Helper()
	records, provider := &apptest.Records{}, apptest.NewProvider(t)
	s := apptest.Start(t, records.Companies(provider))
	c := employer{s, records, provider, s.Register(t, "metro").Owner(t)}
	c.owner.UseProvider(t, provider, settings...)
	c.owner.ProveDomain(t, records, "metro.example")
	return c
}

// member returns a person of the team by the address; nil if there is none.
func (e employer) member(t *testing.T, email string) map[string]any {
	t.Helper()
	var team struct{ Users []map[string]any }
	if err := json.Unmarshal(e.owner.Call(t, "GET", "/v1/team", nil).Must(t, 200).Body, &team); err != nil {
		t.Fatal(err)
	}
	for _, user := range team.Users {
		if user["email"] == email {
			return user
		}
	}
	return nil
}

// refused checks that a sign-in leads back to the sign-in page with a reason, and begins no session.
func refused(t *testing.T, v *apptest.Visitor, got *apptest.Answer, reason, text string) {
	t.Helper()
	got.Leads(t, "/portal/login?openid="+reason)
	if v.Cookies["dropyard_session"] != "" {
		t.Errorf("%s: got a session", reason)
	}
	v.Open(t, "/portal/login?openid="+reason).Shows(t, http.StatusOK, text)
}

// TestCompanySignIn signs in a new person, who is known under another address of the company
// from then on, and a person whom an owner has invited with another role.
func TestCompanySignIn(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "reader")
	v := c.Visit()
	v.Company(t, c.provider, "ada@metro.example", at("Ada@Metro.example")).Leads(t, "/portal")
	v.Open(t, "/portal").Shows(t, http.StatusOK, "Ada")
	me := v.Do(t, "GET", "/v1/auth/me", nil, "Cookie", "dropyard_session="+v.Cookies["dropyard_session"]).Must(t, 200)
	if me.Text("user", "role") != "reader" || me.Text("user", "email") != "Ada@Metro.example" {
		t.Errorf("got %s, want a reader with her address", me.Body)
	}
	for _, owned := range []any{true, "1", 1} { // as Microsoft Entra ID sends it
		c.Visit().Company(t, c.provider, "ada@metro.example",
			at("Ada@Metro.example", "email_verified", nil, "xms_edov", owned)).Leads(t, "/portal")
	}
	again := c.Visit()
	again.Company(t, c.provider, "ada@metro.example",
		at("Ada@Metro.example", "email", "lovelace@metro.example")).Leads(t, "/portal")
	c.owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"SAM@metro.example","role":"clerk"}`)).Must(t, 201)
	c.Visit().Company(t, c.provider, "sam@metro.example", at("sam@metro.example", "name", nil)).Leads(t, "/portal")
	team := c.owner.Call(t, "GET", "/v1/team", nil).Must(t, 200)
	if sam := c.member(t, "sam@metro.example"); team.Len("users") != 3 || team.Len("invitations") != 0 || sam == nil ||
		sam["role"] != "clerk" || sam["name"] != "sam" {
		t.Errorf("got the team %s, want three people, one with the role of the invitation", team.Body)
	}
	// The first session began by a person without a password.
	c.Do(t, "POST", "/v1/auth/login", []byte(`{"email":"ada@metro.example","password":"any password at all"}`)).Refused(t,
		401, "unauthorized")
	log := c.Operate(t).Call(t, "GET", "/ops/v1/audit?partner_id="+c.owner.PartnerID, nil).Must(t, 200)
	by := map[string]string{}
	for i := range log.Len("entries") {
		by[log.Text("entries", i, "action")] = log.Text("entries", i, "operator_id")
	}
	for action, want := range map[string]string{
		"openid.changed": c.owner.UserID, "domain.changed": c.owner.UserID, "user.joined": "openid", "user.linked": "openid",
	} {
		if by[action] != want {
			t.Errorf("%s: got it by %q in the audit log, want %q", action, by[action], want)
		}
	}
}

// TestCompanyRoles takes the roles of people from a claim, at each sign-in. The last owner stays one.
func TestCompanyRoles(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "role_claim", "groups", "role_values.owner", "bosses", "role_values.clerk", "desk")
	for _, step := range []struct {
		groups any
		role   string
	}{{"bosses", "owner"}, {[]string{"desk", "reader"}, "clerk"}} {
		v := c.Visit()
		v.Company(t, c.provider, "ada@metro.example", at("ada@metro.example", "groups", step.groups)).Leads(t, "/portal")
		if got := c.member(t, "ada@metro.example")["role"]; got != step.role {
			t.Errorf("%v: got the role %q, want %q", step.groups, got, step.role)
		}
		if step.role == "owner" { // who has no password, and needs none
			v.Send(t, v.Open(t, apptest.CompanyPage), apptest.CompanyPage).Leads(t, apptest.CompanyPage)
		}
	}
	v := c.Visit()
	refused(t, v, v.Company(t, c.provider, "ada@metro.example", at("ada@metro.example", "groups", "owner")),
		"role_missing", "has given you no role here")
	refused(t, v, v.Company(t, c.provider, "ada@metro.example", at("ada@metro.example", "groups", nil)),
		"claim_missing", "did not send your roles")
	// Entra without a role claim: the userinfo endpoint has the address again, without xms_edov.
	noted := at("ada@metro.example", "email_verified", nil, "xms_edov", true, "groups", nil)
	refused(t, v, v.Open(t, c.provider.Answer(t, c.Service, v.Begin(t, "ada@metro.example"), noted,
		at("ada@metro.example", "email_verified", nil, "groups", nil))), "claim_missing", "did not send your roles")
	// The owner who registered moves to an address of the company, and is tied to it.
	c.Execute(t, "UPDATE users SET email = 'eve@metro.example', email_key = 'eve@metro.example' WHERE role = 'owner'")
	refused(t, v, v.Company(t, c.provider, "eve@metro.example", at("eve@metro.example", "groups", "desk")),
		"last_owner", "take the role from the only owner")
}

// TestCompanySettings sends settings by which no one could sign in, or people with other roles than are meant.
func TestCompanySettings(t *testing.T) {
	t.Parallel()
	c := newEmployer(t)
	const entra = "https://login.microsoftonline.com/"
	for name, wrong := range map[string]struct {
		changes map[string]any // of settings that are accepted
		fields  []string       // at fault
	}{
		"values":       {nil, nil},
		"without":      {map[string]any{"role_values": absent}, nil},
		"no claim":     {map[string]any{"role_claim": nil, "role_values": nil}, nil},
		"a tenant":     {map[string]any{"issuer": entra + "7f1c/v2.0"}, nil},
		"named common": {map[string]any{"issuer": "https://login.example.com/common/v2.0"}, nil},
		"unknown roles": {
			map[string]any{"role_values": map[string]any{"Owner": "a", "boss": "b"}},
			[]string{"role_values.Owner", "role_values.boss"},
		},
		"one unknown": {
			map[string]any{"role_values": map[string]any{"owner": "a", "Reader": "b"}}, []string{"role_values.Reader"},
		},
		"two cases": {
			map[string]any{"role_values": map[string]any{"owner": "a", "OWNER": "b"}}, []string{"role_values.OWNER"},
		},
		"a null": {
			map[string]any{"role_values": map[string]any{"owner": "a", "clerk": nil}}, []string{"role_values.clerk"},
		},
		"an empty text": {map[string]any{"role_values": map[string]any{"owner": ""}}, []string{"role_values.owner"}},
		"no values":     {map[string]any{"role_values": map[string]any{}}, nil},
		"null":          {map[string]any{"role_values": nil}, nil},
		"two lines": {
			map[string]any{"role_values": map[string]any{"owner": "a\nb"}}, []string{"role_values.owner"},
		},
		"client of two lines": {map[string]any{"client_id": "a\nb"}, []string{"client_id"}},
		"claim of two lines":  {map[string]any{"role_claim": "a\u2028b"}, []string{"role_claim"}},
		"common":              {map[string]any{"issuer": entra + "common/v2.0"}, []string{"issuer"}},
		"organizations":       {map[string]any{"issuer": entra + "Organizations/v2.0/"}, []string{"issuer"}},
		"consumers": {
			map[string]any{"issuer": "https://LOGIN.microsoftonline.com/consumers"}, []string{"issuer"},
		},
		"no tenant":      {map[string]any{"issuer": entra + "{tenantid}/v2.0"}, []string{"issuer"}},
		"no password":    {map[string]any{"password": absent}, []string{"password"}},
		"wrong password": {map[string]any{"password": "a guess of the password"}, []string{"password"}},
	} {
		t.Run(name, func(t *testing.T) {
			sent := map[string]any{
				"issuer": "https://login.metro.example", "client_id": "yard", "client_secret": "hunter2", "role_claim": "groups",
				"role_values": map[string]any{"owner": "bosses"}, "password": c.owner.Password,
			}
			for field, value := range wrong.changes {
				if sent[field] = value; value == absent {
					delete(sent, field)
				}
			}
			body, err := json.Marshal(sent)
			if err != nil {
				t.Fatal(err)
			}
			got := c.owner.Call(t, "PUT", "/v1/account/openid", body)
			if len(wrong.fields) == 0 {
				got.Must(t, 200)
				return
			}
			got.Refused(t, 422, "validation_error")
			fields := []string{}
			for i := range got.Len("error", "details", "errors") {
				fields = append(fields, got.Text("error", "details", "errors", i, "field"))
			}
			if !slices.Equal(fields, wrong.fields) {
				t.Errorf("got faults of %q, want %q: %s", fields, wrong.fields, got.Body)
			}
		})
	}
	for _, domain := range []string{"example\u212a.com", "exampl\u00e9.com", "\u017fub.example.com"} {
		c.owner.Call(t, "POST", "/v1/account/domains", []byte(`{"domain":"`+domain+`"}`)).Refused(t, 422, "validation_error")
	}
	c.owner.Call(t, "POST", "/v1/account/domains", []byte(`{"domain":"XN--exampl-gva.com"}`)).Must(t, 201)

	// On the page, empty fields of roles are not sent: the values of the claim are the names of the roles.
	c.owner.UseProvider(t, c.provider, "role_claim", "groups", "role_values.owner", " ")
	c.Visit().Company(t, c.provider, "ada@metro.example", at("ada@metro.example", "groups", "clerk")).Leads(t, "/portal")
	c.owner.Send(t, c.owner.Open(t, apptest.CompanyPage), apptest.CompanyPage, "role_values.Owner", "bosses").Must(t, 422)
}

// absent marks a member that is not sent.
const absent = "absent"

// TestCompanySignInRefuses sends answers that must not be believed, and people who may not sign in.
func TestCompanySignInRefuses(t *testing.T) {
	t.Parallel()
	c := newEmployer(t)
	c.owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"ada@metro.example","role":"clerk"}`)).Must(t, 201)
	c.owner.NameDomain(t, c.records, "unproven.example")
	c.Register(t, "rival").As(t, "clerk") // has clerk-of-rival@example.com
	c.Execute(t, "UPDATE users SET email_key = 'bob@metro.example' WHERE email LIKE 'clerk-of-rival%'")
	now := c.Clock.Now()
	for name, wrong := range map[string]struct {
		claims       apptest.Claims
		reason, text string
	}{
		"another issuer": {at("ada@metro.example", "iss", "https://other.example"), "provider_answer", "not valid"},
		"another client": {at("ada@metro.example", "aud", "other"), "provider_answer", "not valid"},
		"another nonce":  {at("ada@metro.example", "nonce", "other"), "provider_answer", "not valid"},
		"expired": {
			at("ada@metro.example", "exp", now.Add(-time.Hour).Unix()), "provider_answer", "not valid",
		},
		"an unverified domain": {
			at("ada@metro.example", "email_verified", nil, "xms_edov", false), "address_unverified",
			"not verified your e-mail address",
		},
		"unverified, whatever the domain": {
			at("ada@metro.example", "email_verified", false, "xms_edov", true), "address_unverified",
			"not verified your e-mail address",
		},
		"unverified": {
			at("ada@metro.example", "email_verified", false), "address_unverified", "not verified your e-mail address",
		},
		"no subject":         {at("ada@metro.example", "sub", nil), "provider_answer", "not valid"},
		"an empty subject":   {at("ada@metro.example", "sub", ""), "provider_answer", "not valid"},
		"a long subject":     {at("ada@metro.example", "sub", strings.Repeat("s", 256)), "provider_answer", "not valid"},
		"a subject with NUL": {at("ada@metro.example", "sub", "a\x00b"), "provider_answer", "not valid"},
		"no address":         {at("ada@metro.example", "email", nil), "address_missing", "no valid e-mail address"},
		"another domain":     {at("ada@else.example"), "domain_unproven", "has proven"},
		"a subdomain":        {at("ada@sub.metro.example"), "domain_unproven", "has proven"},
		"a longer domain":    {at("ada@notmetro.example"), "domain_unproven", "has proven"},
		"two addresses":      {at("ada@metro.example@else.example"), "address_missing", "no valid e-mail address"},
		"an unproven domain": {at("ada@unproven.example"), "domain_unproven", "has proven"},
		"of another partner": {at("bob@metro.example"), "user_elsewhere", "belongs to another account"},
		"unknown":            {at("eve@metro.example"), "user_unknown", "is not in the team"},
	} {
		t.Run(name, func(t *testing.T) {
			v := c.Visit()
			refused(t, v, v.Company(t, c.provider, "ada@metro.example", wrong.claims), wrong.reason, wrong.text)
		})
	}
	c.provider.Unsigned.Store(true)
	v := c.Visit()
	refused(t, v, v.Company(t, c.provider, "ada@metro.example", at("ada@metro.example")), "provider_answer", "not valid")
	c.provider.Unsigned.Store(false)
	if team := c.owner.Call(t, "GET", "/v1/team", nil).Must(t, 200); team.Len("users") != 1 {
		t.Errorf("got the team %s, want the owner alone", team.Body)
	}
	v.Company(t, c.provider, "ada@metro.example", at("ada@metro.example")).Leads(t, "/portal")
	other := c.Visit()
	refused(t, other, other.Company(t, c.provider, "ada@metro.example", at("ada@metro.example", "sub", "next")),
		"user_of_another", "another person of your company")
}

// TestCompanyChangesAreNotified informs the owners of every change of the sign-in, and no one else.
func TestCompanyChangesAreNotified(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	metro.As(t, "clerk")
	second := metro.As(t, "owner")
	<-server.Notices // of the API key
	path := "/ops/v1/partners/" + owner.PartnerID
	admin := s.Operate(t)
	for _, step := range []struct {
		by                 func(t testing.TB, method, target string, body []byte) *apptest.Answer
		method, path, body string
		want               string
	}{
		{owner.Call, "PUT", "/v1/account/openid",
			`{"issuer":"https://login.metro.example","client_id":"yard","client_secret":"hunter2","password":"` +
				owner.Password + `"}`, "the company sign-in was"},
		{owner.Call, "POST", "/v1/account/domains", `{"domain":"metro.example"}`, "a domain of the company sign-in was"},
		{admin.Call, "PATCH", path + "/openid", `{"stopped":true}`, "the company sign-in was"},
		{admin.Call, "DELETE", path + "/domains/metro.example", "", "a domain of the company sign-in was"},
	} {
		if got := step.by(t, step.method, step.path, []byte(step.body)); got.Status >= 300 {
			t.Fatalf("%s %s: got %d %s", step.method, step.path, got.Status, got.Body)
		}
		to := []string{}
		for range 2 {
			got := <-server.Notices
			to = append(to, got.To)
			if !strings.Contains(got.Text, step.want) || !strings.Contains(got.Text, "account of metro") {
				t.Errorf("%s %s: got the mail %q, want %q", step.method, step.path, got.Text, step.want)
			}
		}
		if slices.Sort(to); !slices.Equal(to, []string{"metro@example.com", second.Email}) {
			t.Errorf("%s %s: got mails to %v, want the owners", step.method, step.path, to)
		}
	}
}

// TestCompanySignInLogs finds the request's id in the log of a refusal, and in the audit log.
func TestCompanySignInLogs(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "reader")
	v := c.Visit()
	id := v.Company(t, c.provider, "ada@metro.example", at("ada@else.example")).Header.Get("X-Request-Id")
	v.Company(t, c.provider, "ada@metro.example", at("ada@metro.example")).Leads(t, "/portal")
	log := c.Operate(t).Call(t, "GET", "/ops/v1/audit?limit=1", nil).Must(t, 200)
	if got := log.Text("entries", 0, "request_id"); !strings.HasPrefix(got, "req_") {
		t.Errorf("got the entry %s, want the request's id", log.Body)
	}
	c.Stop()
	if want := "was refused\" request_id=" + id + " "; id == "" || !strings.Contains(c.Log.String(), want) {
		t.Errorf("got the log without %q:\n%s", want, c.Log)
	}
}

// TestDoctorAsksCompanies asks the providers of partners: one that works, one that is down, and
// one that has another issuer. One that is turned off is left out.
func TestDoctorAsksCompanies(t *testing.T) {
	t.Parallel()
	records, works, down, off := &apptest.Records{}, apptest.NewProvider(t), apptest.NewProvider(t), apptest.NewProvider(t)
	s := apptest.Start(t, records.Companies(works, down))
	id := map[string]string{}
	for name, provider := range map[string]*apptest.Provider{"metro": works, "rival": down, "other": works, "quiet": off} {
		owner := s.Register(t, name).Owner(t)
		owner.UseProvider(t, provider)
		id[name] = owner.PartnerID
	}
	down.Down.Store(true)
	s.Execute(t, "UPDATE partner_openid SET issuer = '"+works.Settings()[1]+"/' WHERE partner_id = '"+id["other"]+"'")
	s.Operate(t).Call(t, "PATCH", "/ops/v1/partners/"+id["quiet"]+"/openid", []byte(`{"stopped":true}`)).Must(t, 200)
	asked := off.Asked.Load()
	found, err := app.Doctor(t.Context(), &config.Config{Data: s.Data, DatabaseURL: s.Database, WebhookInsecure: true})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(found.Notes, "\n")
	for _, want := range []string{
		"OpenID providers of partners: 3, of which 1 describe themselves",
		"partner " + id["rival"] + " cannot sign in through their OpenID provider: " + down.Settings()[1] +
			" does not describe itself",
		"partner " + id["other"] + " cannot sign in through their OpenID provider: " + works.Settings()[1] +
			"/ describes itself as",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("got the notes\n%s\nwant %q", notes, want)
		}
	}
	if faults := strings.Join(found.Findings, "\n"); strings.Contains(faults, "par_") || off.Asked.Load() != asked {
		t.Errorf("got the faults %q, and %d requests, want no fault of a partner", faults, off.Asked.Load()-asked)
	}
}

// TestCompanyOfStranger: a person who has not confirmed the address sets no provider and no domain, because people who
// sign in by them would stay when the owner of the address takes the account over.
func TestCompanyOfStranger(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, withMail(testkit.StartMailServer(t, "dropyard:hunter2", nil)))
	const password, path = "brume-et-vent-1907", "/portal/team/sign-in"
	s.Do(t, "POST", "/v1/auth/register",
		fmt.Appendf(nil, `{"name":"metro","email":"metro@example.com","password":%q}`, password)).Must(t, 201)
	stranger := (&apptest.Partner{Service: s, Email: "metro@example.com", Password: password}).Owner(t)
	for target, fields := range map[string][]string{
		path: {
			"issuer", "https://login.mallory.example", "client_id", "yard", "client_secret", "hunter2", "password", password,
		},
		path + "/domains": {"domain", "mallory.example"},
	} {
		stranger.Send(t, stranger.Open(t, path), target, fields...).Shows(t, http.StatusConflict,
			"Confirm your address first")
	}
	if rows := s.Query(t, "SELECT partner_id FROM partner_openid UNION SELECT domain FROM partner_domains"); len(rows) > 0 {
		t.Errorf("got %v, want no provider and no domain", rows)
	}
}

// TestCompanyCountsAsStrong: a person of a role that must have a second factor needs none here after the sign-in
// through the company, which asks for it. After one with a password the person must set it up first.
func TestCompanyCountsAsStrong(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "clerk")
	c.Operate(t).Call(t, "PUT", "/ops/v1/sign-in-rules",
		[]byte(`{"totp_required":{"operators":[],"users":["clerk"]}}`)).Must(t, 200)
	byPassword := c.owner.As(t, "clerk")
	v := c.Visit()
	v.Company(t, c.provider, "ada@metro.example", at("ada@metro.example")).Leads(t, "/portal")
	v.Open(t, "/portal/orders").Must(t, http.StatusOK)
	byPassword.Open(t, "/portal/orders").Leads(t, "/portal/sign-in")
}

// TestCompanyStates repeats the answer to a sign-in, sends it from another browser, late, and
// to another partner.
func TestCompanyStates(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "reader")
	rival := c.Register(t, "rival").Owner(t)
	rival.UseProvider(t, c.provider, "default_role", "developer") // the same issuer and client
	rival.ProveDomain(t, c.records, "rival.example")

	v := c.Visit()
	target := c.provider.Answer(t, c.Service, v.Begin(t, "ada@metro.example"), at("ada@metro.example"), nil)
	thief := c.Visit()
	refused(t, thief, thief.Open(t, target), "sign_in_expired", "did not begin in this browser")
	ticket := v.Cookies["dropyard_oidc"]
	mixed := c.Visit()
	mixed.Cookies["dropyard_oidc"] = ticket
	refused(t, mixed, mixed.Open(t, strings.Replace(target, c.owner.PartnerID, rival.PartnerID, 1)), "sign_in_expired",
		"did not begin in this browser")
	changed := c.Visit()
	changed.Cookies["dropyard_oidc"] = ticket
	refused(t, changed, changed.Open(t, strings.Replace(target, "state=", "state=x", 1)), "sign_in_expired",
		"did not begin in this browser")
	v.Open(t, target).Leads(t, "/portal")
	replay := c.Visit()
	replay.Cookies["dropyard_oidc"] = ticket
	refused(t, replay, replay.Open(t, target), "provider_answer", "not valid")

	late := c.Visit()
	target = c.provider.Answer(t, c.Service, late.Begin(t, "ada@metro.example"), at("ada@metro.example"), nil)
	c.Clock.Advance(11 * time.Minute)
	refused(t, late, late.Open(t, target), "sign_in_expired", "more than 10 minutes ago")

	// A person of one company is unknown at the other, although the provider is the same.
	crossed := c.Visit()
	refused(t, crossed, crossed.Company(t, c.provider, "x@rival.example", at("ada@metro.example")), "domain_unproven",
		"has proven")
	crossed.Company(t, c.provider, "x@rival.example", at("x@rival.example", "sub", "sub of ada@metro.example")).Leads(t,
		"/portal")
	if team := c.owner.Call(t, "GET", "/v1/team", nil).Must(t, 200); team.Len("users") != 2 {
		t.Errorf("got the team %s, want the person of the other company left out", team.Body)
	}
}

// TestCompanyIssuerMixUp lets the provider of one company speak for the other.
func TestCompanyIssuerMixUp(t *testing.T) {
	t.Parallel()
	records, honest, evil := &apptest.Records{}, apptest.NewProvider(t), apptest.NewProvider(t)
	s := apptest.Start(t, records.Companies(honest, evil))
	metro, rival := s.Register(t, "metro").Owner(t), s.Register(t, "rival").Owner(t)
	metro.UseProvider(t, honest, "default_role", "clerk")
	metro.ProveDomain(t, records, "metro.example")
	rival.UseProvider(t, evil, "default_role", "clerk")
	rival.ProveDomain(t, records, "rival.example")
	issuer := honest.Settings()[1]
	for name, claims := range map[string]apptest.Claims{
		"its own":       at("ada@metro.example"),
		"the other one": at("ada@metro.example", "iss", issuer),
	} {
		v := s.Visit()
		got := v.Company(t, evil, "x@rival.example", claims)
		if v.Cookies["dropyard_session"] != "" || !strings.HasPrefix(got.Header.Get("Location"), "/portal/login?openid=") {
			t.Errorf("%s: got %q and the cookies %v, want a refusal", name, got.Header.Get("Location"), v.Cookies)
		}
	}
	v := s.Visit()
	target := evil.Answer(t, s, v.Begin(t, "x@rival.example"), at("ada@metro.example"), nil)
	refused(t, v, v.Open(t, target+"&iss="+issuer), "provider_answer", "not valid")
}

// TestCompanyPeopleLeave removes people and turns the sign-in off: sessions that the provider has
// vouched for end, and no one comes back.
func TestCompanyPeopleLeave(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "reader")
	admin := c.Operate(t)
	signsIn := func(email string) *apptest.Visitor {
		v := c.Visit()
		v.Company(t, c.provider, email, at(email)).Leads(t, "/portal")
		return v
	}
	isIn := func(v *apptest.Visitor, want bool) {
		t.Helper()
		if got := v.Open(t, "/portal").Status == http.StatusOK; got != want {
			t.Errorf("got signed in %t, want %t", got, want)
		}
	}
	ada := signsIn("ada@metro.example")
	c.owner.Call(t, "DELETE", fmt.Sprint("/v1/team/", c.member(t, "ada@metro.example")["user_id"]), nil).Must(t, 200)
	isIn(ada, false)
	back := c.Visit()
	refused(t, back, back.Company(t, c.provider, "ada@metro.example", at("ada@metro.example")), "user_removed",
		"You were removed from the team")
	c.owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"ada@metro.example","role":"clerk"}`)).Must(t, 201)
	ada = signsIn("ada@metro.example")

	// One who has never used the provider
	c.owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"Lou@metro.example","role":"clerk"}`)).Must(t, 201)
	c.Visit().Company(t, c.provider, "lou@metro.example", at("lou@metro.example")).Leads(t, "/portal")
	c.Execute(t, "DELETE FROM user_identities WHERE subject = 'sub of lou@metro.example'")
	c.owner.Call(t, "DELETE", fmt.Sprint("/v1/team/", c.member(t, "lou@metro.example")["user_id"]), nil).Must(t, 200)
	refused(t, back, back.Company(t, c.provider, "lou@metro.example", at("LOU@metro.example")), "user_removed",
		"You were removed from the team")
	for _, row := range c.Query(t, "SELECT subject FROM user_identities WHERE issuer = 'removed'") {
		if strings.Contains(fmt.Sprint(row), "metro") {
			t.Errorf("got the mark %v, want one without the address", row)
		}
	}

	// A partner that is suspended
	path := "/ops/v1/partners/" + c.owner.PartnerID
	late := c.Visit()
	target := c.provider.Answer(t, c.Service, late.Begin(t, "bob@metro.example"), at("bob@metro.example"), nil)
	admin.Call(t, "PATCH", path, []byte(`{"suspended":true}`)).Must(t, 200)
	isIn(ada, false)
	v := c.Visit()
	v.Fill(t, "/portal/signin", "email", "ada@metro.example").Must(t, 303)
	v.Open(t, "/portal/signin?domain=metro.example").Shows(t, 404, "This account is inactive")
	refused(t, v, v.Open(t, "/portal/signin/go?domain=metro.example"), "partner_suspended", "This account is inactive")
	refused(t, late, late.Open(t, target), "partner_suspended", "This account is inactive")
	admin.Call(t, "PATCH", path, []byte(`{"suspended":false}`)).Must(t, 200)

	// An admin turns the sign-in off, and on again. The partner cannot.
	console, page := admin.Visit(t), "/console/partners/"+c.owner.PartnerID
	c.owner = c.owner.Owner(t)
	ada = signsIn("ada@metro.example")
	console.Send(t, console.Open(t, page), page+"/openid/stop").Leads(t, page)
	isIn(ada, false)
	refused(t, v, v.Open(t, "/portal/signin/go?domain=metro.example"), "provider_stopped", "have turned off the sign-in")
	c.owner.Open(t, apptest.CompanyPage).Shows(t, 200, "have turned off this sign-in")
	c.owner.UseProvider(t, c.provider, "default_role", "reader")
	c.owner.Send(t, c.owner.Open(t, apptest.CompanyPage), apptest.CompanyPage+"/remove").Leads(t, apptest.CompanyPage)
	refused(t, v, v.Open(t, "/portal/signin/go?domain=metro.example"), "provider_stopped", "have turned off the sign-in")
	console.Send(t, console.Open(t, page), page+"/openid/allow").Leads(t, page)

	// The owner changes the client, and removes the domain and the provider.
	ada = signsIn("ada@metro.example")
	password := c.owner.Owner(t)
	c.owner.Send(t, c.owner.Open(t, apptest.CompanyPage), apptest.CompanyPage, "client_id", "other", "password",
		c.owner.Password).Must(t, 422)
	isIn(ada, true)
	c.owner.Send(t, c.owner.Open(t, apptest.CompanyPage), apptest.CompanyPage, "client_id", "other", "client_secret", "x",
		"default_role", "reader", "password", c.owner.Password).Leads(t, apptest.CompanyPage)
	isIn(ada, false)
	c.owner.UseProvider(t, c.provider, "default_role", "reader")
	ada = signsIn("ada@metro.example")
	c.owner.Send(t, c.owner.Open(t, apptest.CompanyPage), apptest.CompanyPage+"/domains/metro.example/remove").Leads(t,
		apptest.CompanyPage)
	isIn(ada, false)
	password.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200)
	v.Open(t, "/portal/signin?domain=metro.example").Shows(t, 404, "No company sign-in is set up")
	c.owner.ProveDomain(t, c.records, "metro.example")
	ada = signsIn("ada@metro.example")
	c.owner.Send(t, c.owner.Open(t, apptest.CompanyPage), apptest.CompanyPage+"/remove").Leads(t, apptest.CompanyPage)
	isIn(ada, false)
	refused(t, v, v.Open(t, "/portal/signin/go?domain=metro.example"), "provider_missing", "No company sign-in is set up")
}

// TestRemovedPersonComesAsAnother signs a removed person in with the address of a user, or of an open invitation: only
// one from after the removal counts.
func TestRemovedPersonComesAsAnother(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "reader")
	invite := func(email string) *apptest.Answer {
		return c.owner.Call(t, "POST", "/v1/team/invitations", fmt.Appendf(nil, `{"email":%q,"role":"clerk"}`, email)).Must(t,
			201)
	}
	uninvite := func(invited *apptest.Answer) {
		c.owner.Call(t, "DELETE", "/v1/team/invitations/"+invited.Text("invitation_id"), nil)
	}
	join := func(invited *apptest.Answer) {
		_, token, _ := strings.Cut(invited.Text("url"), "/portal/invitations/")
		c.Do(t, "POST", "/v1/auth/invitations/"+token, []byte(`{"name":"P","password":"brume-et-vent-1907"}`)).Must(t, 201)
	}
	comes := func(person, email string) (*apptest.Visitor, *apptest.Answer) {
		v := c.Visit()
		return v, v.Company(t, c.provider, email, at(email, "sub", person))
	}
	_, signedIn := comes("ann", "ann@metro.example")
	signedIn.Leads(t, "/portal")
	c.Clock.Advance(time.Minute)
	join(invite("reader@metro.example")) // after Ann's first sign-in, before her removal
	early := invite("early@metro.example")
	c.Clock.Advance(time.Minute)
	c.owner.Call(t, "DELETE", fmt.Sprint("/v1/team/", c.member(t, "ann@metro.example")["user_id"]), nil).Must(t, 200)
	c.Clock.Advance(time.Minute)
	for _, email := range []string{"reader@metro.example", "early@metro.example", "ann@metro.example"} {
		v, got := comes("ann", email)
		refused(t, v, got, "user_removed", "You were removed from the team")
	}
	uninvite(early)
	_, signedIn = comes("reader", "reader@metro.example") // the person with that address
	signedIn.Leads(t, "/portal")

	// Invited again, she joins by a password before she comes through the provider.
	join(invite("ann.b@metro.example"))
	_, signedIn = comes("ann", "ann.b@metro.example")
	signedIn.Leads(t, "/portal")
	_, signedIn = comes("ann", "reader@metro.example") // is known by her subject, whatever the address
	signedIn.Leads(t, "/portal")
	if ann := c.member(t, "ann.b@metro.example"); ann == nil || ann["role"] != "clerk" {
		t.Errorf("got the user %v, want the one who was invited again", ann)
	}
}

// TestCompanyExport exports a partner: the provider without its secret, the domains, and who is who.
func TestCompanyExport(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "reader")
	c.Visit().Company(t, c.provider, "ada@metro.example", at("ada@metro.example")).Leads(t, "/portal")
	file := string(c.Operate(t).Call(t, "POST", "/ops/v1/partners/"+c.owner.PartnerID+"/export", nil).Must(t, 200).Body)
	for _, want := range []string{
		`"openid":{"issuer":"` + c.provider.Settings()[1] + `","client_id":"dropyard","default_role":"reader"`,
		`"domains":[{"domain":"metro.example",`, `"type":"user_identity"`, `"subject":"sub of ada@metro.example"`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("got an export without %s:\n%s", want, file)
		}
	}
	for _, secret := range []string{c.provider.Settings()[5], "client_secret", "dropyard-domain"} {
		if strings.Contains(file, secret) {
			t.Errorf("got %q in the export:\n%s", secret, file)
		}
	}
}

// TestOpenIDBehindHTTPS signs an operator in where cookies are Secure: the ticket, whose path is not
// that of the whole host, is found again under its own name.
func TestOpenIDBehindHTTPS(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"), func(c *config.Config, _ *app.Surroundings) {
		c.BaseURL = "https://dropyard.example"
	})
	begun := s.Do(t, "GET", "/ops/v1/oidc/login", nil).Must(t, http.StatusFound)
	ticket, _, _ := strings.Cut(begun.Header.Get("Set-Cookie"), ";")
	target := provider.AnswerAt(t, s, "https://dropyard.example", begun.Header.Get("Location"), anna(), nil)
	s.Do(t, "GET", target, nil, "Cookie", ticket).Must(t, http.StatusOK)
}

// TestCompanyGuard sets providers at addresses that partners must not reach through the service,
// and signs in where one that is set must not be reached any longer.
func TestCompanyGuard(t *testing.T) {
	t.Parallel()
	dir := testkit.FastDir(t)
	records, provider := &apptest.Records{}, apptest.NewProvider(t)
	s := apptest.Start(t, records.Companies(provider), apptest.DataIn(dir))
	owner := s.Register(t, "metro").Owner(t)
	owner.UseProvider(t, provider, "default_role", "reader")
	owner.ProveDomain(t, records, "metro.example")
	s.Visit().Begin(t, "ada@metro.example")
	s.Stop()
	strict := apptest.Start(t, apptest.DataIn(dir), apptest.DatabaseAt(s.Database))
	v, asked := strict.Visit(), provider.Asked.Load()
	refused(t, v, v.Open(t, "/portal/signin/go?domain=metro.example"), "unavailable", "cannot sign you in at the moment")
	if got := provider.Asked.Load(); got != asked {
		t.Errorf("got %d requests to an address that must not be reached, want none", got-asked)
	}

	owner.Service = strict
	for _, issuer := range []string{
		"https://10.0.0.1", "https://169.254.169.254/latest", "https://login.example.com:22", "http://login.example.com",
		"https://user:secret@login.example.com", "https://login.example.com/?a=b", "javascript:alert(1)",
		"https://login.example.com/.well-known/openid-configuration", "https://127.0.0.1", "https://localhost",
	} {
		page := owner.Open(t, apptest.CompanyPage)
		sent := owner.Send(t, page, apptest.CompanyPage, "issuer", issuer, "client_secret", "a secret")
		sent.Shows(t, http.StatusUnprocessableEntity, `id="fault-issuer"`)
		if strings.Contains(string(sent.Body), "a secret") {
			t.Errorf("%s: got the secret on the page", issuer)
		}
	}
}

// TestCompanyLinks opens links to the sign-in from other sites: people see where they are led first.
func TestCompanyLinks(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "default_role", "reader")
	link := "/portal/signin/go?domain=metro.example&next=%2Fportal%2Forders"
	c.Do(t, "GET", link, nil, "Sec-Fetch-Site", "cross-site").Leads(t,
		"/portal/signin?domain=metro.example&next=%2Fportal%2Forders")
	v := c.Visit()
	host := strings.TrimPrefix(c.provider.Settings()[1], "http://")
	v.Open(t, "/portal/signin?domain=metro.example&next=%2Fportal%2Forders").Shows(t, 200, "Continue at "+host,
		`href="/portal/signin/go?domain=metro.example&amp;next=%2Fportal%2Forders"`)
	begun := v.Open(t, link).Must(t, 303).Header.Get("Location")
	v.Open(t, c.provider.Answer(t, c.Service, begun, at("ada@metro.example"), nil)).Leads(t, "/portal/orders")
	v.Fill(t, "/portal/signin", "email", "nobody").Shows(t, 422, "Enter an e-mail address.")
	// The page names the host to which the browser goes, and takes a domain in any case.
	c.provider.Apart.Store(true)
	c.owner.UseProvider(t, c.provider, "default_role", "reader")
	host = strings.Replace(host, "127.0.0.1", "localhost", 1)
	v.Open(t, "/portal/signin?domain=METRO.Example").Shows(t, 200, "Continue at "+host, "People at metro.example sign in")
	c.Do(t, "GET", "/portal/signin/go?domain=Metro.EXAMPLE", nil).Must(t, 303)
	c.provider.Down.Store(true)
	c.owner.UseProvider(t, c.provider, "default_role", "reader")
	v.Open(t, "/portal/signin?domain=metro.example").Shows(t, http.StatusServiceUnavailable,
		"cannot sign you in at the moment")
	down := c.Visit()
	refused(t, down, down.Open(t, link), "unavailable", "cannot sign you in at the moment")
}

// TestCompanySettingsAreSentBack puts the settings that a read has answered, without values of roles.
func TestCompanySettingsAreSentBack(t *testing.T) {
	t.Parallel()
	c := newEmployer(t, "role_claim", "groups")
	read := c.owner.Call(t, "GET", "/v1/account/openid", nil).Must(t, 200)
	provider, _ := read.JSON("provider").(map[string]any)
	if values, ok := provider["role_values"].(map[string]any); !ok || len(values) > 0 {
		t.Fatalf("got the values %v, want an empty object", provider["role_values"])
	}
	provider["password"] = c.owner.Password
	body, err := json.Marshal(provider)
	if err != nil {
		t.Fatal(err)
	}
	got := c.owner.Call(t, "PUT", "/v1/account/openid", body).Must(t, 200)
	if got.Text("provider", "role_claim") != "groups" {
		t.Errorf("got %s, want the same settings", got.Body)
	}
}

// TestAdminChecksDomain has a domain checked on the partner's page of the console, which shows why it is not proven.
func TestAdminChecksDomain(t *testing.T) {
	t.Parallel()
	c := newEmployer(t)
	c.owner.NameDomain(t, c.records, "rivard.example")
	c.records.Set("_dropyard.rivard.example", "dropyard-domain=another")
	console, page := c.Operate(t).Visit(t), "/console/partners/"+c.owner.PartnerID
	check := page + "/openid/domains/rivard.example/check"
	console.Open(t, page).Shows(t, 200, "Not proven yet", "_dropyard.rivard.example<br>dropyard-domain=")
	console.Send(t, console.Open(t, page), check).Leads(t, page)
	shown := console.Open(t, page)
	shown.Shows(t, 200, "The TXT record has another value.")
	_, value, _ := strings.Cut(string(shown.Body), "_dropyard.rivard.example<br>")
	value, _, _ = strings.Cut(value, "<")
	c.records.Set("_dropyard.rivard.example", value)
	console.Send(t, shown, check).Leads(t, page)
	last := console.Open(t, page)
	last.Shows(t, 200, "rivard.example is proven.")
	if strings.Contains(string(last.Body), check) {
		t.Errorf("got a form that checks a domain that is proven")
	}
}
