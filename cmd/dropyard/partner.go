package main

import (
	"context"
	"os"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type partnerCommand struct {
	Export  exportPartnerCommand  `cmd:"" help:"Write all data of a partner to standard output as JSON Lines."`
	Approve approvePartnerCommand `cmd:"" help:"Approve a partner's account that was registered under --registration approval."`
	Erase   erasePartnerCommand   `cmd:"" help:"Remove a recipient's personal data from a partner's orders. It cannot be undone."`
}

type exportPartnerCommand struct {
	databaseFlags
	PartnerID string `arg:"" help:"The partner's id (par_…)."`
}

// Run writes the partner's data. The service may be running.
func (c *exportPartnerCommand) Run(ctx context.Context) error {
	return app.ExportPartner(ctx, c.settings(), app.System(), c.PartnerID, terminal.NewJSONWriter(os.Stdout))
}

type approvePartnerCommand struct {
	databaseFlags
	PartnerID string `arg:"" help:"The partner's id (par_…)."`
}

// Run approves the account. The service may be running.
func (c *approvePartnerCommand) Run(ctx context.Context) error {
	if err := app.ApprovePartner(ctx, c.settings(), app.System(), c.PartnerID); err != nil {
		return err
	}
	err := printf("partner %s approved\n", c.PartnerID)
	return err
}

type erasePartnerCommand struct {
	databaseFlags
	PartnerID string   `arg:"" help:"The partner's id (par_…)."`
	Order     []string `help:"Id of an order to erase; may be repeated." placeholder:"ORDER_ID" xor:"selection" required:""`
	Recipient string   `help:"E-mail address whose orders are erased, to it or from it." placeholder:"EMAIL" xor:"selection" required:""`
	Proofs    string   `help:"Where proofs of delivery are kept, as for serve." env:"DROPYARD_PROOFS" placeholder:"DIR|URL"`
	Force     bool     `help:"Also erase orders that are under way, which then cannot be delivered."`
}

// Run erases the recipient's data. The service may be running.
func (c *erasePartnerCommand) Run(ctx context.Context) error {
	settings := c.settings()
	settings.Proofs = c.Proofs
	erased, err := app.ErasePartnerOrders(ctx, settings, app.System(), c.PartnerID, c.Order, c.Recipient, c.Force)
	if err != nil {
		return err
	}
	err = printf("orders erased: %d\n", erased)
	return err
}
