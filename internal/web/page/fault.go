package page

import (
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// requiredIfEmpty are the codes of rules of which an empty field learns only that it is
// required: what else they say is of no use before there is a value.
var requiredIfEmpty = map[string]bool{
	"text_length": true, "text_from_one": true, "text_at_most": true, "own_name": true, "one_of": true,
	"decimal": true, "date_time": true, "true_or_false": true, "known_password": true, "courier_of_role": true,
}

// FaultText returns what a field must hold, in the reader's language: the phrase that has
// the code of the rule.
func FaultText(problem form.Problem, l Language) string {
	code := problem.Rule.Code()
	switch {
	case code == "":
		return problem.Expected // of a problem that was decoded
	case requiredIfEmpty[code] && (problem.Value == nil || problem.Value == ""):
		return l.Text("fault.required")
	}
	arguments := slices.Clone(problem.Rule.Arguments())
	for i := 0; i+1 < len(arguments); i += 2 {
		arguments[i+1] = l.argument(arguments[i], arguments[i+1])
	}
	return l.Text("fault."+code, arguments...)
}

// named are the arguments of rules whose words have names in the phrasebook, with the
// first part of their keys.
var named = map[any]string{"levels": "level."}

// argument returns an argument of a rule as the language writes it.
func (l Language) argument(name, value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []string:
		words := slices.Clone(value)
		for i, word := range words {
			if first, ok := named[name]; ok {
				words[i] = l.Text(first + word)
			}
		}
		return strings.Join(words, ", ")
	default:
		return l.LocalNumber(form.ArgumentText(value))
	}
}
