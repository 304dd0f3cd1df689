package form

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Rule says what a field must hold: a code, by which pages find their phrase, and the
// arguments that its text names. Its text in English is what answers of the API report as
// expected. The zero Rule is that of a problem that was decoded, and has neither.
type Rule struct {
	text *ruleText
	// arguments are pairs of name and value; nil without any. The pointer lets problems be
	// compared.
	arguments *[]any
}

// ruleText is what all rules with a code have in common.
type ruleText struct {
	code    string
	english string // {name} stands for an argument
}

var (
	defining sync.Mutex // guards defined
	defined  = map[string]*ruleText{}
)

// Define declares a rule: its code, and its text in English, which fits behind the word
// "expected" and in which {name} stands for an argument. A rule is declared once, as a
// variable of the package that it belongs to: Define panics if the code is in use. The
// phrases of pages for it are those of "fault." and the code.
func Define(code, english string) Rule {
	defining.Lock()
	defer defining.Unlock()
	if defined[code] != nil {
		panic("form: the rule " + code + " is defined twice")
	}
	defined[code] = &ruleText{code: code, english: english}
	return Rule{text: defined[code]}
}

// Rules returns all rules of the program, without arguments, by code.
func Rules() []Rule {
	defining.Lock()
	defer defining.Unlock()
	rules := make([]Rule, 0, len(defined))
	for _, text := range defined {
		rules = append(rules, Rule{text: text})
	}
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Compare(a.text.code, b.text.code) })
	return rules
}

// With returns the rule with arguments, given as pairs of name and value. A value is a
// text, a list of texts, or a number, which pages write as their language does.
func (r Rule) With(arguments ...any) Rule { return Rule{text: r.text, arguments: &arguments} }

// Code returns the code of the rule; empty for the zero Rule.
func (r Rule) Code() string {
	if r.text == nil {
		return ""
	}
	return r.text.code
}

// Arguments returns the arguments as pairs of name and value. The caller must not change
// them.
func (r Rule) Arguments() []any {
	if r.arguments == nil {
		return nil
	}
	return *r.arguments
}

// Expected returns the rule in English, as answers of the API report it. It formats the
// arguments, so it is called for faults only.
func (r Rule) Expected() string {
	arguments := r.Arguments()
	if len(arguments) == 0 {
		return r.English()
	}
	pairs := make([]string, len(arguments))
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i], pairs[i+1] = "{"+ArgumentText(arguments[i])+"}", ArgumentText(arguments[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(r.English())
}

// English returns the text in English with the names of its arguments in braces.
func (r Rule) English() string {
	if r.text == nil {
		return ""
	}
	return r.text.english
}

// ArgumentText returns an argument of a rule as text, and a number with all of its digits:
// 1000000000, not 1e+09.
func ArgumentText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []string:
		return strings.Join(value, ", ")
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	default:
		return fmt.Sprint(value)
	}
}

// The rules of what forms read.
var (
	jsonObject      = Define("json_object", "a JSON object")
	noSuchMember    = Define("no_such_member", "no such member")
	textLength      = Define("text_length", "a string of {least} to {most} characters, without NUL")
	textFromOne     = Define("text_from_one", "a string of 1 to {most} characters, without NUL")
	textAtMost      = Define("text_at_most", "a string of at most {most} characters, without NUL")
	oneOf           = Define("one_of", "one of {choices}")
	decimal         = Define("decimal", "a number from {least} to {most}")
	integer         = Define("integer", "an integer from {least} to {most}")
	dateTime        = Define("date_time", "an RFC 3339 date-time with offset, from 1970 on")
	object          = Define("object", "an object")
	objectSize      = Define("object_size", "an object of at most {most} bytes")
	objects         = Define("objects", "an array of {least} to {most} objects")
	elements        = Define("elements", "an array of {least} to {most} elements")
	elementsFromOne = Define("elements_from_one", "an array of 1 to {most} elements")
)

// TrueOrFalse is the rule for flags.
var TrueOrFalse = Define("true_or_false", "true or false")

// IntegerFrom is the rule for whole numbers from least to most.
func IntegerFrom(least, most int64) Rule { return integer.With("least", least, "most", most) }
