package openid

import (
	"encoding/base64"
	"strings"
)

// claims are what a provider says of a person.
type claims map[string]any

// read adds to a person what the claims say.
func (c *Client) read(p *Person, said claims) {
	if email, _ := said["email"].(string); email != "" {
		p.Email = email
		// Some providers send text.
		p.EmailVerified = said["email_verified"] == true || said["email_verified"] == "true"
	}
	if roles := said.texts(c.config.RoleClaim); roles != nil {
		p.Roles = roles
	}
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
