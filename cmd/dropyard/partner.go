package main

import (
	"context"
	"fmt"
	"os"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

type partnerCommand struct {
	Export exportPartnerCommand `cmd:"" help:"Write all that is stored for a partner to standard output, as JSON Lines."`
	Erase  erasePartnerCommand  `cmd:"" help:"Remove a recipient's personal data from a partner's orders. It cannot be undone."`
}

// where names the database that a command works on, as serve does.
type where struct {
	Data     string `help:"Directory of the database and the master key." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	Database string `help:"Where the data is, as for serve." env:"DROPYARD_DATABASE" placeholder:"URL"`
}

func (w where) settings() *config.Config {
	return &config.Config{Data: w.Data, DatabaseURL: w.Database}
}

type exportPartnerCommand struct {
	where
	PartnerID string `arg:"" help:"The partner's id (par_…)."`
}

// Run exports; it may run beside the service.
func (c *exportPartnerCommand) Run(ctx context.Context) error {
	return app.ExportPartner(ctx, c.settings(), app.System(), c.PartnerID, os.Stdout)
}

type erasePartnerCommand struct {
	where
	PartnerID string   `arg:"" help:"The partner's id (par_…)."`
	Order     []string `help:"Orders to erase from; may be repeated." placeholder:"ORDER_ID" xor:"whose" required:""`
	Recipient string   `help:"E-mail address: all orders to or from it." placeholder:"EMAIL" xor:"whose" required:""`
	Proofs    string   `help:"Where proofs of delivery are kept, as for serve." env:"DROPYARD_PROOFS" placeholder:"DIR|URL"`
	Force     bool     `help:"Erase orders under way too, which then cannot be delivered."`
}

// Run erases; it may run beside the service.
func (c *erasePartnerCommand) Run(ctx context.Context) error {
	settings := c.settings()
	settings.Proofs = c.Proofs
	erased, err := app.ErasePartnerOrders(ctx, settings, app.System(), c.PartnerID, c.Order, c.Recipient, c.Force)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("orders erased: %d\n", erased)
	return err
}
