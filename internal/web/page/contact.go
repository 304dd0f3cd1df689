package page

import (
	"regexp"

	"github.com/dropyard/dropyard/internal/delivery"
)

// americanPhone is a number of the North American plan in E.164 form.
var americanPhone = regexp.MustCompile(`^\+1([2-9][0-9]{2})([2-9][0-9]{2})([0-9]{4})$`)

// phone returns a number as people in Canada read it: 514 555-0100. Those of other countries
// stay as they are.
func phone(number string) string { return americanPhone.ReplaceAllString(number, "$1 $2-$3") }

// postal returns a Canadian postal code as Canada Post writes it, whatever was typed: H2X 1Y4.
func postal(code string) string {
	const half = 3
	if code = delivery.NormalPostalCode(code); len(code) == 2*half {
		return code[:half] + " " + code[half:]
	}
	return code
}
