package page

import (
	"regexp"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// longest fits what a text that is too long must be.
var longest = regexp.MustCompile(`^a string of (?:at most|[0-9]+ to) ([0-9]+) characters`)

// beginnings are the phrases for what a field must hold, by how that begins.
var beginnings = map[string]string{
	"an e-mail address": "fault.email", "a phone number": "fault.phone", "an https URL": "fault.url", "a Canadian postal code": "fault.postal",
	"a password of 8 to": "fault.password", "a password of 12 to": "fault.operator_password",
	"the current password": "fault.current_password", "the 6 digits": "fault.code",
	"an array of 1": "fault.choice", "an http or https URL": "fault.url", "a URL whose host": "fault.host", "a time such as": "fault.time",
	"a time of day": "fault.clock", "a time at most": "fault.occurred", "a date": "fault.date", "a courier": "fault.courier",
	"the id of an active courier": "fault.courier", "a name of 1 to 64 letters": "fault.name", "a rate card that exists": "fault.card",
	"the name of rate cards": "fault.card",
}

// expectations are the phrases for what a field with another value must hold. The named
// parts of a pattern are the arguments of the phrase.
var expectations = []struct {
	fits *regexp.Regexp
	key  string
}{
	{regexp.MustCompile(`^an integer from (?P<least>-?[0-9]+) to (?P<most>-?[0-9]+)$`), "fault.number"},
	{regexp.MustCompile(`^a number from (?P<least>-?[0-9.]+) to (?P<most>[0-9.]+)$`), "fault.decimal"},
	{regexp.MustCompile(`^a number with at most two decimals$`), "fault.cents"},
	{regexp.MustCompile(`^an integer that is not 0$`), "fault.nonzero"},
	{regexp.MustCompile(`^one of (?P<choices>.+)$`), "fault.one_of"},
	{regexp.MustCompile(`^an integer not less than stock_min$`), "fault.stock_max"},
	{regexp.MustCompile(`^a location other than location$`), "fault.same_location"},
	{regexp.MustCompile(`^the id of one of the partner's products$`), "fault.product"},
	{regexp.MustCompile(`^a quantity that keeps the product's stock within (?P<most>[0-9]+)$`), "fault.stock"},
	{regexp.MustCompile(`^a product_id as well`), "fault.import.ambiguous"},
	{regexp.MustCompile(`^a (?:barcode|product) other than that of line (?P<line>[0-9]+)$`), "fault.import.twice"},
	{regexp.MustCompile(`^no value for an existing product`), "fault.import.opening"},
	{regexp.MustCompile(`^(?P<cells>[0-9]+) cells, as line 1 has$`), "fault.import.cells"},
	{regexp.MustCompile(`^at most (?P<most>[0-9]+) products$`), "fault.import.most"},
	{regexp.MustCompile(`^columns separated by commas, each at most once, out of (?P<columns>.+)$`), "fault.import.columns"},
}

// FaultText returns what a field must hold, in the reader's language.
func FaultText(problem form.Problem, l Language) string {
	empty := problem.Value == nil || problem.Value == ""
	if most := longest.FindStringSubmatch(problem.Expected); most != nil && !empty {
		return l.Text("fault.length", "most", l.LocalNumber(most[1]))
	}
	for start, key := range beginnings {
		if strings.HasPrefix(problem.Expected, start) {
			return l.Text(key)
		}
	}
	for _, expectation := range expectations {
		anyway := expectation.key == "fault.number" || strings.HasPrefix(expectation.key, "fault.import.")
		found := expectation.fits.FindStringSubmatch(problem.Expected)
		if found == nil || empty && !anyway {
			continue
		}
		var arguments []any
		for i, name := range expectation.fits.SubexpNames()[1:] {
			value := found[i+1]
			if name == "least" || name == "most" {
				value = l.LocalNumber(value)
			}
			arguments = append(arguments, name, value)
		}
		return l.Text(expectation.key, arguments...)
	}
	if empty {
		return l.Text("fault.required")
	}
	return l.Text("fault.other", "expected", problem.Expected)
}
