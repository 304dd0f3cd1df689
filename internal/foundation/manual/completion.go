package manual

import (
	"fmt"
	"slices"
	"strings"
)

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
	for _, value := range c.Arguments[0].Values {
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

// Bash returns the script for bash 4 and later. What it does not know, such as the names
// of files, bash completes by itself.
func (m *Manual) Bash() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Completion of %s for bash. Load it with: source <(%s completion bash)", m.Name, m.Name)
	line("_%s() {", m.Name)
	line(`	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} place="" i`)
	line(`	COMPREPLY=()`)
	line("	# --flag=value arrives as three words.")
	line(`	if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi`)
	line("	for ((i = 1; i < COMP_CWORD; i++)); do")
	line(`		case "${COMP_WORDS[i]}" in`)
	line("		%s)", strings.Join(m.valueFlags(), "|"))
	line(`			((i++))`)
	line(`			if [[ ${COMP_WORDS[i]} == "=" ]]; then ((i++)); fi`)
	line("			continue ;;")
	line("		esac")
	line(`		case "$place ${COMP_WORDS[i]}" in`)
	for _, step := range m.steps() {
		line("		%s) place=%s ;;", quoted(step.Name), quoted(step.Help))
	}
	line("		esac")
	line("	done")
	line(`	local flags="" commands="" values=""`)
	line(`	case "$place" in`)
	for _, c := range m.Commands {
		line("	%s)", quoted(c.Path))
		line("		flags=%s", quoted(namesOf(flagWords(c.Flags))))
		if words := c.words(); len(words) > 0 {
			line("		commands=%s", quoted(namesOf(words)))
		}
		if values := valuesOf(c.Flags); len(values) > 0 {
			line(`		case "$prev" in`)
			for _, value := range values {
				line("		%s) values=%s ;;", value.Name, quoted(value.Help))
			}
			line("		esac")
		}
		line("		;;")
	}
	line("	esac")
	line(`	if [[ -n $values ]]; then`)
	line(`		COMPREPLY=($(compgen -W "$values" -- "$cur"))`)
	line("		return")
	line("	fi")
	line(`	case "$prev" in`)
	line("	%s) return ;;", strings.Join(m.valueFlags(), "|"))
	line("	esac")
	line(`	if [[ $cur == -* ]]; then`)
	line(`		COMPREPLY=($(compgen -W "$flags" -- "$cur"))`)
	line(`	elif [[ -n $commands ]]; then`)
	line(`		COMPREPLY=($(compgen -W "$commands" -- "$cur"))`)
	line("	fi")
	line("}")
	line("complete -o default -F _%s %s", m.Name, m.Name)
	return b.String()
}

// quoted returns text between single quotes, for bash and zsh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Zsh returns the script for zsh. It can be loaded, or lie in a folder of fpath.
func (m *Manual) Zsh() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#compdef %s", m.Name)
	line("# Completion of %s for zsh. Load it with: source <(%s completion zsh)", m.Name, m.Name)
	line("_%s() {", m.Name)
	line("	local place=''")
	line("	local -a flags commands")
	line("	integer i")
	line("	for ((i = 2; i < CURRENT; i++)); do")
	line("		case ${words[i]} in")
	line("		(%s) ((i++)); continue ;;", strings.Join(m.valueFlags(), "|"))
	line("		esac")
	line(`		case "$place ${words[i]}" in`)
	for _, step := range m.steps() {
		line("		(%s) place=%s ;;", quoted(step.Name), quoted(step.Help))
	}
	line("		esac")
	line("	done")
	line("	case $place in")
	for _, c := range m.Commands {
		line("	(%s)", quoted(c.Path))
		if values := valuesOf(c.Flags); len(values) > 0 {
			line("		case ${words[CURRENT-1]} in")
			for _, value := range values {
				line("		(%s) compadd -- %s; return ;;", value.Name, value.Help)
			}
			line("		esac")
		}
		line("		flags=(%s)", described(flagWords(c.Flags)))
		line("		commands=(%s)", described(c.words()))
		line("		;;")
	}
	line("	esac")
	line("	case ${words[CURRENT-1]} in")
	line("	(%s) _files; return ;;", strings.Join(m.valueFlags(), "|"))
	line("	esac")
	line("	if [[ ${words[CURRENT]} == -* ]]; then")
	line("		_describe -o flag flags")
	line("	elif (( $#commands )); then")
	line("		_describe command commands")
	line("	else")
	line("		_files")
	line("	fi")
	line("}")
	line(`if [[ ${funcstack[1]} == _%s ]]; then`, m.Name)
	line(`	_%s "$@"`, m.Name)
	line("else")
	line("	compdef _%s %s", m.Name, m.Name)
	line("fi")
	return b.String()
}

// described returns words with their help as _describe of zsh takes them.
func described(items []Item) string {
	words := make([]string, len(items))
	for i, item := range items {
		words[i] = quoted(strings.ReplaceAll(item.Name, ":", `\:`) + ":" + item.Help)
	}
	return strings.Join(words, " ")
}

// Fish returns the script for fish.
func (m *Manual) Fish() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Completion of %s for fish. Load it with: %s completion fish | source", m.Name, m.Name)
	line("function __%s_at", m.Name)
	line("	set -l place ''")
	line("	set -l words (commandline -opc)[2..-1]")
	line("	set -l skip 0")
	line("	for word in $words")
	line("		if test $skip = 1")
	line("			set skip 0")
	line("			continue")
	line("		end")
	line("		switch $word")
	line("			case %s", strings.Join(m.valueFlags(), " "))
	line("				set skip 1")
	line("				continue")
	line("		end")
	line(`		switch "$place $word"`)
	for _, step := range m.steps() {
		line("			case %s", fishQuoted(step.Name))
		line("				set place %s", fishQuoted(step.Help))
	}
	line("		end")
	line("	end")
	line(`	test "$place" = "$argv[1]"`)
	line("end")
	for _, c := range m.Commands {
		at := fmt.Sprintf("complete -c %s -n %s", m.Name, fishQuoted(fmt.Sprintf(`__%s_at %s`, m.Name, fishQuoted(c.Path))))
		for _, child := range c.words() {
			line("%s -f -a %s -d %s", at, child.Name, fishQuoted(child.Help))
		}
		for _, flag := range c.Flags {
			options := " -l " + strings.TrimPrefix(flag.Name, "--")
			if flag.Short != "" {
				options += " -s " + strings.TrimPrefix(flag.Short, "-")
			}
			switch {
			case len(flag.Values) > 0:
				options += " -x -a " + fishQuoted(strings.Join(flag.Values, " "))
			case flag.Placeholder != "":
				options += " -r"
			}
			line("%s%s -d %s", at, options, fishQuoted(flag.Help))
		}
	}
	return b.String()
}

// fishQuoted returns text between single quotes, for fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
