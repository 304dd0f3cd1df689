// Command bench measures Dropyard on the machine that it runs on, beside floors and
// peers in the same run. docs/benchmarks.md explains the figures.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type commands struct {
	Report  reportCommand  `cmd:"" default:"withargs" help:"Measure creating, reading, webhooks, memory and disk, beside floors and peers, and print one report."`
	Compare compareCommand `cmd:"" help:"Let two binaries of dropyard take turns at one kind of work, and compare them pair by pair."`
	Feed    feedCommand    `cmd:"" help:"Measure desks that follow the dispatch board while orders move."`
	Browser browserCommand `cmd:"" help:"Measure the dispatch board in a browser, and what open boards cost the service."`
	Night   nightCommand   `cmd:"" help:"Measure the export of a day with many orders."`
	Attack  attackCommand  `cmd:"" help:"Attack a service, and measure what other partners see of it."`
	Floor   floorCommand   `cmd:"" hidden:"" help:"Run the bare floor; other commands start it."`
	Poster  posterCommand  `cmd:"" hidden:"" help:"Post events by the bare client; other commands start it."`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command := kong.Parse(&commands{},
		kong.Name("bench"),
		kong.Description("Benchmarks of Dropyard over loopback, in temporary directories."),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	return command.Run()
}
