package form

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// NotBlank allows texts of which something can be seen.
var NotBlank = TextRule{
	Rule:   Define("not_blank", "a text that is not blank"),
	Allows: func(s string) bool { return strings.ContainsFunc(s, visible) },
}

// NoOuterSpace allows texts that begin and end with a character that can be seen. It is for
// what identifies something: people cannot tell "A" from "A ".
var NoOuterSpace = TextRule{
	Rule: Define("no_outer_space", "a text that does not begin or end with white space"),
	Allows: func(s string) bool {
		first, _ := utf8.DecodeRuneInString(s)
		last, _ := utf8.DecodeLastRuneInString(s)
		return s == "" || !blank(first) && !blank(last)
	},
}

// OneLine allows texts that do not break a line, control a terminal, or change the direction of the text after them
// (Unicode's UAX 9).
var OneLine = TextRule{
	Rule: Define("one_line", "a text on one line, without control characters and changes of direction"),
	Allows: func(s string) bool {
		return !strings.ContainsFunc(s, func(r rune) bool {
			return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
		})
	},
}

// brailleBlank is a space that Unicode counts among the symbols.
const brailleBlank = '\u2800'

// blank reports whether a character leaves the paper white: white space, control characters
// and characters of no width.
func blank(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || r == 0x7f
	}
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == brailleBlank ||
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func visible(r rune) bool { return !blank(r) }
