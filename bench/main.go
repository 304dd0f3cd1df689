// Command bench measures Dropyard on the machine that it runs on: how fast orders
// are created, compared with the floors of the two halves (HTTP without storage,
// storage without HTTP), and whether reads slow down while the number of orders
// grows. docs/benchmarks.md explains the figures.
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
	Create   createCommand   `cmd:"" help:"Measure creating signed orders: the service, and the floors of HTTP and of storage."`
	Read     readCommand     `cmd:"" help:"Measure listing, reading and tracking orders while their number grows."`
	Board    boardCommand    `cmd:"" help:"Measure the queries of the dispatch board, with few of many orders under way."`
	Feed     feedCommand     `cmd:"" help:"Measure desks that follow the dispatch board while orders move."`
	Browser  browserCommand  `cmd:"" help:"Measure the dispatch board in a browser, and what open boards cost the service."`
	Webhooks webhooksCommand `cmd:"" help:"Measure sending events: throughput, the cost of queueing, waiting events, dead neighbours, time to wake up."`
	Attack   attackCommand   `cmd:"" help:"Attack a service, and measure what other partners see of it."`
	Serve    serveCommand    `cmd:"" hidden:"" help:"Run the service that is measured; other commands start it."`
	Hooks    hooksCommand    `cmd:"" hidden:"" help:"Run the sender that is measured; other commands start it."`
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
