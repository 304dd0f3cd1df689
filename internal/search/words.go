// Package search finds orders, those that have ended too, by what people know of them: a number, a name, a
// street, a city, a postal code, a phone number or an e-mail address. It makes the words of an order, which
// the store keeps in an index of the database, and fills that index behind the commits, so that a creation
// neither waits for it nor writes more.
package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
)

const (
	// longest is the length of the longest word, in bytes. What is longer is cut, in orders and in searches.
	longest = 48
	// mostWords bounds the words of an order, which may have hundreds of barcodes.
	mostWords = 200
	// mostSought bounds the words of a search.
	mostSought = 8
	// shortest is the length of the shortest word that is found by its beginning, and shortestNumber that of one
	// of digits only. Shorter ones begin too many.
	shortest, shortestNumber = 3, 5
)

// Words are what is searched for: an order is found if it has all of them. There are none if a text
// has neither letters nor digits; then nothing is found.
type Words []string

// ByBeginning reports whether a word is also found by its beginning.
func ByBeginning(word string) bool {
	if strings.ContainsFunc(word, unicode.IsLetter) {
		return utf8.RuneCountInString(word) >= shortest
	}
	return utf8.RuneCountInString(word) >= shortestNumber
}

// Of returns the words of an order, sorted, with a space between. They are personal data.
func Of(o *delivery.Order) string {
	var w words
	w.number(o.PartnerOrderID)
	w.number(o.Reference)
	w.party(&o.Dropoff)
	if o.Course.Origin != nil { // it begins at the recipient
		w.party(&o.Pickup)
	}
	for i := range o.Parcels {
		w.number(o.Parcels[i].Barcode)
	}
	slices.Sort(w.found)
	return strings.Join(slices.Compact(w.found), " ")
}

// Parse returns the words of a text that someone has typed. What has digits is a number, which signs do not
// divide: A-4 is not an A and a 4.
func Parse(text string) (sought Words) {
	if digits := board.PhoneDigits(text); digits != "" {
		return Words{cut(digits)}
	}
	for field := range strings.FieldsSeq(text) {
		found := pieces(board.Fold(field))
		switch {
		case strings.Contains(field, "@"):
			found = splitAll(found)
		case strings.ContainsFunc(field, unicode.IsNumber):
			found = []string{strings.Join(found, "")}
		}
		for _, word := range found {
			if word = cut(word); word != "" && !slices.Contains(sought, word) && len(sought) < mostSought {
				sought = append(sought, word)
			}
		}
	}
	return sought
}

type words struct{ found []string }

func (w *words) add(word string) {
	if word != "" && len(w.found) < mostWords {
		w.found = append(w.found, cut(word))
	}
}

func (w *words) party(p *delivery.Contact) {
	w.phone(p.Phone)
	for _, text := range []string{p.Name, p.Address.Line1, p.Address.Line2, p.Address.City, p.Address.PostalCode} {
		w.text(text)
	}
	// A word for each name and number that addresses are made of, not for each address.
	w.addAll(splitAll(pieces(board.Fold(p.Email))))
}

func (w *words) addAll(all []string) {
	for _, word := range all {
		w.add(word)
	}
}

// text adds the words of a name or an address. What hyphens, apostrophes or periods join is also one
// word, as is a postal code.
func (w *words) text(text string) {
	w.addAll(pieces(board.Fold(text)))
	for field := range strings.FieldsSeq(text) {
		if w.addJoined(field); strings.Contains(field, "@") {
			w.addAll(splitAll(pieces(board.Fold(field)))) // as Parse does
		}
	}
	if code, ok := postalCode(text); ok {
		w.add(code)
	}
	w.add(board.PhoneDigits(text)) // which Parse takes it for
}

// addJoined adds what several words give without what is between them.
func (w *words) addJoined(text string) {
	if joined := pieces(board.Fold(text)); len(joined) > 1 {
		w.add(strings.Join(joined, ""))
	}
}

// number adds the words of a number, which people shorten: PP-1298 is found by 1298, pp1298 and pp 1298.
func (w *words) number(text string) {
	folded := pieces(board.Fold(text))
	w.addAll(folded)
	w.addJoined(text)
	for field := range strings.FieldsSeq(text) {
		w.addJoined(field)
	}
	w.addAll(splitAll(folded))
}

// phone adds the forms of a phone number: with and without the country code 1, the subscriber's number,
// and its last four digits.
func (w *words) phone(text string) {
	const national, subscriber, last = 10, 7, 4
	digits := strings.Join(pieces(text), "")
	w.add(digits)
	for _, n := range []int{national, subscriber, last} {
		if len(digits) > n && (n != national || digits[0] == '1') {
			w.add(digits[len(digits)-n:])
		}
	}
}

// postalCode returns a text in which a space parts two short words, without the space.
func postalCode(text string) (code string, ok bool) {
	const half = 3
	first, second, ok := strings.Cut(board.Fold(text), " ")
	code = first + second
	return code, ok && len(first) == half && len(second) == half && slices.Equal(pieces(code), []string{code})
}

// pieces splits a folded text where it has neither letters nor digits.
func pieces(folded string) []string {
	return strings.FieldsFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// splitAll splits words between letters and digits.
func splitAll(words []string) (runs []string) {
	for _, word := range words {
		runs = append(runs, split(word)...)
	}
	return runs
}

// split splits a word between letters and digits.
func split(word string) (runs []string) {
	start, digit := 0, false
	for i, r := range word {
		if now := unicode.IsNumber(r); i > start && now != digit {
			runs, start = append(runs, word[start:i]), i
			digit = now
		} else {
			digit = now
		}
	}
	return append(runs, word[start:])
}

// cut shortens a word to the length of the longest.
func cut(word string) string {
	if len(word) <= longest {
		return word
	}
	end := longest
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}
