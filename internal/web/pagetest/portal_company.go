package pagetest

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
)

// records are the TXT records of a DNS, by name.
type records map[string]string

// LookupTXT returns the records of a name.
func (r records) LookupTXT(_ context.Context, name string) ([]string, error) {
	if text, found := r[strings.TrimSuffix(name, ".")]; found {
		return []string{text}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// startProvider starts an OpenID provider that only describes itself.
func startProvider() *httptest.Server {
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": server.URL, "authorization_endpoint": server.URL + "/authorize", "token_endpoint": server.URL + "/token",
			"jwks_uri": server.URL + "/keys",
		})
	}))
	return server
}

// Domains of the company sign-in.
const (
	provenDomain = "metro.example"
	longDomain   = "boulangerie-de-la-place-du-marche-jean-talon.succursales.quebec.metro.example"
)

// addCompanies sets up the company sign-in of partners: one with domains in all states, and one
// that writes markup.
func (h *house) addCompanies(ctx context.Context) error {
	session, err := h.signIn(ctx, owner)
	if err != nil {
		return err
	}
	if _, err := session.PutOpenID(ctx, client.OpenIDRequest{
		Issuer: h.provider.URL, ClientID: "0f3c8a52-6f0e-4a40-9d5d-3f2a6f0f7a11", ClientSecret: housePassword,
		RoleClaim: "groups", RoleValues: &client.RoleValues{Owner: "direction", Clerk: "comptoir"}, Password: housePassword,
	}); err != nil {
		return err
	}
	for _, domain := range []string{provenDomain, longDomain, "metro-livraison.example", "rival.example"} {
		set, err := session.AddDomain(ctx, client.DomainRequest{Domain: domain})
		if err != nil {
			return err
		}
		for _, added := range set.Domains {
			if added.Domain == provenDomain {
				h.records[added.RecordName] = added.RecordValue
			}
		}
	}
	h.records["_dropyard."+longDomain] = "v=spf1 -all"
	for _, domain := range []string{provenDomain, longDomain, "rival.example"} {
		if _, err := session.CheckDomain(ctx, domain); err != nil {
			return err
		}
	}
	bad, err := h.signIn(ctx, hostiles)
	if err != nil {
		return err
	}
	if _, err := bad.PutOpenID(ctx, client.OpenIDRequest{
		Issuer: "https://login.example.com/'()*,;" + strings.Repeat("a", 200), ClientID: hostileName,
		ClientSecret: hostileName, RoleClaim: hostileName, RoleValues: &client.RoleValues{Reader: hostileName},
		Password: housePassword,
	}); err != nil {
		return err
	}
	return h.keepCompanyFaults(ctx)
}

// keepCompanyFaults keeps the page of a form that is refused.
func (h *house) keepCompanyFaults(ctx context.Context) error {
	for _, language := range page.Languages {
		fields := url.Values{
			"issuer": {"login.metro.example/.well-known/openid-configuration"}, "client_id": {""}, "default_role": {"reader"},
			"role_claim": {"groups"}, "role_values.clerk": {"desk"}, "role_values.reader": {"desk"},
			"_key": {strings.Repeat("0b", 16)},
		}
		found, err := h.post(ctx, "/portal/team/sign-in", sessionCookie+"="+h.cookies[owner], fields, language)
		if err != nil {
			return err
		}
		h.logins.answers["portal-company-faults/"+string(language)] = found
	}
	return nil
}

// companyScenes returns those of the company sign-in.
func (h *house) companyScenes() (scenes []Scene) {
	for _, one := range []struct{ name, who, path string }{
		{"portal-company", owner, "/portal/team/sign-in"},
		{"portal-company-empty", newcomer, "/portal/team/sign-in"},
		{"portal-company-hostile", hostiles, "/portal/team/sign-in"},
		{"portal-signin", "", "/portal/signin"},
		{"portal-signin-led", "", "/portal/signin?domain=" + provenDomain},
		{"portal-signin-unknown", "", "/portal/signin?domain=unknown.example"},
		{"portal-login-removed", "", "/portal/login?openid=user_removed"},
	} {
		scene := Scene{Name: one.name, URL: h.url + one.path, Policy: page.Policy}
		if one.who != "" {
			scene.Cookie = sessionCookie + "=" + h.cookies[one.who]
		}
		scenes = append(scenes, scene)
	}
	return scenes
}
