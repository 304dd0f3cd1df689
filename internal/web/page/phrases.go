package page

import (
	_ "embed" // for the files of phrases
	"fmt"
	"github.com/dropyard/dropyard/internal/delivery"
	"html"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/message"
)

//go:embed phrases/en.properties
var englishPhrases string

//go:embed phrases/fr.properties
var frenchPhrases string

// phrasebook has the texts of all pages in a language, by key.
type phrasebook map[string]string

var english, french = readPhrases(englishPhrases), readPhrases(unbroken.Replace(frenchPhrases))

// phrases returns the texts of all pages in a language.
func (l Language) phrases() phrasebook {
	if l == French {
		return french
	}
	return english
}

// readPhrases reads a file of phrases, whose head describes it. It panics if a line is not
// one of a phrase, or its key is there twice.
func readPhrases(file string) phrasebook {
	book := phrasebook{}
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		key, text, found := strings.Cut(line, " = ")
		if _, twice := book[key]; twice || !found {
			panic("page: not a new phrase: " + line)
		}
		book[key] = strings.TrimPrefix(text, `\`)
	}
	return book
}

// unbroken keeps lines of French from breaking before a sign that belongs to a word.
var unbroken = strings.NewReplacer(
	" :", "\u00a0:", " ;", "\u00a0;", " ?", "\u00a0?", " !", "\u00a0!", "« ", "«\u00a0", " »", "\u00a0»",
)

// Keys returns the keys of all phrases, sorted.
func Keys() []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(english)), maps.Keys(french))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Phrases returns all phrases whose keys begin with one of the prefixes, as they are in
// the phrasebook: with arguments in braces, and both forms of what depends on a number.
// The modules of islands fill them in.
func (l Language) Phrases(prefixes ...string) map[string]string {
	found := map[string]string{}
	for key, text := range l.phrases() {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			found[key] = text
		}
	}
	return found
}

// Has reports whether the phrasebook has a key.
func Has(key string) bool {
	_, known := english[key]
	return known
}

// Text returns a phrase, with its arguments given as pairs of name and value. It
// panics if there is no such phrase, because only the code of a page names one.
func (l Language) Text(key string, arguments ...any) string {
	return fill(l.phrase(key), arguments, textOf)
}

// Rich returns a phrase that has markup. The arguments become text, whatever they hold.
func (l Language) Rich(key string, arguments ...any) template.HTML {
	return template.HTML(fill(l.phrase(key), arguments,
		func(value any) string { return html.EscapeString(textOf(value)) }))
}

// Count returns the form of a phrase that fits the number n. One that says "one" in a word
// fits only 1, although French counts 0 as a singular.
func (l Language) Count(key string, n int, arguments ...any) string {
	one, many, _ := strings.Cut(l.phrase(key), "|")
	text := many
	if n == 1 || strings.Contains(one, "{n}") && plural.Cardinal.MatchPlural(tags[l], n, 0, 0, 0, 0) == plural.One {
		text = one
	}
	return fill(text, append(arguments, "n", l.Number(n)), textOf)
}

// Number returns a whole number with the separators of the language.
func (l Language) Number(n int) string {
	if 0 <= n && n < 1000 { // without separators, and much faster
		return strconv.Itoa(n)
	}
	return message.NewPrinter(tags[l]).Sprintf("%d", n)
}

// Signed returns a number with its sign, as a change is written: +3, −3, 0.
func (l Language) Signed(n int64) string {
	switch {
	case n > 0:
		return "+" + l.Number(int(n))
	case n < 0:
		return "−" + strings.TrimPrefix(l.Number(int(n)), "-")
	}
	return "0"
}

// Percent returns a part of a whole in percent, with one decimal. The whole must not be
// 0.
func (l Language) Percent(part, whole int64) string {
	text := message.NewPrinter(tags[l]).Sprintf("%.1f", float64(part)*100/float64(whole))
	if l == French {
		return text + "\u00a0%"
	}
	return text + "%"
}

// Share is Percent with one decimal, and a dash if the whole is 0.
func (l Language) Share(part, whole int64) string {
	if whole == 0 {
		return "–"
	}
	return l.Percent(part, whole)
}

// Bytes returns a size in bytes, rounded to a unit of thousands: 12 GB, 12 Go.
func (l Language) Bytes(n int64) string {
	units := []string{"bytes.one", "bytes.kilo", "bytes.mega", "bytes.giga", "bytes.tera"}
	unit := 0
	for n >= 10_000 && unit < len(units)-1 {
		n, unit = (n+500)/1000, unit+1
	}
	return l.Text(units[unit], "n", l.Number(int(n)))
}

// Money returns an amount with its currency, unless that is the usual one.
func (l Language) Money(cents int64, currency delivery.Currency) string {
	text := l.Dollars(cents)
	if currency != delivery.CAD {
		text += " " + string(currency)
	}
	return text
}

// Dollars returns an amount of Canadian cents.
func (l Language) Dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "−", -cents
	}
	whole, rest := message.NewPrinter(tags[l]).Sprintf("%d", cents/100), fmt.Sprintf("%02d", cents%100)
	if l == French {
		return sign + whole + "," + rest + "\u00a0$"
	}
	return sign + "$" + whole + "." + rest
}

func (l Language) phrase(key string) string {
	text, known := l.phrases()[key]
	if !known {
		panic("page: there is no phrase " + strconv.Quote(key))
	}
	return text
}

// fill replaces the arguments of a text in one pass, so that what an argument holds is
// not taken for another argument.
func fill(text string, arguments []any, write func(any) string) string {
	if len(arguments) == 0 {
		return text
	}
	var filled strings.Builder
	for {
		before, rest, more := strings.Cut(text, "{")
		filled.WriteString(before)
		if !more {
			return filled.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		if value, known := argumentOf(arguments, name); known {
			filled.WriteString(write(value))
			text = after
		} else {
			filled.WriteByte('{')
			text = rest
		}
	}
}

// argumentOf returns the value of an argument by its name.
func argumentOf(arguments []any, name string) (value any, known bool) {
	for i := 0; i+1 < len(arguments); i += 2 {
		if arguments[i] == name {
			return arguments[i+1], true
		}
	}
	return nil, false
}

// textOf returns a value as text.
func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return fmt.Sprint(value)
}
