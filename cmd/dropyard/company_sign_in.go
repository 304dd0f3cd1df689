package main

import (
	"cmp"
	"context"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

// companySignInCommand shows and stops how a partner's people sign in through the OpenID
// Connect provider of their company.
type companySignInCommand struct {
	Show   showCompanySignInCommand   `cmd:"" help:"Show the OpenID provider and the domains of a partner."`
	Off    stopCompanySignInCommand   `cmd:"" help:"Turn the company sign-in off, and end the sessions that began with it."`
	On     allowCompanySignInCommand  `cmd:"" help:"Turn the company sign-in on again."`
	Check  checkCompanyDomainCommand  `cmd:"" help:"Look up the TXT record of a domain."`
	Remove removeCompanyDomainCommand `cmd:"" help:"Remove a domain, so that another partner can prove it."`
}

// companyFlags names a partner, and an admin who asks.
type companyFlags struct {
	PartnerID string `arg:"" help:"The partner's id (par_…)."`
	outputFlags
	operatorFlags
}

// companyCall is a request about the sign-in of a partner.
type companyCall func(*client.Operator, client.CallOption) (*client.CompanySignIn, error)

// run sends a request and prints the sign-in after it.
func (c *companyFlags) run(call companyCall) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	var answer client.Answer
	found, err := call(operator, client.WithAnswer(&answer))
	if err != nil {
		return err
	}
	return c.output().record(&answer, companyFields(found))
}

func companyFields(c *client.CompanySignIn) []terminal.Field {
	fields := make([]terminal.Field, 0, 5+len(c.Domains))
	if set := c.Provider; set == nil {
		fields = append(fields, field("provider", "none"))
	} else {
		fields = append(fields, field("provider", set.Issuer), field("client", set.ClientID),
			field("roles from", cmp.Or(set.RoleClaim, "the team page")),
			field("new people", cmp.Or(string(set.DefaultRole), "invited, or by the roles above")),
			field("state", map[bool]string{false: "on", true: "off"}[set.Stopped]))
	}
	for _, domain := range c.Domains {
		state := string(domain.State)
		if !domain.ProvenAt.IsZero() {
			state += " " + moment(domain.ProvenAt)
		}
		fields = append(fields, field(domain.Domain, state))
	}
	return fields
}

type showCompanySignInCommand struct{ companyFlags }

// Run prints the provider and the domains.
func (c *showCompanySignInCommand) Run(ctx context.Context) error {
	return c.run(func(o *client.Operator, option client.CallOption) (*client.CompanySignIn, error) {
		return o.GetPartnerSignIn(ctx, c.PartnerID, option)
	})
}

type stopCompanySignInCommand struct{ companyFlags }

// Run turns the sign-in off.
func (c *stopCompanySignInCommand) Run(ctx context.Context) error {
	return c.run(switched(ctx, c.PartnerID, true))
}

type allowCompanySignInCommand struct{ companyFlags }

// Run turns the sign-in on again.
func (c *allowCompanySignInCommand) Run(ctx context.Context) error {
	return c.run(switched(ctx, c.PartnerID, false))
}

func switched(ctx context.Context, partnerID string, stopped bool) companyCall {
	return func(o *client.Operator, option client.CallOption) (*client.CompanySignIn, error) {
		return o.ChangePartnerSignIn(ctx, partnerID, client.PartnerSignInChange{Stopped: stopped}, option)
	}
}

type checkCompanyDomainCommand struct {
	companyFlags
	Domain string `arg:"" help:"The domain (example: example.com)."`
}

// Run looks the record up.
func (c *checkCompanyDomainCommand) Run(ctx context.Context) error {
	return c.run(func(o *client.Operator, option client.CallOption) (*client.CompanySignIn, error) {
		return o.CheckPartnerDomain(ctx, c.PartnerID, c.Domain, option)
	})
}

type removeCompanyDomainCommand struct {
	companyFlags
	Domain string `arg:"" help:"The domain (example: example.com)."`
}

// Run removes the domain.
func (c *removeCompanyDomainCommand) Run(ctx context.Context) error {
	return c.run(func(o *client.Operator, option client.CallOption) (*client.CompanySignIn, error) {
		return o.RemovePartnerDomain(ctx, c.PartnerID, c.Domain, option)
	})
}
