package csvfile

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Text returns the text of a file, with \n at the ends of its lines: of one in UTF-8 or UTF-16,
// and of any other in Windows-1252, which spreadsheets in English and French write unless they
// are asked for another encoding. The error is a *ReadError.
func Text(content []byte) (string, error) {
	text, fault := decode(content)
	if at := strings.IndexByte(text, 0); fault == "" && at >= 0 {
		fault = text[:at+1]
	}
	if fault != "" {
		return "", &ReadError{Line: 1 + strings.Count(fault, "\n"), Reason: NotText}
	}
	return lineEnds.Replace(text), nil
}

// lineEnds makes the ends of lines alike.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// decode returns the text of a file. If that is in none of the encodings, it also returns the
// file up to the first fault.
func decode(content []byte) (text, fault string) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if isWide(content, order) {
			return decodeWide(content, order)
		}
	}
	text = strings.TrimPrefix(string(content), mark)
	if utf8.ValidString(text) {
		return text, ""
	}
	if at := notWindows(text); at >= 0 {
		return text, text[:at+1]
	}
	text, err := charmap.Windows1252.NewDecoder().String(text)
	if err != nil {
		return "", text
	}
	return text, ""
}

// letters says which letters a file can hold.
type letters byte

const (
	allLetters     letters = iota // it is UTF-8 or UTF-16
	windowsLetters                // it is Windows-1252
	asciiLetters                  // it is ASCII, and may have been saved in Windows-1252
)

func lettersOf(content []byte) letters {
	text := string(content)
	switch {
	case isWide(content, binary.LittleEndian), isWide(content, binary.BigEndian), strings.HasPrefix(text, mark):
		return allLetters
	case !utf8.ValidString(text):
		return windowsLetters
	case strings.ContainsFunc(text, func(letter rune) bool { return letter >= utf8.RuneSelf }):
		return allLetters
	default:
		return asciiLetters
	}
}

// isWide reports whether a file is UTF-16 in a byte order: it has the mark of it, or, as some
// programs leave that out, begins with two letters of ASCII.
func isWide(content []byte, order binary.ByteOrder) bool {
	if len(content) < 4 {
		return false
	}
	first, second := order.Uint16(content), order.Uint16(content[2:])
	isLetter := func(unit uint16) bool { return unit > 0 && unit < utf8.RuneSelf }
	return first == 0xfeff || isLetter(first) && isLetter(second)
}

// decodeWide does what decode does for a file in UTF-16.
func decodeWide(content []byte, order binary.ByteOrder) (text, fault string) {
	units := make([]uint16, 0, len(content)/2)
	for at := 0; at+1 < len(content); at += 2 {
		units = append(units, order.Uint16(content[at:]))
	}
	if at := unpairedSurrogate(units); at >= 0 {
		return "", string(utf16.Decode(units[:at+1]))
	}
	text = strings.TrimPrefix(string(utf16.Decode(units)), mark)
	if len(content)%2 != 0 {
		return text, text + "\x00"
	}
	return text, ""
}

// unpairedSurrogate returns the place of the first half of a character whose other half is missing,
// or -1.
func unpairedSurrogate(units []uint16) int {
	for at := 0; at < len(units); at++ {
		switch unit := rune(units[at]); {
		case !utf16.IsSurrogate(unit):
		case at+1 < len(units) && utf16.DecodeRune(unit, rune(units[at+1])) != utf8.RuneError:
			at++
		default:
			return at
		}
	}
	return -1
}

// foreign lists the bytes that show that a file is not Windows-1252: those that this encoding
// does not have, and those that are é in the encodings of DOS and of old Macs but hardly occur
// in it (‚ and Ž).
const foreign = "\x81\x82\x8d\x8e\x8f\x90\x9d\x00"

// notWindows returns the place of the first byte that shows that a text, which is not UTF-8, is
// not Windows-1252 either, or -1. Letters in UTF-8 show it as well: the file is a mixture. Read
// as Windows-1252, the names in such files would be garbled.
func notWindows(text string) int {
	damaged, letters := -1, false // the first byte that is not UTF-8; whether there are letters in it
	for at := 0; at < len(text); {
		letter, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case letter == utf8.RuneError && size == 1 && strings.IndexByte(foreign, text[at]) >= 0:
			return at
		case letter == utf8.RuneError && size == 1 && damaged < 0:
			damaged = at
		case size > 1:
			letters = true
		}
		at += size
	}
	if letters {
		return damaged
	}
	return -1
}
