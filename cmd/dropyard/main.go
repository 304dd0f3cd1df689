// Command dropyard is the partner delivery service in one binary.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is set by release builds.
var version = "dev"

type commands struct {
	Serve    serveCommand    `cmd:"" help:"Run the service."`
	Call     callCommand     `cmd:"" help:"Send one signed request and print the answer."`
	Listen   listenCommand   `cmd:"" help:"Show a partner's events as they happen, and forward them to a receiver under development."`
	Trigger  triggerCommand  `cmd:"" help:"Cause an event: make an order and move it until the event happens."`
	Orders   ordersCommand   `cmd:"" help:"Import a partner's orders."`
	Operator operatorCommand `cmd:"" help:"Manage operators."`
	Backup   backupCommand   `cmd:"" help:"Copy the embedded database to a file, while the service runs."`
	Restore  restoreCommand  `cmd:"" help:"Make a backup the embedded database; the service must be stopped."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the database's schema up to date, and distribute its tables over a cluster."`
	Copy     copyCommand     `cmd:"" help:"Copy everything from one database to another, as from SQLite to PostgreSQL."`
	Partner  partnerCommand  `cmd:"" help:"Export a partner's data, or erase a recipient's."`
	Audit    auditCommand    `cmd:"" help:"Export what operators have changed."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

// exitUsage is what bad flags and settings end with.
const exitUsage = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends at once
	parser := kong.Must(&commands{},
		kong.Name("dropyard"),
		kong.Description("A partner delivery service: quotes, orders, stock, tracking."),
		kong.Vars{"events": eventNames(), "test": testEvent},
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	command, err := parser.Parse(os.Args[1:])
	if err != nil {
		fail(exitUsage, err)
	}
	if err := command.Run(); err != nil {
		fail(exitCode(err), err)
	}
}

// fail ends with one line: drivers and joined errors write several.
func fail(code int, err error) {
	fmt.Fprintln(os.Stderr, "dropyard:", strings.Join(strings.Fields(err.Error()), " "))
	os.Exit(code)
}

// usageError is a setting that cannot be.
type usageError struct{ error }

func exitCode(err error) int {
	var usage usageError
	if errors.As(err, &usage) { // kong wraps what commands return
		return exitUsage
	}
	return 1
}

type versionCommand struct{}

func (versionCommand) Run() error {
	_, err := fmt.Println("dropyard", version)
	return err
}
