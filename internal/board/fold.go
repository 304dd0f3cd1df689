package board

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text as searches compare names and streets: cases, accents, hyphens and
// apostrophes make no difference. plain.js does the same in browsers.
func Fold(text string) string { return string(appendFolded(nil, text)) }

// appendFolded appends what Fold returns. Each new order has four texts to fold.
func appendFolded(b []byte, text string) []byte {
	if !ascii(text) {
		text = norm.NFD.String(text)
	}
	b = slices.Grow(b, len(text))
	for _, r := range text {
		switch r = unicode.ToLower(r); r {
		case '-', '\u2010', '\u2011', '\u2012', '\u2013', '\'', '’': // they join words
			b = append(b, ' ')
		case 'œ': // which Unicode does not decompose
			b = append(b, "oe"...)
		case 'æ':
			b = append(b, "ae"...)
		default:
			if r < utf8.RuneSelf || !unicode.Is(unicode.M, r) {
				b = utf8.AppendRune(b, r)
			}
		}
	}
	return b
}

// appendLower appends a text in lower case.
func appendLower(b []byte, text string) []byte {
	if !ascii(text) {
		return append(b, strings.ToLower(text)...)
	}
	for i := range len(text) {
		letter := text[i]
		if 'A' <= letter && letter <= 'Z' {
			letter += 'a' - 'A'
		}
		b = append(b, letter)
	}
	return b
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
