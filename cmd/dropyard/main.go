// Command dropyard runs the partner delivery service, and holds the tools of its
// operators and partners.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

// version is set by release builds.
var version = "dev"

type commands struct {
	Login    loginCommand    `cmd:"" group:"Accounts:" help:"Log in to a service, and keep an API key or an operator's token in a profile."`
	Logout   logoutCommand   `cmd:"" group:"Accounts:" help:"Revoke the credentials of a profile and remove it."`
	Profiles profilesCommand `cmd:"" group:"Accounts:" help:"List, choose and remove profiles."`
	Whoami   whoamiCommand   `cmd:"" group:"Accounts:" help:"Print the account that the commands use."`
	Keys     keysCommand     `cmd:"" group:"Accounts:" help:"List, create and revoke API keys."`

	Orders    ordersCommand    `cmd:"" group:"Partners:" help:"List, show, create, import and cancel orders, and print their labels."`
	Quote     quoteCommand     `cmd:"" group:"Partners:" help:"Print what a delivery costs and when it arrives."`
	Track     trackCommand     `cmd:"" group:"Partners:" help:"Show where an order is, as its recipient sees it."`
	Products  productsCommand  `cmd:"" group:"Partners:" help:"List your products and their stock."`
	Movements movementsCommand `cmd:"" group:"Partners:" help:"List the movements of your stock."`

	Webhooks webhooksCommand `cmd:"" group:"Developers:" help:"List, set, add, change and test the endpoints that events are sent to."`
	Events   eventsCommand   `cmd:"" group:"Developers:" help:"List and show events, and send them again."`
	Logs     logsCommand     `cmd:"" group:"Developers:" help:"List your requests, or follow them."`
	Listen   listenCommand   `cmd:"" group:"Developers:" help:"Show a partner's events as they happen, and forward them to a receiver in development."`
	Trigger  triggerCommand  `cmd:"" group:"Developers:" help:"Cause an event: create an order and move it until the event happens."`
	Call     callCommand     `cmd:"" group:"Developers:" help:"Send one signed request and print the response."`

	Board     boardCommand         `cmd:"" group:"Operators:" help:"Show the dispatch board, and move orders."`
	Partners  partnersCommand      `cmd:"" group:"Operators:" help:"List the partners, with the ids that other commands need."`
	Couriers  couriersCommand      `cmd:"" group:"Operators:" help:"List, add and change couriers, and send them messages."`
	Locations locationsCommand     `cmd:"" group:"Operators:" help:"List and set the addresses of warehouses and hubs."`
	Stock     stockCommand         `cmd:"" group:"Operators:" help:"Show and book the stock of partners."`
	Picks     picksCommand         `cmd:"" group:"Operators:" help:"Show what the warehouse picks for orders, and record it."`
	Books     booksCommand         `cmd:"" group:"Operators:" help:"Keep the books: charges, payments, cash, statements and taxes."`
	Company   companySignInCommand `cmd:"" name:"company-sign-in" group:"Operators:" help:"Show the company sign-in of a partner, turn it off or on, and check or remove its domains."`
	Settings  settingsCommand      `cmd:"" group:"Operators:" help:"Show and change the settings of the service, such as the number of dispatch."`
	RateCards rateCardsCommand     `cmd:"" group:"Operators:" help:"List rate cards, and preview what a new one would change."`

	Serve    serveCommand    `cmd:"" group:"Server:" help:"Run the service."`
	Operator operatorCommand `cmd:"" group:"Server:" help:"Manage operators."`
	Backup   backupCommand   `cmd:"" group:"Server:" help:"Copy the embedded database to a file; the service may be running."`
	Restore  restoreCommand  `cmd:"" group:"Server:" help:"Restore the embedded database from a backup; the service must be stopped."`
	Doctor   doctorCommand   `cmd:"" group:"Server:" help:"Check an installation, with the settings of serve, and print each fault and what to do about it."`
	Mail     mailCommand     `cmd:"" group:"Server:" help:"Try the mail server."`
	OIDC     oidcCommand     `cmd:"" name:"oidc" group:"Server:" help:"Try the OpenID provider."`
	Clock    clockCommand    `cmd:"" group:"Server:" help:"Accept a clock that is far from the latest time in the store."`
	Key      keyCommand      `cmd:"" group:"Server:" help:"Rotate the master key."`
	Health   healthCommand   `cmd:"" group:"Server:" help:"Check whether a service responds. The exit code is 5 if nothing does, and 1 if the answer is not 200."`
	Migrate  migrateCommand  `cmd:"" group:"Server:" help:"Bring the schema of the database up to date, and optionally distribute its tables over a cluster."`
	Copy     copyCommand     `cmd:"" group:"Server:" help:"Copy all data from one database to another, such as from SQLite to PostgreSQL."`
	Partner  partnerCommand  `cmd:"" group:"Server:" help:"Approve partners, export a partner's data, or erase a recipient's data."`
	Audit    auditCommand    `cmd:"" group:"Server:" help:"Export the audit log."`
	Export   exportCommand   `cmd:"" group:"Server:" help:"Write the nightly files of orders, events, movements and journal, or list them."`

	Completion completionCommand `cmd:"" group:"Help:" help:"Print a script that completes commands and flags in a shell."`
	Man        manCommand        `cmd:"" group:"Help:" help:"Print the manual page."`
	Version    versionCommand    `cmd:"" group:"Help:" help:"Print the version."`

	Digests digestsCommand `cmd:"" hidden:"" name:"digest-passwords"`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	arguments := os.Args[1:]
	if len(arguments) == 0 {
		arguments = []string{"--help"}
	}
	parser := newParser(ctx, grammarOf(arguments[0]))
	command, err := parser.Parse(arguments)
	if err != nil {
		fail(exitUsage, withHint(err, arguments))
	}
	if err := command.Run(); err != nil {
		fail(exitCode(err), err)
	}
}

