package main

import (
	"context"
	"encoding/json"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type whoamiCommand struct {
	outputFlags
	partnerFlags
}

// identity is what whoami prints.
type identity struct {
	Server       string `json:"server"`
	Profile      string `json:"profile,omitempty"` // empty for credentials from the environment
	Partner      string `json:"partner,omitempty"`
	Email        string `json:"email,omitempty"`
	Mode         string `json:"mode,omitempty"`
	PublicKey    string `json:"public_key,omitempty"`
	Operator     string `json:"operator,omitempty"`
	OperatorRole string `json:"operator_role,omitempty"`
}

// Run prints the account that the commands use, after the service has accepted its credentials.
func (c *whoamiCommand) Run(ctx context.Context) error {
	name, chosen, err := c.chosen()
	if err != nil {
		return err
	}
	who := identity{}
	partner, noPartner := c.client()
	operator, noOperator := c.operator()
	if noPartner != nil && noOperator != nil {
		return noPartner
	}
	who.Server = c.Server
	if noPartner == nil {
		// A key whose scopes do not include orders is refused with forbidden, but is valid.
		if _, err := partner.ListOrders(ctx, client.OrderQuery{Limit: 1}); err != nil &&
			client.CodeOf(err) != client.CodeForbidden {
			return err
		}
		who.PublicKey, who.Mode = partner.PublicKey, string(client.ModeLive)
		if inTest(partner) {
			who.Mode = string(client.ModeTest)
		}
		if chosen != nil && chosen.Partner != nil && chosen.Partner.PublicKey == partner.PublicKey {
			who.Profile, who.Partner, who.Email = name, chosen.Partner.Name, chosen.Partner.Email
		}
	}
	if noOperator == nil {
		account, err := operator.GetOperator(ctx)
		if err != nil {
			return err
		}
		who.Operator, who.OperatorRole = account.Email, string(account.Role)
	}
	body, err := json.Marshal(who)
	if err != nil {
		return err
	}
	return c.output().record(&client.Answer{Body: body}, []terminal.Field{
		field("server", who.Server), field("profile", who.Profile),
		field("partner", who.Partner), field("e-mail", who.Email), field("mode", who.Mode), field("key", who.PublicKey),
		field("operator", who.Operator), field("role", who.OperatorRole),
	})
}
