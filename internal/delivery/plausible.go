package delivery

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/net/publicsuffix"
)

// provincesOfPostalCode holds the provinces of a postal code, by how it begins; the longest
// beginning counts. Federal offices in Gatineau have postal codes of Ottawa.
var provincesOfPostalCode = map[string][]string{
	"A": {"NL"}, "B": {"NS"}, "C": {"PE"}, "E": {"NB"},
	"G": {"QC"}, "H": {"QC"}, "J": {"QC"},
	"K": {"ON"}, "L": {"ON"}, "M": {"ON"}, "N": {"ON"}, "P": {"ON"}, "K1A": {"ON", "QC"},
	"R": {"MB"}, "S": {"SK"}, "T": {"AB"}, "V": {"BC"}, "Y": {"YT"},
	"X": {"NT", "NU"}, "X0A": {"NU"}, "X0B": {"NU"}, "X0C": {"NU"}, "X0E": {"NT"}, "X0G": {"NT"}, "X1A": {"NT"},
}

// disagrees reports whether an address has a postal code of other provinces than its own.
func (a *Address) disagrees() bool {
	area := PostalArea(a.PostalCode)
	if len(area) < areaLength || a.Province == "" {
		return false
	}
	provinces := provincesOf(area)
	return provinces != nil && !slices.Contains(provinces, a.Province)
}

func provincesOf(area string) []string {
	if provinces := provincesOfPostalCode[area]; provinces != nil {
		return provinces
	}
	return provincesOfPostalCode[area[:1]]
}

// PostalProvince returns the province in which most addresses of a valid postal code are.
func PostalProvince(code string) string { return provincesOf(PostalArea(code))[0] }

// postBoxForm matches lines that name a post office box, or mail that is kept at a post office, in
// English and French.
var postBoxForm = regexp.MustCompile(`(?i)\b(?:p\.? ?o\.? ?box|post(?:al)? (?:office )?box|general delivery|` +
	`case postale|bo[iî]te postale|casier postal|poste restante|(?:c\.? ?p\.?|b\.? ?p\.?) ?\d+)|^\s*box \d+`)

// postBoxLine returns the name of the line of an address that is a post office box; empty if
// none is.
func (a *Address) postBoxLine() string {
	switch {
	case namesPostBox(a.Line1):
		return "line1"
	case namesPostBox(a.Line2):
		return "line2"
	}
	return ""
}

// namesPostBox matches a line with postBoxForm, if it has a part that one of the alternatives
// must have: most lines are a number and a street.
func namesPostBox(line string) bool { return hintsPostBox(line) && postBoxForm.MatchString(line) }

// hintsPostBox reports whether a line has "box", "delivery", "postal" or "restante", in any case,
// or "cp" or "bp" before a number. A line with a long s, which regular expressions take for an s, may
// have any of them.
func hintsPostBox(line string) bool {
	for i := range len(line) {
		switch before := line[:i]; line[i] {
		case 'x', 'X':
			if endsIn(before, "bo") {
				return true
			}
		case 'y', 'Y':
			if endsIn(before, "deliver") {
				return true
			}
		case 'l', 'L':
			if endsIn(before, "posta") {
				return true
			}
		case 'e', 'E':
			if endsIn(before, "restant") {
				return true
			}
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if initials := closed(before); endsIn(initials, "p") {
				first := closed(initials[:len(initials)-1])
				if endsIn(first, "c") || endsIn(first, "b") {
					return true
				}
			}
		case longS[0]:
			if strings.HasPrefix(line[i:], longS) {
				return true
			}
		}
	}
	return false
}

const longS = "ſ"

// closed returns a text without the point and the blank after an initial.
func closed(text string) string { return strings.TrimSuffix(strings.TrimSuffix(text, " "), ".") }

// endsIn reports whether a text ends in a word in small letters, in any case.
func endsIn(text, word string) bool {
	start := len(text) - len(word)
	if start < 0 {
		return false
	}
	for i := range len(word) {
		if text[start+i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

// reservedDomains are the top-level domains that are reserved for examples and tests (RFC 2606):
// an address that has one is meant.
var reservedDomains = []string{"example", "test"}

// commonDomains are the top-level domains of most addresses.
var commonDomains = []string{"com", "ca", "net", "org"}

// deliverable reports whether the domain of an e-mail address can exist: its last part is a
// top-level domain.
func deliverable(email string) bool {
	_, domain, _ := strings.Cut(strings.ToLower(email), "@")
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	switch {
	case slices.Contains(reservedDomains, last):
		return true
	case slices.Contains(commonDomains, last): // the list takes longer than all other checks
		return last != domain
	}
	suffix, managed := publicsuffix.PublicSuffix(domain) // of an address of four numbers, all of it
	return last != domain && strings.ContainsAny(last, "abcdefghijklmnopqrstuvwxyz") &&
		(managed || strings.Contains(suffix, "."))
}

// dialable reports whether a phone number has a length that numbers of its country have.
func dialable(number string) bool {
	// nearly all; the library takes longer than the rest of a creation
	if northAmerican, ok := strings.CutPrefix(number, "+1"); ok {
		return len(northAmerican) == 10
	}
	parsed, err := phonenumbers.Parse(number, "")
	return err == nil && phonenumbers.IsPossibleNumber(parsed)
}
