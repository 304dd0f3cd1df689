package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/manual"
)

type completionCommand struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// Run prints the script.
func (c *completionCommand) Run(ctx context.Context) error {
	_, err := fmt.Print(newManual(ctx).Script(c.Shell))
	return err
}

type manCommand struct{}

// Run prints the manual page, to be read with man -l.
func (manCommand) Run(ctx context.Context) error {
	_, err := fmt.Print(newManual(ctx).Page(manualDate()))
	return err
}

// manualDate returns the date of the manual page: that of the source, if it is known
// (https://reproducible-builds.org/specs/source-date-epoch), or else today.
func manualDate() time.Time {
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC()
	}
	return time.Now().UTC()
}

// newManual returns the manual of all commands.
func newManual(ctx context.Context) *manual.Manual {
	m := manual.New(newParser(ctx, &commands{}).Model, version)
	m.Elsewhere = map[string]string{
		"serve":      "Its flags are the [settings](settings.md).",
		"doctor":     "Its flags are the [settings](settings.md) of `serve`.",
		"mail test":  "Its flags are `--language` (`en` or `fr`; default: `en`) and the [settings](settings.md) of `serve`.",
		"oidc check": "Its flags are the [settings](settings.md) of `serve`.",
	}
	m.Sections = []manual.Section{
		{Title: "Exit status", Items: exitStatuses},
		{Title: "Environment", Text: "Flags with a variable of the environment name it above. These have no flag, because other users of a machine can see the flags of a command:", Items: secretVariables},
		{Title: "Files", Items: []manual.Item{{Name: "~/.config/dropyard/profiles.json", Help: "The profiles with their secrets, or in $XDG_CONFIG_HOME, or where the system keeps such files. Other users must have no access; otherwise commands refuse to use it."}}},
		{Title: "See also", Text: "docs/command-line.md, and /docs of every running service."},
	}
	return m
}

// exitStatuses are the exit codes; see errors.go.
var exitStatuses = []manual.Item{
	{Name: "0", Help: "Success."},
	{Name: "1", Help: "The command failed, or did only part of its work."},
	{Name: "2", Help: "A flag, a setting, a file or a profile is invalid; nothing was sent or changed."},
	{Name: "3", Help: "The service refused the request."},
	{Name: "4", Help: "The service has no such object."},
	{Name: "5", Help: "The service did not answer, failed, or is already doing the same. The same command may succeed later."},
}

// secretVariables are the variables of the environment that have no flag.
var secretVariables = []manual.Item{
	{Name: "DROPYARD_KEY, DROPYARD_SECRET", Help: "An API key and its secret, instead of a profile."},
	{Name: "DROPYARD_OPERATOR_TOKEN", Help: "A token of an operator, instead of a profile."},
	{
		Name: "DROPYARD_OPERATOR_EMAIL, DROPYARD_OPERATOR_PASSWORD",
		Help: "The operator who moves live orders for trigger, instead of a token.",
	},
	{Name: "DROPYARD_WEBHOOK_SECRET", Help: "The webhook secret that listen signs forwarded events with."},
	{Name: "NO_COLOR", Help: "Print without colours."},
}
