package barcode

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Layout is what the keys of a keyboard type, in the order of the keys of keyboards of the
// United States. A space stands for a key that types nothing.
type Layout struct {
	Name           string
	Plain, Shifted string
}

// Layouts are the layouts of computers that scanners are used with. A scanner presses the keys
// that type a code in the first one.
var Layouts = []Layout{
	{
		"United States", "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./",
		"~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:\"ZXCVBNM<>?",
	},
	{
		"Canadian French", "#1234567890-=qwertyuiop^¸<asdfghjkl;`zxcvbnm,.é",
		"|!\"/$%?&*()_+QWERTYUIOP^¨>ASDFGHJKL:`ZXCVBNM'.É",
	},
	{
		"Canadian Multilingual Standard", "/1234567890-=qwertyuiop^çàasdfghjkl;èzxcvbnm,.é",
		"\\!@#$%?&*()_+QWERTYUIOP¨ÇÀASDFGHJKL:ÈZXCVBNM'\"É",
	},
}

// dead are the keys that type nothing until the next one, by the accents that they put on it.
var dead = map[rune]rune{'\u0302': '^', '\u0308': '¨', '\u0327': '¸', '\u0300': '`'}

// undo returns what a scanner meant if it was typed in this layout, with Caps Lock or without.
func (l Layout) undo(text string, caps bool) string {
	keys := l.keys(caps)
	var meant strings.Builder
	for _, letter := range text {
		if key, ok := keys[letter]; ok {
			meant.WriteRune(key)
			continue
		}
		parts := []rune(norm.NFD.String(string(letter)))
		accent, ok := rune(0), len(parts) == 2
		if ok {
			accent, ok = dead[parts[1]]
		}
		if first, typed := keys[accent]; ok && typed {
			meant.WriteRune(first)
			letter = parts[0]
		}
		if key, ok := keys[letter]; ok {
			letter = key
		}
		meant.WriteRune(letter)
	}
	return meant.String()
}

// keys returns the characters that a scanner meant, by what this layout types for them. Where
// several keys type the same, it is the first one.
func (l Layout) keys(caps bool) map[rune]rune {
	meant := map[rune]rune{}
	add := func(typed, key rune) {
		if _, known := meant[typed]; !known && typed != ' ' {
			meant[typed] = key
		}
	}
	plain, shifted := []rune(l.Plain), []rune(l.Shifted)
	plainKeys, shiftedKeys := []rune(Layouts[0].Plain), []rune(Layouts[0].Shifted)
	for i := range plain {
		if caps && unicode.ToUpper(plain[i]) == shifted[i] && plain[i] != shifted[i] {
			plain[i], shifted[i] = shifted[i], plain[i]
		}
		add(plain[i], plainKeys[i])
	}
	for i := range shifted {
		add(shifted[i], shiftedKeys[i])
	}
	return meant
}
