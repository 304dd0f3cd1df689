package main

import (
	"encoding/json"
	"fmt"

	"github.com/dropyard/dropyard/internal/foundation/terminal"
	"github.com/dropyard/dropyard/internal/profile"
)

type profilesCommand struct {
	List   listProfilesCommand  `cmd:"" default:"withargs" help:"List the profiles, without their secrets."`
	Use    useProfileCommand    `cmd:"" help:"Use a profile from now on."`
	Remove removeProfileCommand `cmd:"" help:"Remove a profile and its secrets from this machine. To revoke them as well, use logout."`
}

type listProfilesCommand struct{ outputFlags }

// listedProfile is a profile without its secrets.
type listedProfile struct {
	Name          string `json:"name"`
	InUse         bool   `json:"in_use"`
	Server        string `json:"server"`
	Partner       string `json:"partner,omitempty"`
	Mode          string `json:"mode,omitempty"`
	PublicKey     string `json:"public_key,omitempty"`
	Operator      string `json:"operator,omitempty"`
	OperatorRole  string `json:"operator_role,omitempty"`
	OperatorUntil string `json:"operator_until,omitempty"`
}

func listed(name string, inUse bool, p *profile.Profile) listedProfile {
	l := listedProfile{Name: name, InUse: inUse, Server: p.Server}
	if p.Partner != nil {
		l.Partner, l.Mode, l.PublicKey = p.Partner.Name, p.Partner.Mode, p.Partner.PublicKey
	}
	if p.Operator != nil {
		l.Operator, l.OperatorRole, l.OperatorUntil = p.Operator.Email, p.Operator.Role, moment(p.Operator.ExpiresAt)
	}
	return l
}

// Run prints the profiles.
func (c *listProfilesCommand) Run() error {
	all, _, err := profiles()
	if err != nil {
		return err
	}
	out := c.output()
	table := terminal.NewTable(out.to, out.palette, []terminal.Column{
		{}, {Title: "NAME"}, {Title: "SERVER"}, {Title: "PARTNER"}, {Title: "MODE"}, {Title: "KEY"}, {Title: "OPERATOR"},
		{Title: "UNTIL"},
	})
	for _, name := range all.Names() {
		l := listed(name, name == all.InUse(), all.Profiles[name])
		if out.json {
			line, err := json.Marshal(l)
			if err != nil {
				return err
			}
			if err := out.raw(line); err != nil {
				return err
			}
			continue
		}
		mark := ""
		if l.InUse {
			mark = "*"
		}
		table.Add(terminal.Cell{Text: mark, Style: terminal.Green}, terminal.Cell{Text: name, Style: terminal.Bold},
			terminal.Cell{Text: l.Server}, terminal.Cell{Text: l.Partner}, terminal.Cell{Text: l.Mode},
			terminal.Cell{Text: l.PublicKey}, terminal.Cell{Text: l.Operator}, terminal.Cell{Text: l.OperatorUntil})
	}
	if len(all.Profiles) == 0 && !out.json {
		notice("There are none; see dropyard login.")
	}
	return table.Flush()
}

// errNoProfile returns the error for a name that no profile has.
func errNoProfile(name string) error {
	return usageError{fmt.Errorf("the profile %q does not exist; dropyard profiles lists them", name)}
}

type useProfileCommand struct {
	Name string `arg:"" help:"The profile."`
}

// Run makes a profile the one in use.
func (c *useProfileCommand) Run() error {
	all, path, err := profiles()
	if err != nil {
		return err
	}
	if all.Profiles[c.Name] == nil {
		return errNoProfile(c.Name)
	}
	if err := profile.Update(path, func(all *profile.Profiles) { all.Current = c.Name }); err != nil {
		return err
	}
	tell("The profile %q is in use: %s.", c.Name, all.Profiles[c.Name].Server)
	return nil
}

type removeProfileCommand struct {
	Name string `arg:"" help:"The profile."`
}

// Run removes a profile.
func (c *removeProfileCommand) Run() error {
	all, path, err := profiles()
	if err != nil {
		return err
	}
	removed := all.Profiles[c.Name]
	if removed == nil {
		return errNoProfile(c.Name)
	}
	if err := profile.Update(path, func(all *profile.Profiles) { all.Remove(c.Name) }); err != nil {
		return err
	}
	tell("The profile %q is removed.", c.Name)
	if removed.Partner != nil {
		tell("Its API key is still valid; revoke it with dropyard keys or in the browser.")
	}
	if o := removed.Operator; o != nil { // no page lists tokens
		tell("Its token is valid until %s; an operator revokes it before with DELETE /ops/v1/tokens/%s.",
			moment(o.ExpiresAt), o.TokenID)
	}
	return nil
}
