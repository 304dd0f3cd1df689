package csvfile

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// Cell is a cell of a file.
type Cell struct {
	// Text is without the blanks around it and without what protected it from a spreadsheet: the
	// apostrophe of '+1 and the formula of ="0012".
	Text string
	// Literal is set if the cell was such a formula. No spreadsheet has changed its text since.
	Literal bool
}

// textFormula fits the formula of a text.
var textFormula = regexp.MustCompile(`^="(?:[^"]|"")*"$`)

// plainCell returns a cell as it stands between separators or in quotation marks.
func plainCell(text string) Cell {
	text = strings.TrimSpace(text)
	if textFormula.MatchString(text) {
		return Cell{Text: strings.ReplaceAll(text[2:len(text)-1], `""`, `"`), Literal: true}
	}
	return Cell{Text: Unescape(text)}
}

// formula lists the characters that make a spreadsheet take a cell for a formula. The
// quote is among them so that escaping can be reversed.
const formula = "=+-@\t\r\n'"

// looksComputed reports whether a text begins with one of them, perhaps behind blanks, which
// readers remove.
func looksComputed(text string) bool {
	trimmed := strings.TrimSpace(text)
	return trimmed != "" && (strings.Contains(formula, text[:1]) || strings.Contains(formula, trimmed[:1]))
}

// Escape returns the text for a cell that a spreadsheet does not compute.
func Escape(text string) string {
	if looksComputed(text) {
		return "'" + text
	}
	return text
}

// Unescape returns the text that Escape has escaped.
func Unescape(cell string) string {
	if rest, quoted := strings.CutPrefix(cell, "'"); quoted && looksComputed(rest) {
		return rest
	}
	return cell
}

var (
	commaNumber = regexp.MustCompile(`^-?[0-9]+,[0-9]+$`)
	thousands   = regexp.MustCompile(`^-?[1-9][0-9]{0,2},[0-9]{3}$`)
)

// Number returns the number of a cell with a decimal point instead of a decimal comma. Any
// other text is returned as it is. So is 1,500 in a file without semicolons, because it may
// stand for 1500 as well as for 1.5: the caller refuses it, as it is not a number.
func (f *File) Number(cell Cell) string {
	if !commaNumber.MatchString(cell.Text) || f.separator != ';' && thousands.MatchString(cell.Text) {
		return cell.Text
	}
	return strings.Replace(cell.Text, ",", ".", 1)
}

// flags are the words for true and false of spreadsheets and people, in English and French.
var flags = map[string]bool{
	"true": true, "vrai": true, "yes": true, "oui": true, "1": true,
	"false": false, "faux": false, "no": false, "non": false, "0": false,
}

// Flag returns what a word says. It is not ok for other words.
func (c Cell) Flag() (value, ok bool) {
	value, ok = flags[strings.ToLower(c.Text)]
	return value, ok
}

// ruined fits what a spreadsheet shows instead of what was in a cell: a number with an
// exponent, a column that is too narrow, and the error of a formula.
var ruined = regexp.MustCompile(
	`^(?:[+-]?[0-9]+(?:[.,][0-9]+)?[Ee][+-][0-9]{2,3}|#{3,}|` +
		`#(?:N/A|REF!|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|NOM\?|VALEUR!|NOMBRE!|NUL!))$`)

// Ruined reports whether the cell holds what a spreadsheet has put in the place of the text
// or the number that was there, which cannot be known any more.
func (c Cell) Ruined() bool { return !c.Literal && ruined.MatchString(c.Text) }

// lostLetter fits a question mark where people write none: at the beginning, or in front of a
// letter, a digit or another one.
var lostLetter = regexp.MustCompile(`^\?|\?[\pL\pN?]`)

// LacksLetters reports whether a cell seems to lack letters: in Windows-1252, spreadsheets write a
// question mark for each letter that the encoding does not have.
func (f *File) LacksLetters(cell Cell) bool {
	switch {
	case cell.Literal || f.letters == allLetters:
		return false
	case f.letters == windowsLetters:
		return strings.Contains(cell.Text, "?")
	default:
		return lostLetter.MatchString(cell.Text)
	}
}

// Keeps reports whether the cell has a text that was exported, as a spreadsheet keeps it:
// without blanks around it, and with other ends of lines.
func (c Cell) Keeps(text string) bool {
	return c.Text == text || strings.TrimSpace(c.Text) == strings.TrimSpace(lineEnds.Replace(text))
}

// Damages reports whether the cell may be what a spreadsheet made of a text that was exported:
// it looks like something that a spreadsheet changes when it opens a file, and the cell has
// something else of the same kind. 0012 becomes 12, 1-2 a date, true TRUE.
func (c Cell) Damages(text string) bool {
	if c.Literal || c.Keeps(text) {
		return false
	}
	return c.Ruined() || becomesNumber(text, c.Text) || becomesFlag(text, c.Text) ||
		isDate(text) && isDate(c.Text) || becomesGarbled(text, c.Text)
}

