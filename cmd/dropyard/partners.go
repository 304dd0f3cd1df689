package main

import (
	"context"

	"github.com/dropyard/dropyard/client"
)

// partnersCommand lists the partners, with the ids that other commands need.
type partnersCommand struct {
	Search string `short:"q" help:"Only partners with this text in the name, the e-mail address or the id." placeholder:"TEXT"`
	listFlags
	operatorFlags
}

// largestPartnerPage is the most partners of a page of the list.
const largestPartnerPage = 500

// Run prints the partners. Warehouse keepers see names only.
func (c *partnersCommand) Run(ctx context.Context) error {
	operator, err := c.operator()
	if err != nil {
		return err
	}
	q := client.PartnerQuery{Search: c.Search}
	return list(&c.listFlags, "partners", largestPartnerPage, []column[client.ListedPartner]{
		text("ID", func(p client.ListedPartner) string { return p.PartnerID }),
		text("NAME", func(p client.ListedPartner) string { return p.Name }),
		text("E-MAIL", func(p client.ListedPartner) string { return p.Email }),
		text("ACCOUNT", partnerState),
	}, func(size int, option client.CallOption) ([]client.ListedPartner, bool, error) {
		q.Limit = size
		found, err := operator.ListPartners(ctx, q, option)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = found.NextCursor
		return found.Partners, q.Cursor != "", nil
	})
}

// partnerState returns what keeps a partner from ordering; empty if nothing does.
func partnerState(p client.ListedPartner) string {
	switch {
	case p.Suspended:
		return "suspended"
	case !p.PendingSince.IsZero():
		return "awaits approval"
	default:
		return ""
	}
}

// partnerNames returns the names of all partners by their ids.
func partnerNames(ctx context.Context, operator *client.Operator) (map[string]string, error) {
	names := map[string]string{}
	for p, err := range operator.Partners(ctx, client.PartnerQuery{Limit: largestPartnerPage}) {
		if err != nil {
			return nil, err
		}
		names[p.PartnerID] = p.Name
	}
	return names, nil
}
