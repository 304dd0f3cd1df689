package board

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// unfolded replaces what Unicode does not decompose, and the signs that join words.
var unfolded = strings.NewReplacer("œ", "oe", "æ", "ae", "-", " ", "\u2010", " ", "\u2011", " ", "\u2012", " ",
	"\u2013", " ", "'", " ", "’", " ")

// Fold returns a text as searches compare names and streets: cases, accents, hyphens and
// apostrophes make no difference. plain.js does the same in browsers.
func Fold(text string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return unfolded.Replace(strings.ToLower(letters))
}
