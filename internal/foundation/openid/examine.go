package openid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// description is what a provider says of itself (OpenID Connect Discovery, section 3).
type description struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Responses     []string `json:"response_types_supported"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	Claims        []string `json:"claims_supported"`
}

// Examination is what Examine has found, a sentence each.
type Examination struct {
	Faults []string // for which no one can sign in
	Notes  []string // that may be in order
}

func (e *Examination) fault(format string, args ...any) {
	e.Faults = append(e.Faults, fmt.Sprintf(format, args...))
}

// Examine asks the provider to describe itself, for its keys, and whether it knows the
// client: it sends a code that the provider has not issued, and so no one is signed in.
func (c *Client) Examine(ctx context.Context) (e Examination) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	d, err := c.discover(ctx)
	if err != nil {
		e.fault("--oidc-issuer: %v", err)
		return e
	}
	if e.checkEndpoints(&d); len(e.Faults) > 0 {
		return e
	}
	e.checkAbilities(&d)
	e.checkClaims(&d, c.config.RoleClaim)
	c.checkKeys(ctx, &e, d.Keys)
	c.checkSecret(ctx, &e)
	return e
}

// Reach asks the provider to describe itself, and returns an error if it does not or has
// another issuer.
func (c *Client) Reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err := c.discover(ctx)
	return err
}

func (c *Client) discover(ctx context.Context) (d description, err error) {
	if err := c.getJSON(ctx, strings.TrimSuffix(c.config.Issuer, "/")+wellKnown, &d); err != nil {
		return d, fmt.Errorf("%s does not describe itself: %w", c.config.Issuer, err)
	}
	if d.Issuer != c.config.Issuer {
		return d, fmt.Errorf("%s describes itself as %q: set exactly that; of several tenants, name one", c.config.Issuer,
			first(d.Issuer))
	}
	return d, nil
}

// wellKnown is where providers describe themselves, below their issuer.
const wellKnown = "/.well-known/openid-configuration"

func (e *Examination) checkEndpoints(d *description) {
	for _, endpoint := range []struct{ name, url string }{
		{"authorization_endpoint", d.Authorization}, {"token_endpoint", d.Token}, {"jwks_uri", d.Keys},
	} {
		if parsed, err := url.Parse(endpoint.url); err != nil || parsed.Host == "" {
			e.fault("the OpenID provider describes itself without %s, or with one that is not a URL", endpoint.name)
		}
	}
}

// checkAbilities checks what the provider lists. A list that is missing says nothing.
func (e *Examination) checkAbilities(d *description) {
	for _, list := range []struct {
		what         string
		listed, need []string // one of need
	}{
		{"response types", d.Responses, []string{"code"}},
		{"methods of PKCE", d.Challenges, []string{"S256"}},
		{"ways to show the client's secret", d.Methods, []string{methodBasic, methodPost}},
		{"algorithms of ID tokens", d.Algorithms, []string{
			oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512,
			oidc.EdDSA,
		}},
	} {
		if len(list.listed) > 0 &&
			!slices.ContainsFunc(list.need, func(one string) bool { return slices.Contains(list.listed, one) }) {
			e.fault("the %s of the OpenID provider are %.300q, and none of them is %s", list.what, list.listed,
				strings.Join(list.need, ", "))
		}
	}
}

// checkClaims notes claims that the provider does not list, although it may send them.
func (e *Examination) checkClaims(d *description, roleClaim string) {
	outer, _, _ := strings.Cut(roleClaim, ".")
	for _, claim := range []string{"email", roleClaim} {
		if claim != "" && len(d.Claims) > 0 && !slices.Contains(d.Claims, claim) && !slices.Contains(d.Claims, outer) {
			e.Notes = append(e.Notes,
				fmt.Sprintf("the OpenID provider does not list the claim %s, and may need a setting to send it", claim))
		}
	}
}

func (c *Client) checkKeys(ctx context.Context, e *Examination, address string) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := c.getJSON(ctx, address, &set); err != nil {
		e.fault("the keys of the OpenID provider cannot be read: %v", err)
	} else if len(set.Keys) == 0 {
		e.fault("the OpenID provider has no keys at %s", address)
	}
}

// checkSecret checks that the provider knows the client, which it says before it looks at
// the code.
func (c *Client) checkSecret(ctx context.Context, e *Examination) {
	ctx = oidc.ClientContext(ctx, c.http)
	provider, err := oidc.NewProvider(ctx, c.config.Issuer)
	if err != nil {
		e.fault("--oidc-issuer: %s", first(err.Error()))
		return
	}
	_, err = c.oauth(provider, nil).Exchange(ctx, "none", oauth2.VerifierOption(oauth2.GenerateVerifier()))
	var answer *oauth2.RetrieveError
	switch {
	case errors.As(err, &answer) && (answer.ErrorCode == "invalid_client" || answer.ErrorCode == "unauthorized_client"):
		e.fault("--oidc-client-id, --oidc-client-secret: the OpenID provider refuses them (%s)", answer.ErrorCode)
	case errors.As(err, &answer) && answer.ErrorCode != "":
	default:
		e.Notes = append(e.Notes,
			"the OpenID provider does not say whether it knows --oidc-client-id and --oidc-client-secret")
	}
}

// getJSON reads a document of the provider.
func (c *Client) getJSON(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s has status %d", address, response.StatusCode)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s is not the JSON that is expected: %w", address, err)
	}
	return nil
}
