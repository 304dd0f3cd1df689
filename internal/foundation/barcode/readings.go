package barcode

import (
	"regexp"
	"strings"
	"unicode"
)

// aim fits the AIM identifier that scanners may put in front of a code: ]C1 for GS1-128, ]E0 for
// EAN-13, ]Q3 for a QR code of GS1.
var aim = regexp.MustCompile(`^\][A-Za-z][0-9A-Za-z]`)

// Readings returns the texts that may have been meant by what a scanner typed, the likeliest
// first: the text itself without blanks and control characters around it; without the AIM
// identifier of its symbology; the GTIN or the serial number of a parcel in a string of GS1
// elements; and all of these as they are if the scanner types for a keyboard of the United
// States, but the computer has another layout or Caps Lock. Callers look them up in this order.
//
// No reading differs from an earlier one only in case: partners may have codes that differ in
// nothing else.
func Readings(text string) (readings []string) {
	known := map[string]bool{"": true}
	add := func(reading string) {
		if key := strings.ToLower(reading); !known[key] {
			known[key] = true
			readings = append(readings, reading)
		}
	}
	text = strip(text)
	for _, reading := range plainReadings(text) {
		add(reading)
	}
	for _, layout := range Layouts {
		for _, caps := range []bool{false, true} {
			for _, reading := range plainReadings(layout.undo(text, caps)) {
				add(reading)
			}
		}
	}
	return readings
}

// strip removes blanks and control characters around a text. Scanners are set up to send CR, LF
// or a tab behind a code, and FNC1 as a control character in front of it.
func strip(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// plainReadings returns the readings of a text in the layout of the scanner.
func plainReadings(text string) []string {
	readings := []string{text}
	if short := aim.ReplaceAllString(text, ""); short != text {
		readings = append(readings, strip(short))
	}
	last := readings[len(readings)-1]
	readings = append(readings, elements(last)...)
	if joined := strings.ReplaceAll(last, " ", ""); IsDigits(joined) { // as it is printed below the bars
		readings = append(readings, joined)
	}
	return readings
}

var (
	bracketed = regexp.MustCompile(`\(([0-9]{2,4})\)([^(]*)`)
	beginning = regexp.MustCompile(`^(?:\([0-9]{2,4}\)|[0-9]{2})`)
)

// fnc1 is the character by which scanners end an element of variable length.
const fnc1 = "\x1d"

// fixed is how many characters the elements of GS1 have whose identifiers begin with two
// digits, these included. The others end with FNC1.
var fixed = map[string]int{
	"00": 20, "01": 16, "02": 16, "03": 16, "04": 18, "11": 8, "12": 8, "13": 8, "14": 8, "15": 8, "16": 8, "17": 8,
	"18": 8, "19": 8, "20": 4, "31": 10, "32": 10, "33": 10, "34": 10, "35": 10, "36": 10, "41": 16,
}

// elements returns what a string of GS1 elements names: GTINs, and numbers of parcels (SSCC).
// The identifiers may be in brackets, as people read them.
func elements(text string) (names []string) {
	if !beginning.MatchString(text) {
		return nil
	}
	for _, element := range bracketed.FindAllStringSubmatch(text, -1) {
		names = append(names, named(element[1], strip(element[2]))...)
	}
	if text[0] == '(' {
		return names
	}
	for rest := text; len(rest) > 2; {
		length, known := fixed[rest[:2]]
		if !known {
			_, rest, _ = strings.Cut(rest, fnc1)
			continue
		}
		if len(rest) < length {
			return names
		}
		names = append(names, named(rest[:2], rest[2:length])...)
		rest = strings.TrimPrefix(rest[length:], fnc1)
	}
	return names
}

// named returns the number of an element that names a product or a parcel.
func named(identifier, value string) []string {
	switch identifier {
	case "01", "02":
		if _, ok := GTIN(value); ok && len(value) == 14 {
			return []string{value}
		}
	case "00":
		const length = 18
		if len(value) == length && IsDigits(value) && value[length-1] == checkDigit(value[:length-1]) {
			return []string{value}
		}
	}
	return nil
}
