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
	const area = 3
	code := NormalPostalCode(a.PostalCode)
	if len(code) < area || a.Province == "" {
		return false
	}
	provinces := provincesOfPostalCode[code[:area]]
	if provinces == nil {
		provinces = provincesOfPostalCode[code[:1]]
	}
	return provinces != nil && !slices.Contains(provinces, a.Province)
}

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

// namesPostBox matches a line with postBoxForm, if it has one of the letters that all of its
// alternatives have: most lines are a number and a street.
func namesPostBox(line string) bool {
	return strings.ContainsAny(line, "pPxXyY") && postBoxForm.MatchString(line)
}

// reservedDomains are the top-level domains that are reserved for examples and tests (RFC 2606):
// an address that has one is meant.
var reservedDomains = []string{"example", "test"}

// deliverable reports whether the domain of an e-mail address can exist: its last part is a
// top-level domain.
func deliverable(email string) bool {
	_, domain, _ := strings.Cut(strings.ToLower(email), "@")
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if slices.Contains(reservedDomains, last) {
		return true
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