// becomesGarbled reports whether a cell is what a spreadsheet makes of a text that is not ASCII:
// its UTF-8 read as Windows-1252, if the file has no byte order mark, or the text saved as
// Windows-1252, or both.
func becomesGarbled(text, cell string) bool {
	cell = strings.TrimSpace(cell)
	if savedAsWindows(text, cell) {
		return true
	}
	read, err := charmap.Windows1252.NewDecoder().String(text)
	return err == nil && read != text && savedAsWindows(read, cell)
}

// windowsBlanks are the blanks of Windows-1252. Others become question marks.
const windowsBlanks = " \t\n\v\f\u00a0"

// savedAsWindows reports whether a cell is a text with question marks or similar letters in the
// place of those that Windows-1252 does not have.
func savedAsWindows(text, cell string) bool {
	var pattern strings.Builder
	pattern.WriteString("(?s)^")
	for _, letter := range strings.Trim(lineEnds.Replace(text), windowsBlanks) {
		switch _, known := charmap.Windows1252.EncodeRune(letter); {
		case known:
			pattern.WriteString(regexp.QuoteMeta(string(letter)))
		case letter > 0xffff: // it has two units in UTF-16
			pattern.WriteString("..?")
		default:
			pattern.WriteString(".")
		}
	}
	fits, err := regexp.MatchString(pattern.String()+"$", cell)
	return err == nil && fits
}

// figure fits a number in any form that a spreadsheet takes for one.
var figure = regexp.MustCompile(`^([+-]?)[$€]? ?([0-9]+)(?:[.,]([0-9]*))? ?([%$€]?)$`)

// scientific fits a code that a spreadsheet takes for a number with an exponent.
var scientific = regexp.MustCompile(`^[+-]?[0-9]+(?:\.[0-9]+)?[Ee][+-]?[0-9]{1,3}$`)

// precision is how many digits of a number a spreadsheet keeps. The others become zeros.
const precision = 15

// becomesNumber reports whether a cell is the number that a spreadsheet takes a text for, or as
// much of it as that keeps.
func becomesNumber(text, cell string) bool {
	was, is := figure.FindStringSubmatch(text), figure.FindStringSubmatch(cell)
	if scientific.MatchString(text) && is != nil {
		before, err := strconv.ParseFloat(text, 64)
		after, afterErr := strconv.ParseFloat(strings.Replace(cell, ",", ".", 1), 64)
		return err == nil && afterErr == nil && before == after
	}
	if was == nil || is == nil || is[1] == "+" || (was[1] == "-") != (is[1] == "-") {
		return false
	}
	digits, kept := strings.TrimLeft(was[2], "0"), strings.TrimLeft(is[2], "0")
	switch {
	case len(kept) < len(is[2]) && is[2] != "0": // no spreadsheet adds zeros in front
		return false
	case len(kept) > precision && len(kept) == len(digits):
		return kept == digits || kept[:precision] == digits[:precision] && strings.Trim(kept[precision:], "0") == ""
	}
	percent := (was[4] == "%") == (is[4] == "%")
	return percent && kept == digits && strings.TrimRight(was[3], "0") == strings.TrimRight(is[3], "0")
}

// becomesFlag reports whether a cell is the flag that a spreadsheet takes a text for.
func becomesFlag(text, cell string) bool {
	was, ok := spreadsheetFlags[strings.ToLower(text)]
	is, found := spreadsheetFlags[strings.ToLower(cell)]
	return ok && found && was == is
}

var spreadsheetFlags = map[string]bool{"true": true, "vrai": true, "false": false, "faux": false}

// months fits the names of months and their abbreviations, in English and French.
const months = `(?:jan(?:v\.?|uary|vier)?|fe[bv](?:ruary)?|févr?(?:ier)?|mar(?:ch|s)?|a[pv]r(?:il)?|ma[iy]|` +
	`ju(?:ne?|in|ly?|il(?:let)?)|aug(?:ust)?|ao[uû]t|sept?(?:emb(?:er|re))?|oct(?:ob(?:er|re))?|` +
	`nov(?:emb(?:er|re))?|d[eé]c(?:emb(?:er|re))?)\.?`

// date fits what a spreadsheet takes for a date or a time, or writes as one: 1-2, 2/1/2026,
// 10:30, Jan 2, 02-févr, mars 2026. Fractions are dates as well.
var date = regexp.MustCompile(`(?i)^(?:[0-9]{1,4}(?:[-/:][0-9]{1,4}|[-/.: ][0-9]{1,4}[-/.: ][0-9]{1,4})` +
	`(?: [0-9:.]+)?(?: ?[ap]\.?m\.?)?|` +
	`[0-9]{1,4}[-/. ]+` + months + `(?:[-/., ]+[0-9]{1,4})?|` + months + `(?:[-/., ]+[0-9]{1,4}){1,2})$`)

func isDate(text string) bool { return date.MatchString(text) }
