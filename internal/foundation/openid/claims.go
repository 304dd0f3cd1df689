package openid

import (
	"encoding/base64"
	"strings"
)

// claims are what a provider says of a person.
type claims map[string]any

// read adds to a person what the claims say. A verified address stays: Entra sends xms_edov in the ID token only, and
// the address again at its userinfo endpoint.
func (c *Client) read(p *Person, said claims) {
	if email, _ := said["email"].(string); email != "" && !p.EmailVerified {
		p.Email = email
		p.EmailVerified = c.config.TrustEmails || said.verified()
	}
	if name, _ := said["name"].(string); name != "" {
		p.Name = name
	}
	if values := said.texts(c.config.RoleClaim); values != nil {
		p.Values, p.Roles = values, c.config.rolesOf(values)
	}
}

// verified reports whether the provider has verified the address. Microsoft Entra ID has no email_verified; its
// xms_edov says that the tenant has proven to own the domain of the address, so that no one can choose it.
func (c claims) verified() bool {
	value, sent := c["email_verified"]
	if !sent {
		value = c["xms_edov"]
	}
	// Some providers send text, or a number.
	return value == true || value == "true" || !sent && (value == "1" || value == 1.0)
}

// rolesOf returns the roles that values of the claim stand for.
func (c *Config) rolesOf(values []string) []string {
	if len(c.Roles) == 0 {
		return values
	}
	roles := []string{}
	for _, value := range values {
		if role, known := c.Roles[value]; known {
			roles = append(roles, role)
		}
	}
	return roles
}

// issuedTo reports whether an ID token with an audience was issued to a client: azp names
// no other, and is there if the token is for others as well (OpenID Connect Core, 3.1.3.7).
func (c claims) issuedTo(clientID string, audience []string) bool {
	party, named := c["azp"]
	if !named {
		return len(audience) == 1
	}
	return party == clientID
}

// texts returns the values of a claim that is a text or a list of texts; nil if there is
// no such claim. The name of a claim may contain dots itself, as URLs do.
func (c claims) texts(name string) []string {
	value, found := c[name]
	if !found {
		outer, inner, nested := strings.Cut(name, ".")
		if within, is := c[outer].(map[string]any); nested && is {
			return claims(within).texts(inner)
		}
		return nil
	}
	texts := []string{}
	switch value := value.(type) {
	case string:
		texts = append(texts, value)
	case []any:
		for _, one := range value {
			if text, is := one.(string); is {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func encodeTicket(sealed []byte) string { return base64.RawURLEncoding.EncodeToString(sealed) }

func decodeTicket(text string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(text) }
