package manual

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the reference of all commands, by their groups.
func (m *Manual) Markdown() string {
	var b strings.Builder
	group := ""
	for _, c := range m.Commands {
		if c.Group != "" && c.Group != group {
			group = c.Group
			fmt.Fprintf(&b, "## %s\n\n", group)
		}
		if !c.Leaf || c.Path == "" {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n```\n%s %s\n```\n\n%s\n\n", c.Path, m.Name, c.Usage(), escape(c.Help))
		if elsewhere := m.Elsewhere[c.Path]; elsewhere != "" {
			b.WriteString(elsewhere + "\n\n")
			continue
		}
		if c.Default != "" { // has the same flags, and follows
			fmt.Fprintf(&b, "Without a subcommand, this is [%s](#%s).\n\n", c.Default, strings.ReplaceAll(c.Default, " ", "-"))
			continue
		}
		if len(c.Arguments)+len(c.Flags) == 0 {
			continue
		}
		b.WriteString("| argument or flag | meaning |\n|---|---|\n")
		for _, argument := range c.Arguments {
			fmt.Fprintf(&b, "| `<%s>` | %s |\n", argument.Name, escape(argument.Help))
		}
		shared := map[string]bool{}
		for _, flag := range c.Flags {
			if flag.Group != "" { // explained once, see Shared
				shared[flag.Group] = true
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", code(flag.Label()), escape(flag.Explanation()))
		}
		for _, flags := range m.shared() {
			if name := strings.ToLower(flags.name); shared[flags.name] {
				fmt.Fprintf(&b, "| | and the flags [%s](#flags-%s) |\n", name, name)
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// group is a group of flags that several commands have.
type group struct {
	name  string
	flags []Flag // each once
}

// shared returns the groups in the order of their first use.
func (m *Manual) shared() (groups []group) {
	for _, c := range m.Commands {
		for _, flag := range c.Flags {
			if flag.Group == "" {
				continue
			}
			at := slices.IndexFunc(groups, func(g group) bool { return g.name == flag.Group })
			if at < 0 {
				at, groups = len(groups), append(groups, group{name: flag.Group})
			}
			if !slices.ContainsFunc(groups[at].flags, func(f Flag) bool { return f.Name == flag.Name }) {
				groups[at].flags = append(groups[at].flags, flag)
			}
		}
	}
	return groups
}

// Shared returns the reference of the groups of flags that several commands have.
func (m *Manual) Shared() string {
	var b strings.Builder
	for _, shared := range m.shared() {
		fmt.Fprintf(&b, "### Flags: %s\n\n| flag | meaning |\n|---|---|\n", strings.ToLower(shared.name))
		for _, flag := range shared.flags {
			fmt.Fprintf(&b, "| `%s` | %s |\n", code(flag.Label()), escape(flag.Explanation()))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// code returns text for a code span in a table.
func code(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// escape returns text for a cell of a table in Markdown.
func escape(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "[", `\[`).Replace(text)
}
