package barcode_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestGTIN(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"96385074": "96385074", "036000291452": "36000291452", "0036000291452": "36000291452",
		"00036000291452": "36000291452", "4006381333931": "4006381333931", "04006381333931": "4006381333931",
		"00000096385074": "96385074", "36000291452": "", "4006381333930": "", "036000291453": "", "400638133393": "",
		"00000000": "", "": "", "4006381333931x": "", "40063813339É1": "",
	} {
		if got, ok := barcode.GTIN(text); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t, want %q", text, got, ok, want)
		}
	}
	if !barcode.Same("036000291452", "00036000291452") || barcode.Same("0012", "12") || !barcode.Same("0012", "0012") {
		t.Error("got other codes that are the same, want GTINs in any length, and equal codes")
	}
	if got, want := barcode.Lengths("0036000291452"),
		[]string{"036000291452", "0036000291452", "00036000291452"}; !slices.Equal(got, want) {
		t.Errorf("got the lengths %q, want %q", got, want)
	}
}

func TestReadings(t *testing.T) {
	t.Parallel()
	const id = "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j"
	for typed, want := range map[string]string{
		" 0036000291452\r\n":                      "0036000291452",
		"\x1d0100036000291452\x1d":                "00036000291452",
		"]E00036000291452":                        "0036000291452",
		"]C10100036000291452":                     "00036000291452",
		"]e00100036000291452":                     "00036000291452",
		"]d20100036000291452\x1d10LOT":            "00036000291452",
		"]Q31726123110A-1\x1d0100036000291452":    "00036000291452",
		"]C131030012500100036000291452":           "00036000291452",
		"(01)00036000291452(10)LOT 7":             "00036000291452",
		"(10)LOT 7 (01) 00036000291452":           "00036000291452",
		"]C1(02)00036000291452(37)12":             "00036000291452",
		"]C100003401234500000017":                 "003401234500000017",
		"(00)003401234500000017":                  "003401234500000017",
		"0 36000 29145 2":                         "036000291452",
		"]Q1https://dropyard.example/track/" + id: "https://dropyard.example/track/" + id,
		"https:éédropyard.exampleétracké" + id:    "https://dropyard.example/track/" + id, // both layouts of Canada
		"HTTPS:ÉÉDROPYARD.EXAMPLEÉTRACKÉORD_1":    "https://dropyard.example/track/ord_1",
		"Ç10100036000291452":                      "00036000291452", // ¸ and C in Canadian French
		"ç10100036000291452":                      "00036000291452", // the same with Caps Lock
		"¸E00036000291452":                        "0036000291452",
		"çC10100036000291452":                     "00036000291452", // Canadian Multilingual Standard
		"Çc10100036000291452":                     "00036000291452",
		"¸Q30100036000291452":                     "00036000291452",
	} {
		got := barcode.Readings(typed)
		if want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: got the readings %q, want %q among them", typed, got, want)
		}
		if len(got) == 0 || got[0] != strings.TrimFunc(typed, func(r rune) bool { return r <= ' ' }) {
			t.Errorf("%q: got the readings %q, want the text itself first", typed, got)
		}
	}
	if got := barcode.Readings("lamp-2"); !slices.Equal(got, []string{"lamp-2"}) {
		t.Errorf("got the readings %q, want the text alone: another case is another code", got)
	}
	for _, blank := range []string{"", " \r\n", "\x1d"} {
		if got := barcode.Readings(blank); len(got) > 0 {
			t.Errorf("%q: got the readings %q, want none", blank, got)
		}
	}
}

// accents are what keys put on the next letter, by what they type alone.
var accents = map[rune]string{'^': "\u0302", '¨': "\u0308", '¸': "\u0327", '`': "\u0300"}

// types returns what a layout types for a code that a scanner reads, with Caps Lock or without.
func types(layout barcode.Layout, caps bool, code string) string {
	var typed strings.Builder
	waiting := ""
	for _, letter := range code {
		typed.WriteString(waiting)
		key := press(layout, caps, letter)
		if composed := norm.NFC.String(key + accents[[]rune(waiting + " ")[0]]); waiting != "" && len([]rune(composed)) == 1 {
			text := strings.TrimSuffix(typed.String(), waiting)
			typed.Reset()
			typed.WriteString(text)
			key = composed
		}
		waiting = ""
		if layout.Name != barcode.Layouts[0].Name && accents[[]rune(key)[0]] != "" {
			waiting = key
			continue
		}
		typed.WriteString(key)
	}
	return typed.String() + waiting
}

// press returns what a key types that types a letter on keyboards of the United States.
func press(layout barcode.Layout, caps bool, letter rune) string {
	rows := [2][2][]rune{{
		[]rune(barcode.Layouts[0].Plain), []rune(layout.Plain),
	}, {[]rune(barcode.Layouts[0].Shifted), []rune(layout.Shifted)}}
	for side, row := range rows {
		if at := slices.Index(row[0], letter); at >= 0 {
			typed, other := row[1][at], rows[1-side][1][at]
			if caps && strings.EqualFold(string(typed), string(other)) {
				typed = other
			}
			return string(typed)
		}
	}
	return string(letter)
}

// TestLayouts: whatever a scanner reads that is made of the characters of ids, GS1 and addresses is
// among the readings of what is typed, in every layout and with Caps Lock; its case may be lost.
func TestLayouts(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		code := rapid.OneOf(
			rapid.StringMatching(`ord_[0-9a-z]{32}`), rapid.StringMatching(`https://[a-z]{1,8}\.example/track/ord_[0-9a-z]{6}`),
			rapid.StringMatching(`\][A-Z][0-9][0-9A-Z]{4,12}`), rapid.StringMatching(`[0-9]{8,14}`),
			rapid.StringMatching(`[A-Z]{2}-[0-9]{2,6}_[a-z]/[0-9]?`), rapid.StringMatching(`\(01\)[0-9]{14}`),
		).Draw(t, "code")
		for _, layout := range barcode.Layouts {
			for _, caps := range []bool{false, true} {
				typed := types(layout, caps, code)
				got := barcode.Readings(typed)
				if !slices.ContainsFunc(got, func(reading string) bool { return strings.EqualFold(reading, code) }) {
					t.Fatalf("%s, Caps Lock %t: %q is typed as %q: got the readings %q", layout.Name, caps, code, typed, got)
				}
			}
		}
	})
}
