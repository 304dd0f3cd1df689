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
	OrderID string `arg:"" help:"The order (ord_…)."`
	Out     string `name:"output" short:"o" help:"File to write, or - for standard output. Default: the order's id with .pdf or .zpl." placeholder:"FILE"`
	Format  string `help:"pdf, or zpl for label printers. Default: zpl for a file that ends in .zpl, and pdf for any other." enum:",pdf,zpl" default:"" placeholder:"FORMAT"`
	DPI     int    `name:"dpi" help:"Resolution of the label printer: 203, 300 or 600." enum:"203,300,600" default:"203" placeholder:"DPI"`
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
	if c.Out == "" {
		c.Out = c.OrderID + "." + c.Format
	}
	if c.Out == "-" && terminal.Is(os.Stdout) {
		return usageError{errors.New("--output: labels are not for a terminal; name a file, or send them through a pipe")}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	format := client.LabelPDF
	if c.Format == "zpl" {
		format = client.LabelZPL
	}
	label, err := partner.PrintLabel(ctx, c.OrderID, format, client.LabelQuery{DPI: c.DPI})
	if err != nil {
		return err
	}
	if c.Out == "-" {
		_, err = os.Stdout.Write(label)
		return err
	}
	if err := os.WriteFile(c.Out, label, 0o600); err != nil {
		return err
	}
	notice("%s: %d bytes", c.Out, len(label))
	return nil
}
