// Package spreadsheet does to CSV files what Excel does when a person opens and saves them: it
// takes texts for numbers, dates and flags, computes formulas, and writes what it shows. Tests
// import such files.
package spreadsheet

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// Encoding is how a file is saved.
type Encoding byte

// The encodings of Excel's formats: CSV UTF-8, CSV, and Unicode Text.
const (
	UTF8 Encoding = iota
	Windows1252
	UTF16
)

// Program is an Excel of a country.
type Program struct {
	French   bool // semicolons, decimal commas, VRAI and FAUX
	Encoding Encoding
	Tabs     bool // instead of the usual separator, as in Unicode Text
}

// Programs returns the ways of saving that people meet, by name.
func Programs() map[string]Program {
	return map[string]Program{
		"CSV UTF-8": {}, "CSV": {Encoding: Windows1252}, "Unicode Text": {Encoding: UTF16, Tabs: true},
		"CSV UTF-8, French": {French: true}, "CSV, French": {French: true, Encoding: Windows1252},
		"Unicode Text, French": {French: true, Encoding: UTF16, Tabs: true},
	}
}

// Save opens a file and saves it. A file without a byte order mark is opened in Windows-1252.
func (p Program) Save(file []byte) ([]byte, error) {
	text, marked := strings.CutPrefix(string(file), "\ufeff")
	if !marked {
		var err error
		if text, err = charmap.Windows1252.NewDecoder().String(text); err != nil {
			return nil, err
		}
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = p.separator(), true, -1
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	var saved bytes.Buffer
	writer := csv.NewWriter(&saved)
	writer.UseCRLF = true
	if writer.Comma = p.separator(); p.Tabs {
		writer.Comma = '\t'
	}
	for _, row := range rows {
		for i := range row {
			row[i] = p.show(row[i])
		}
		if err := writer.Write(row); err != nil {
			return nil, err
		}
	}
	writer.Flush()
	return p.encode(saved.String())
}

func (p Program) separator() rune {
	if p.French {
		return ';'
	}
	return ','
}

func (p Program) encode(text string) ([]byte, error) {
	switch p.Encoding {
	case Windows1252: // what it does not have becomes a question mark
		return []byte(windows1252(text)), nil
	case UTF16:
		out := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(text)) {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
		return out, nil
	default:
		return []byte("\ufeff" + text), nil
	}
}

func windows1252(text string) string {
	var out strings.Builder
	for _, letter := range text {
		if b, ok := charmap.Windows1252.EncodeRune(letter); ok {
			out.WriteByte(b)
		} else {
			out.WriteByte('?')
		}
	}
	return out.String()
}

var (
	textFormula = regexp.MustCompile(`(?s)^="((?:[^"]|"")*)"$`)
	number      = regexp.MustCompile(`^ *[+-]?[0-9]+([.,][0-9]*)?([eE][+-]?[0-9]{1,2})? *$`)
	dayMonth    = regexp.MustCompile(`^([0-9]{1,2})[-/]([0-9]{1,2})$`)
)

// show returns what a cell is saved as.
func (p Program) show(cell string) string {
	if parts := textFormula.FindStringSubmatch(cell); parts != nil {
		return strings.ReplaceAll(parts[1], `""`, `"`)
	}
	if parts := dayMonth.FindStringSubmatch(cell); parts != nil {
		if day, err := time.Parse("1-2", parts[1]+"-"+parts[2]); err == nil {
			return day.Format("02-Jan")
		}
	}
	switch strings.ToLower(cell) {
	case "true", "vrai":
		return map[bool]string{false: "TRUE", true: "VRAI"}[p.French]
	case "false", "faux":
		return map[bool]string{false: "FALSE", true: "FAUX"}[p.French]
	}
	if other := map[bool]string{false: ",", true: "."}[p.French]; number.MatchString(cell) &&
		!strings.Contains(cell, other) {
		value, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(cell), ",", ".", 1), 64)
		if err == nil {
			return p.general(value)
		}
	}
	if strings.HasPrefix(cell, "=") || len(cell) > 1 && strings.ContainsAny(cell[:1], "+-@") {
		return map[bool]string{false: "#NAME?", true: "#NOM?"}[p.French]
	}
	return cell
}

// general returns a number in the format General.
func (p Program) general(value float64) string {
	text := strconv.FormatFloat(value, 'f', -1, 64)
	if value >= 1e11 || value <= -1e11 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'E', 5, 64), "E")
		text = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		if !strings.Contains(mantissa, ".") {
			text = mantissa
		}
		text = fmt.Sprintf("%sE%s", text, exponent)
	}
	if p.French {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}
