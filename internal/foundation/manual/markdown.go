package manual

import (
	"fmt"
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
		for _, name := range m.groups() {
			if shared[name] {
				fmt.Fprintf(&b, "| | and the flags [%s](#flags-%s) |\n", strings.ToLower(name), strings.ToLower(name))
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// groups returns the names of the groups of flags in the order of their first use.
func (m *Manual) groups() (names []string) {
	seen := map[string]bool{}
	for _, c := range m.Commands {
		for _, flag := range c.Flags {
			if flag.Group != "" && !seen[flag.Group] {
				seen[flag.Group] = true
				names = append(names, flag.Group)
			}
		}
	}
	return names
}

// shared returns the flags of a group, each once.
func (m *Manual) shared(group string) (flags []Flag) {
	seen := map[string]bool{}
	for _, c := range m.Commands {
		for _, flag := range c.Flags {
			if flag.Group == group && !seen[flag.Name] {
				seen[flag.Name] = true
				flags = append(flags, flag)
			}
		}
	}
	return flags
}

// Shared returns the reference of the groups of flags that several commands have.
func (m *Manual) Shared() string {
	var b strings.Builder
	for _, name := range m.groups() {
		fmt.Fprintf(&b, "### Flags: %s\n\n| flag | meaning |\n|---|---|\n", strings.ToLower(name))
		for _, flag := range m.shared(name) {
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
