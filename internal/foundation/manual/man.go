package manual

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Page returns the manual page of section 1, in the macros of man(7), with the date.
func (m *Manual) Page(date time.Time) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH %s 1 %s "%s %s" "User Commands"`, strings.ToUpper(m.Name), date.Format(time.DateOnly), m.Name,
		roff(m.Version))
	line(".SH NAME\n%s \\- %s", m.Name, roff(strings.TrimSuffix(m.Summary, ".")))
	line(".SH SYNOPSIS\n.B %s\n.I command\n.RI [ flags ]", m.Name)
	line(".SH COMMANDS")
	for _, c := range m.Commands {
		if c.Leaf && c.Path != "" {
			m.manCommand(line, c)
		}
	}
	line(".SH FLAGS OF ALL COMMANDS")
	manFlags(line, m.Commands[0].Flags)
	for _, shared := range m.shared() {
		line(".SH %s FLAGS", strings.ToUpper(shared.name))
		manFlags(line, shared.flags)
	}
	for _, s := range m.Sections {
		line(".SH %s", strings.ToUpper(s.Title))
		if s.Text != "" {
			line("%s", filled(s.Text))
		}
		for _, item := range s.Items {
			line(".TP\n.B %s\n%s", roff(item.Name), filled(item.Help))
		}
	}
	return b.String()
}

func (m *Manual) manCommand(line func(string, ...any), c *Command) {
	line(".SS %s %s\n%s", m.Name, roff(c.Usage()), filled(c.Help))
	for _, argument := range c.Arguments {
		line(".TP\n.I %s\n%s", roff(argument.Name), filled(argument.Help))
	}
	own, groups := []Flag{}, []string{}
	for _, flag := range c.Flags {
		if flag.Group == "" {
			own = append(own, flag)
		} else if name := strings.ToLower(flag.Group); !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	manFlags(line, own)
	if len(groups) > 0 {
		line(".P\nAlso: %s flags, see below.", strings.Join(groups, " and "))
	}
}

func manFlags(line func(string, ...any), flags []Flag) {
	for _, flag := range flags {
		line(".TP\n.B %s\n%s", roff(flag.Label()), filled(flag.Explanation()))
	}
}

// filled returns text for roff on lines of at most 80 bytes, which is what mandoc -Tlint wants.
func filled(text string) string {
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		word = roff(word)
		switch {
		case length == 0:
		case length+1+len(word) > 80:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}

// roff returns text in which roff finds no requests and no escapes of its own.
func roff(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	if strings.HasPrefix(b.String(), ".") {
		return `\&` + b.String()
	}
	return b.String()
}
