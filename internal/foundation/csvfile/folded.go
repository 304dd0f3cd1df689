package csvfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Folded returns a title without what differs between people and programs: case, accents, blanks, punctuation.
func Folded(title string) string {
	var name strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(title)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			name.WriteRune(r)
		}
	}
	return name.String()
}
