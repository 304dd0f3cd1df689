// Package manual makes the documentation of a command line from its model: the manual page,
// the reference in Markdown, and the scripts that complete commands in shells.
package manual

import (
	"cmp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Manual is a command line, and what its model does not say.
type Manual struct {
	Name     string // of the program
	Version  string
	Summary  string // one line
	Commands []*Command
	Sections []Section // after the commands
	// Elsewhere says where the flags of commands are explained that the reference in
	// Markdown leaves out, by the commands' paths.
	Elsewhere map[string]string
}

// Section is a titled part of the manual.
type Section struct {
	Title string
	Text  string // before the items; may be empty
	Items []Item
}

// Item is something that a section explains.
type Item struct{ Name, Help string }

// Command is a command, or the program itself, whose path is empty.
type Command struct {
	Path      string // such as "orders list"
	Group     string // of the commands of the first level
	Help      string
	Arguments []*kong.Positional
	Flags     []Flag
	Children  []Item // the subcommands, by their last names
	Leaf      bool   // it does something itself
	Default   string // path of the subcommand that it runs without one; empty if it needs one
}

// Flag is a flag of a command.
type Flag struct {
	Name        string // with its hyphens
	Short       string // with its hyphen; empty if there is none
	Help        string
	Placeholder string // empty for a flag without a value
	Values      []string
	Environment []string
	Group       string
	Required    bool
	Negatable   bool
	Instead     string // the name of a group of flags of which one can be given; empty for other flags
}

// New reads the model of a command line. Hidden commands and flags are left out.
func New(app *kong.Application, version string) *Manual {
	m := &Manual{Name: app.Name, Version: version, Summary: app.Help}
	m.add(app.Node)
	return m
}

func (m *Manual) add(node *kong.Node) {
	c := &Command{Path: pathOf(node), Help: node.Help, Arguments: node.Positional}
	c.Leaf = node.Leaf() || node.DefaultCmd != nil
	if node.DefaultCmd != nil {
		c.Default = pathOf(node.DefaultCmd)
	}
	m.Commands = append(m.Commands, c)
	if node.Group != nil {
		c.Group = strings.TrimSuffix(node.Group.Title, ":")
	}
	for _, flag := range flagsOf(node) {
		c.Flags = append(c.Flags, describeFlag(flag))
	}
	for _, child := range node.Children {
		if !child.Hidden {
			c.Children = append(c.Children, Item{child.Name, child.Help})
			m.add(child)
		}
	}
}

// pathOf returns the names of a command and those that it belongs to.
func pathOf(node *kong.Node) string {
	if node.Parent == nil {
		return ""
	}
	return strings.TrimSpace(pathOf(node.Parent) + " " + node.Name)
}

// flagsOf returns the flags of a command, and those of the one that it runs by default.
func flagsOf(node *kong.Node) (flags []*kong.Flag) {
	for _, flag := range node.Flags {
		if !flag.Hidden && (flag.Name != "help" || node.Parent == nil) {
			flags = append(flags, flag)
		}
	}
	if node.DefaultCmd != nil {
		flags = append(flags, flagsOf(node.DefaultCmd)...)
	}
	return flags
}

func describeFlag(flag *kong.Flag) Flag {
	f := Flag{
		Name: "--" + flag.Name, Help: flag.Help, Environment: flag.Envs, Required: flag.Required,
		Negatable: flag.Tag != nil && flag.Tag.Negatable != "",
	}
	if len(flag.Xor) > 0 {
		f.Instead = flag.Xor[0]
	}
	if flag.Short != 0 {
		f.Short = "-" + string(flag.Short)
	}
	if flag.Group != nil {
		f.Group = flag.Group.Title
	}
	if !takesValue(flag) {
		return f
	}
	f.Values = valuesFrom(flag.Value)
	f.Placeholder = cmp.Or(flag.PlaceHolder, strings.Join(f.Values, "|"), strings.ToUpper(flag.Name))
	if flag.HasDefault && flag.Default != "" && !strings.Contains(f.Help, "Default:") {
		f.Help += " Default: " + flag.Default + "."
	}
	return f
}

// valuesFrom returns the values that a flag or argument may have; none if any.
func valuesFrom(value *kong.Value) []string {
	return slices.DeleteFunc(value.EnumSlice(), func(one string) bool { return one == "" })
}

func takesValue(flag *kong.Flag) bool {
	return !flag.IsBool() && !flag.IsCounter() && flag.Name != "help"
}

// Usage returns a command with its arguments, such as "orders get <order-id> [flags]".
func (c *Command) Usage() string {
	words := strings.Fields(c.Path)
	last := "" // the group of the flag before
	for _, flag := range c.Flags {
		if !flag.Required {
			continue
		}
		word := flag.Name + "=" + flag.Placeholder
		if last != "" && flag.Instead == last {
			words[len(words)-1] += "|" + word
			continue
		}
		words, last = append(words, word), flag.Instead
	}
	for _, argument := range c.Arguments {
		word := "<" + argument.Name + ">"
		if argument.IsSlice() {
			word += " ..."
		}
		if !argument.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	if len(c.Children) > 0 && c.Path == "" {
		words = append(words, "<command>")
	}
	return strings.Join(append(words, "[flags]"), " ")
}

// Label returns a flag with its value, such as "-n, --limit=N".
func (f *Flag) Label() string {
	label := f.Name
	if f.Negatable {
		label = "--[no-]" + strings.TrimPrefix(f.Name, "--")
	}
	if f.Placeholder != "" {
		label += "=" + f.Placeholder
	}
	if f.Short != "" {
		label = f.Short + ", " + label
	}
	return label
}

// Explanation returns the help of a flag, with its variables of the environment.
func (f *Flag) Explanation() string {
	if len(f.Environment) == 0 {
		return f.Help
	}
	return f.Help + " ($" + strings.Join(f.Environment, ", $") + ")"
}
