package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type labelCommand struct {
	OrderIDs []string `arg:"" name:"order-id" help:"The orders (ord_…), up to 100, in the order in which they are printed."`
	Out      string   `name:"output" short:"o" help:"File to write, or - for standard output. Default: the order's id, or labels for several orders, with .pdf or .zpl." placeholder:"FILE"`
	Format   string   `help:"pdf, or zpl for label printers. Default: zpl for a file that ends in .zpl, and pdf for any other." enum:",pdf,zpl" default:"" placeholder:"FORMAT"`
	DPI      int      `name:"dpi" help:"Resolution of the label printer: 203, 300 or 600." enum:"203,300,600" default:"203" placeholder:"DPI"`
	Link     bool     `help:"Print a link to one order's labels that needs no API key for 15 minutes, and write no file."`
	partnerFlags
}

// Run writes the labels. A file that exists is replaced.
func (c *labelCommand) Run(ctx context.Context) error {
	if c.Format == "" {
		c.Format = "pdf"
		if strings.HasSuffix(strings.ToLower(c.Out), ".zpl") {
			c.Format = "zpl"
		}
	}
	if c.Link {
		return c.link(ctx)
	}
	if c.Out == "" {
		name := "labels"
		if len(c.OrderIDs) == 1 {
			name = c.OrderIDs[0]
		}
		c.Out = name + "." + c.Format
	}
	if c.Out == "-" && terminal.Is(os.Stdout) {
		return usageError{errors.New("--output: labels are not for a terminal; name a file, or send them through a pipe")}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	labels, err := c.print(ctx, partner, c.format())
	if err != nil {
		return err
	}
	if c.Out == "-" {
		_, err = os.Stdout.Write(labels)
		return err
	}
	if err := os.WriteFile(c.Out, labels, 0o600); err != nil {
		return err
	}
	notice("%s: %d bytes", c.Out, len(labels))
	return nil
}

func (c *labelCommand) format() client.LabelFormat {
	if c.Format == "zpl" {
		return client.LabelZPL
	}
	return client.LabelPDF
}

// link prints an address of the labels.
func (c *labelCommand) link(ctx context.Context) error {
	if len(c.OrderIDs) != 1 || c.Out != "" {
		return usageError{errors.New("--link: name one order, and no --output")}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	link, err := partner.CreateLabelLink(ctx, c.OrderIDs[0], client.LabelLinkRequest{Format: c.format(), DPI: c.DPI})
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(terminal.Sprintf("%s\n", link.URL))
	return err
}

// print requests the labels. Services of 0.1 have those of one order only.
func (c *labelCommand) print(ctx context.Context, partner *client.Client, format client.LabelFormat) ([]byte, error) {
	if len(c.OrderIDs) == 1 {
		return partner.PrintLabel(ctx, c.OrderIDs[0], format, client.LabelQuery{DPI: c.DPI})
	}
	return partner.PrintLabels(ctx, format, client.LabelsQuery{OrderIDs: c.OrderIDs, DPI: c.DPI})
}
