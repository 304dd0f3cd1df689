// Command dropyard runs the partner delivery service, and holds the tools of its
// operators and partners.
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
	Call     callCommand     `cmd:"" help:"Send one signed request and print the response."`
	Listen   listenCommand   `cmd:"" help:"Show a partner's events as they happen, and forward them to a receiver in development."`
	Trigger  triggerCommand  `cmd:"" help:"Cause an event: create an order and move it until the event happens."`
	Orders   ordersCommand   `cmd:"" help:"Import a partner's orders."`
	Operator operatorCommand `cmd:"" help:"Manage operators."`
	Backup   backupCommand   `cmd:"" help:"Copy the embedded database to a file; the service may be running."`
	Restore  restoreCommand  `cmd:"" help:"Put a backup in the place of the embedded database; the service must be stopped."`
	Doctor   doctorCommand   `cmd:"" help:"Check an installation, with the settings of serve, and say what to do about what is wrong."`
	Key      keyCommand      `cmd:"" help:"Rotate the master key."`
	Migrate  migrateCommand  `cmd:"" help:"Bring the schema of the database up to date, and distribute its tables over a cluster."`
	Copy     copyCommand     `cmd:"" help:"Copy all data from one database to another, such as from SQLite to PostgreSQL."`
	Partner  partnerCommand  `cmd:"" help:"Approve partners, export a partner's data, or erase a recipient's data."`
	Audit    auditCommand    `cmd:"" help:"Export the audit log of operators' changes."`
	Version  versionCommand  `cmd:"" help:"Print the version."`

	Digests digestsCommand `cmd:"" hidden:"" name:"digest-passwords"`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// exitUsage is the exit code for invalid flags and settings.
const exitUsage = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	parser := kong.Must(&commands{},
		kong.Name("dropyard"),
		kong.Description("A partner delivery service: quotes, orders, stock, tracking."),
		kong.Vars{"events": eventNames(), "test": testEvent, "version": "dropyard " + version},
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	arguments := os.Args[1:]
	if len(arguments) == 0 {
		arguments = []string{"--help"}
	}
	command, err := parser.Parse(arguments)
	if err != nil {
		fail(exitUsage, err)
	}
	if err := command.Run(); err != nil {
		fail(exitCode(err), err)
	}
}

// fail prints the error on one line and exits. Errors of drivers and joined errors
// have several lines, which it joins.
func fail(code int, err error) {
	fmt.Fprintln(os.Stderr, "dropyard:", strings.Join(strings.Fields(err.Error()), " "))
	os.Exit(code)
}

// usageError marks an error in the flags or settings.
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
