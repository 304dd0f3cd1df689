// Command bench measures Dropyard on the machine that it runs on: how fast
// orders are created, held against the floors of its two halves (HTTP without
// storage, storage without HTTP), and how reads stay the same while the number
// of orders grows. docs/benchmarks.md tells how to read the figures.
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
	Create   createCommand   `cmd:"" help:"Create signed orders: the service, and the floors of HTTP and of storage."`
	Read     readCommand     `cmd:"" help:"List, read and track orders while their number grows."`
	Board    boardCommand    `cmd:"" help:"Ask for the dispatch board over many orders of which few are under way."`
	Webhooks webhooksCommand `cmd:"" help:"Send events: throughput, what queueing costs, waiting events, dead neighbours, time to wake up."`
	Serve    serveCommand    `cmd:"" hidden:"" help:"Be the process that is measured; the other commands start it."`
	Hooks    hooksCommand    `cmd:"" hidden:"" help:"Be the sender that is measured."`
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
