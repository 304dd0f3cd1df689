package manual

import (
	"embed"
	"slices"
	"strings"
	"text/template"
)

//go:embed scripts
var scripts embed.FS

// Script returns the script that completes commands in bash 4 and later, zsh or fish. That of
// zsh can be loaded, or lie in a folder of fpath. What the scripts do not know, such as the
// names of files, the shells complete by themselves.
func (m *Manual) Script(shell string) string {
	script := template.Must(template.New(shell).Funcs(template.FuncMap{
		"steps": (*Manual).steps, "valueFlags": (*Manual).valueFlags, "words": (*Command).words,
		"flagWords": flagWords, "values": valuesOf, "names": namesOf, "described": described,
		"join": strings.Join, "quoted": quoted, "fishQuoted": fishQuoted,
		"bare": func(flag string) string { return strings.TrimLeft(flag, "-") },
	}).ParseFS(scripts, "scripts/"+shell))
	var b strings.Builder
	if err := script.Execute(&b, m); err != nil {
		panic(err) // the scripts are part of the program
	}
	return b.String()
}

// valueFlags returns the names of all flags that take a value, in both forms.
func (m *Manual) valueFlags() (names []string) {
	for _, c := range m.Commands {
		for _, flag := range c.Flags {
			if flag.Placeholder == "" {
				continue
			}
			names = append(names, flag.Name)
			if flag.Short != "" {
				names = append(names, flag.Short)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// flagWords returns the words by which the flags of a command are given, with their help.
func flagWords(flags []Flag) (words []Item) {
	for _, flag := range flags {
		words = append(words, Item{flag.Name, flag.Help})
		if flag.Negatable {
			words = append(words, Item{"--no-" + strings.TrimPrefix(flag.Name, "--"), flag.Help})
		}
		if flag.Short != "" {
			words = append(words, Item{flag.Short, flag.Help})
		}
	}
	return append(words, Item{"--help", "Show help."})
}

// valuesOf returns the values that flags of a command may have, by the flags' patterns.
func valuesOf(flags []Flag) (values []Item) {
	for _, flag := range flags {
		if len(flag.Values) > 0 {
			pattern := flag.Name
			if flag.Short != "" {
				pattern += "|" + flag.Short
			}
			values = append(values, Item{pattern, strings.Join(flag.Values, " ")})
		}
	}
	return values
}

func namesOf(items []Item) string {
	names := make([]string, len(items))
	for i, item := range items {
		names[i] = item.Name
	}
	return strings.Join(names, " ")
}

// words returns the subcommands of a command, or the values of its argument.
func (c *Command) words() []Item {
	if len(c.Children) > 0 || len(c.Arguments) != 1 {
		return c.Children
	}
	words := []Item{}
	for _, value := range valuesFrom(c.Arguments[0]) {
		words = append(words, Item{Name: value})
	}
	return words
}

// steps returns the patterns "path word" of all commands below the program.
func (m *Manual) steps() (steps []Item) {
	for _, c := range m.Commands {
		for _, child := range c.Children {
			steps = append(steps, Item{c.Path + " " + child.Name, strings.TrimSpace(c.Path + " " + child.Name)})
		}
	}
	return steps
}

// quoted returns text between single quotes, for bash and zsh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// described returns words with their help as _describe of zsh takes them.
func described(items []Item) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = quoted(strings.ReplaceAll(item.Name, ":", `\:`) + ":" + item.Help)
	}
	return strings.Join(words, " ")
}

// fishQuoted returns text between single quotes, for fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