// negative is what the parser takes for a flag although it is a number.
var negative = regexp.MustCompile(`^-[0-9.]+$`)

// withHint adds to an error of the command line what it says too little about.
func withHint(err error, arguments []string) error {
	text := err.Error()
	switch {
	case strings.HasPrefix(text, "unknown flag -") && slices.ContainsFunc(arguments, negative.MatchString):
		return fmt.Errorf("%w; write -- in front of the arguments if one of them is below zero", err)
	case strings.Contains(text, ` must be one of "",`): // the value of a flag that is left out
		return errors.New(strings.Replace(text, ` one of "",`, " one of ", 1))
	case strings.HasPrefix(text, "unexpected argument ") && !strings.Contains(text, "did you mean"):
		var parsing *kong.ParseError
		if !errors.As(err, &parsing) || parsing.Context == nil || parsing.Context.Selected() == nil {
			return err
		}
		at := parsing.Context.Selected()
		if at.Parent != nil && at.Parent.DefaultCmd == at { // the argument was probably meant as another subcommand
			at = at.Parent
		}
		return fmt.Errorf("%w; see %s --help", err, at.FullPath())
	}
	return err
}

// grammarOf returns the commands that a parser needs: the one that the first argument names,
// or all of them. To describe all takes longer than most commands run.
func grammarOf(first string) any {
	all := reflect.TypeFor[commands]()
	word := strings.ReplaceAll(first, "-", "")
	named, known := all.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, word) })
	version, _ := all.FieldByName("ShowVersion")
	if !known || named.Name == version.Name || named.Tag.Get("name") != "" {
		return &commands{}
	}
	return reflect.New(reflect.StructOf([]reflect.StructField{named, version})).Interface()
}

// newParser returns the parser of some commands.
func newParser(ctx context.Context, grammar any) *kong.Kong {
	return kong.Must(grammar,
		kong.Name("dropyard"),
		kong.Description("A partner delivery service: quotes, orders, stock, tracking."),
		kong.Vars{"events": triggerable(), "test": testEvent, "version": "dropyard " + version},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.TypeMapper(reflect.TypeFor[time.Time](), kong.MapperFunc(decodeTime)),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
}
