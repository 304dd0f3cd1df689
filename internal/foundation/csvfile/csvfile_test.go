package csvfile_test

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"golang.org/x/text/encoding/charmap"
)

// readAll returns the header and the rows of a file.
func readAll(content []byte) (header []string, lines []csvfile.Line, err error) {
	file, err := csvfile.Read(content)
	if err != nil {
		return nil, nil, err
	}
	for line, err := range file.Lines() {
		if err != nil {
			return file.Header, lines, err
		}
		lines = append(lines, line)
	}
	return file.Header, lines, nil
}

// texts returns the texts of cells.
func texts(cells []csvfile.Cell) []string {
	all := make([]string, len(cells))
	for i, cell := range cells {
		all[i] = cell.Text
	}
	return all
}

func cellsOf(all ...string) []csvfile.Cell {
	cells := make([]csvfile.Cell, len(all))
	for i, text := range all {
		cells[i] = csvfile.Cell{Text: text}
	}
	return cells
}

func TestLines(t *testing.T) {
	t.Parallel()
	header, got, err := readAll([]byte(" name ,note,,\r\nA,\"two\r\nlines\"\r\nB\r\n\r\n,,\r\nC,3,4\rD , \"5\" ,,,\n\"D,"))
	want := []csvfile.Line{
		{Number: 2, Cells: cellsOf("A", "two\nlines")},
		{Number: 4, Cells: cellsOf("B"), Ragged: true},
		{Number: 7, Cells: cellsOf("C", "3", "4"), Ragged: true},
		{Number: 8, Cells: cellsOf("D", "5")},
	}
	if want := []string{"name", "note"}; !slices.Equal(header, want) {
		t.Errorf("got header %q, want %q", header, want)
	}
	var unpaired *csvfile.ReadError
	if !reflect.DeepEqual(got, want) || !errors.As(err, &unpaired) ||
		*unpaired != (csvfile.ReadError{Line: 9, Reason: csvfile.Unpaired}) {
		t.Errorf("got lines %+v, %v, want %+v and a quotation mark without counterpart in line 9", got, err, want)
	}
}

func utf16Of(order binary.AppendByteOrder, text string) (out []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// TestShapes reads one table in every encoding and with every separator.
func TestShapes(t *testing.T) {
	t.Parallel()
	const table = "name,price,note\nThé à l’érable,12.50,\"a, b; c\td\"\nŒuf,1,\n"
	windows, err := charmap.Windows1252.NewEncoder().String(table)
	if err != nil {
		t.Fatal(err)
	}
	with := func(separator string) string {
		return "name" + separator + "price" + separator + "note\r\nThé à l’érable" + separator + "12.50" + separator +
			"\"a, b; c\td\"\r\nŒuf" + separator + "1" + separator + "\r\n"
	}
	wantHeader, want, err := readAll([]byte(table))
	if err != nil || len(want) != 2 {
		t.Fatalf("got %+v, %v, want two lines", want, err)
	}
	for name, content := range map[string]string{
		"mark":                 "\ufeff" + table,
		"Windows-1252":         windows,
		"UTF-16":               string(utf16Of(binary.LittleEndian, "\ufeff"+table)),
		"UTF-16 BE":            string(utf16Of(binary.BigEndian, "\ufeff"+table)),
		"UTF-16, no mark":      string(utf16Of(binary.LittleEndian, table)),
		"UTF-16 BE, no mark":   string(utf16Of(binary.BigEndian, table)),
		"semicolons":           with(";"),
		"tabs":                 with("\t"),
		"old Mac":              strings.ReplaceAll(table, "\n", "\r"),
		"sep=,":                "sep=,\r\n" + table,
		"sep=;":                "SEP=;\n" + with(";"),
		"sep=, with a mark":    "\ufeffsep=,\n" + table,
		"sep=, saved again":    "\"sep=,\",,\n" + table,
		"sep=|":                "sep=|\n" + with("|"),
		"empty lines in front": "\n,,\n" + table,
	} {
		header, lines, err := readAll([]byte(content))
		if err != nil || !slices.Equal(header, wantHeader) || len(lines) != len(want) {
			t.Errorf("%s: got %q, %+v, %v, want %q and %d lines", name, header, lines, err, wantHeader, len(want))
			continue
		}
		for i := range lines {
			if !slices.Equal(lines[i].Cells, want[i].Cells) {
				t.Errorf("%s: got %q, want %q", name, texts(lines[i].Cells), texts(want[i].Cells))
			}
		}
	}
	file, err := csvfile.Read([]byte("sep=,\n\n" + table))
	if err != nil || file.HeaderLine != 3 {
		t.Errorf("got %+v, %v, want the header in line 3", file, err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]csvfile.ReadError{
		"":                                 {Line: 1, Reason: csvfile.Empty},
		"\ufeff":                           {Line: 1, Reason: csvfile.Empty},
		"sep=,\n":                          {Line: 1, Reason: csvfile.Empty},
		"\n,,\n":                           {Line: 1, Reason: csvfile.Empty},
		"a,b\n\x00,1\n":                    {Line: 2, Reason: csvfile.NotText},
		"a,b\nC\x99t\x8e,1\n":              {Line: 2, Reason: csvfile.NotText}, // an old Mac
		"a,b\n\nC\x93t\x82,1\n":            {Line: 3, Reason: csvfile.NotText}, // DOS
		"a,b\nCôté,1\nC\xf4t\xe9,1\n":      {Line: 3, Reason: csvfile.NotText}, // a mixture
		"\xff\xfea\x00,\x00\n\x00\x00":     {Line: 2, Reason: csvfile.NotText}, // half a letter is missing
		"\xff\xfea\x00\n\x00\x00\xd8,\x00": {Line: 2, Reason: csvfile.NotText},
		"PK\x03\x04\x14\x00\x06\x00":       {Line: 1, Reason: csvfile.NotText}, // a workbook
		"\"a,b\n":                          {Line: 1, Reason: csvfile.Unpaired},
		"a,b\n\"open,1\n\"x,2\n":           {Line: 3, Reason: csvfile.Unpaired},
		"a,b\nc,d\n5\" screen,1\n":         {Line: 3, Reason: csvfile.Unpaired},
		"a,b\n=\"1\"&\"2\",1\n":            {Line: 2, Reason: csvfile.Unpaired},
	} {
		_, lines, err := readAll([]byte(content))
		var got *csvfile.ReadError
		if !errors.As(err, &got) || *got != want || err.Error() == "" {
			t.Errorf("%q: got %+v, %+v, want %+v", content, lines, got, want)
		}
	}
}

func TestCells(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]csvfile.Cell{
		"  a b ":               {Text: "a b"},
		"\u00a0a\u00a0":        {Text: "a"},
		"'+14165550142":        {Text: "+14165550142"},
		" '+1 ":                {Text: "+1"},
		"+14165550142":         {Text: "+14165550142"},
		"''":                   {Text: "'"},
		"'s-Hertogenbosch":     {Text: "'s-Hertogenbosch"},
		`="0012"`:              {Text: "0012", Literal: true},
		`"=""0012"""`:          {Text: "0012", Literal: true},
		`="a ""b"", c"`:        {Text: `a "b", c`, Literal: true},
		`=" a "`:               {Text: " a ", Literal: true},
		`"'=""0012"""`:         {Text: `="0012"`},
		`=A1`:                  {Text: "=A1"},
		"\"a \"\"b\"\"\r\nc\"": {Text: "a \"b\"\nc"},
	} {
		_, lines, err := readAll([]byte("a,b\n" + cell + ",x\n"))
		if err != nil || len(lines) != 1 || lines[0].Ragged || lines[0].Cells[0] != want {
			t.Errorf("%q: got %+v, %v, want %+v", cell, lines, err, want)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for separator, cases := range map[string]map[string]string{
		",": {
			"12.5": "12.5", "12,5": "12.5", "12,50": "12.50", "0,125": "0.125", "1,500": "1,500", "1,500.00": "1,500.00",
			"-0,5": "-0.5", "1500,125": "1500.125", "x": "x", "": "",
		},
		";": {
			"12.5": "12.5", "12,5": "12.5", "1,500": "1.500", "-3,25": "-3.25", "1,2,3": "1,2,3", "1 500,00": "1 500,00",
			",5": ",5",
		},
		"\t": {"12,5": "12.5", "1,500": "1,500"},
	} {
		file, err := csvfile.Read([]byte("a" + separator + "b\n"))
		if err != nil {
			t.Fatal(err)
		}
		for cell, want := range cases {
			if got := file.Number(csvfile.Cell{Text: cell}); got != want {
				t.Errorf("separator %q: %q: got %q, want %q", separator, cell, got, want)
			}
		}
	}
}

func TestFlag(t *testing.T) {
	t.Parallel()
	for want, words := range map[bool][]string{
		true: {"TRUE", "true", "VRAI", "yes", "Oui", "1"}, false: {"FALSE", "Faux", "no", "NON", "0"},
	} {
		for _, word := range words {
			if got, ok := (csvfile.Cell{Text: word}).Flag(); !ok || got != want {
				t.Errorf("%q: got %t, %t, want %t", word, got, ok, want)
			}
		}
	}
	for _, word := range []string{"", "x", "maybe", "2", "-1"} {
		if got, ok := (csvfile.Cell{Text: word}).Flag(); ok {
			t.Errorf("%q: got %t, want no flag", word, got)
		}
	}
}

func TestRuined(t *testing.T) {
	t.Parallel()
	for want, cells := range map[bool][]string{
		true: {
			"6.27E+11", "6,27735E+11", "1.00E+05", "6.27e+11", "1E-07", "-4.5E+12", "########", "#N/A", "#NAME?", "#NOM?",
			"#VALEUR!",
		},
		false: {"", "627843400011", "1E5", "6.27E+1", "#1001", "##", "E+11", "A6.27E+11", "#hashtag", "12.5"},
	} {
		for _, cell := range cells {
			if got := (csvfile.Cell{Text: cell}).Ruined(); got != want {
				t.Errorf("%q: got %t, want %t", cell, got, want)
			}
		}
	}
	if (csvfile.Cell{Text: "6.27E+11", Literal: true}).Ruined() {
		t.Error("a text formula: got ruined, want as it is written")
	}
}

func TestDamages(t *testing.T) {
	t.Parallel()
	type change struct{ before, cell string }
	for want, changes := range map[bool][]change{
		true: {
			{"0012345", "12345"}, {"0627843400011", "627843400011"}, {"0627843400011", "6.27843E+11"}, {"1.50", "1.5"},
			{"+15145550123", "15145550123"}, {"1234567890123456789", "1234567890123450000"}, {"007", "7"}, {"000", "0"},
			{"$5", "$5.00"}, {"5%", "5.00%"}, {"1-2", "02-Jan"}, {"1/2", "2026-01-02"}, {"10:30", "10:30:00"},
			{"3/4", "04-Mar"}, {"Jan 2", "02-Jan"}, {"mars 2026", "01-mars"}, {"2026-1-2", "1/2/2026"}, {"true", "TRUE"},
			{"False", "FAUX"}, {"Thé", "ThÃ©"}, {"l’érable", "lâ€™Ã©rable"}, {"šxʷməθ St", "šx?m?? St"}, {"Łódź", "Lódz"},
			{"a 😀", "a ??"}, {"a 😀", "a ?"},
		},
		false: {
			{"12345", "0012345"}, {"12345", "12345"}, {"12345", "12346"}, {"0012", "13"}, {"Lamp", "Lampe"}, {"Lamp", "12"},
			{"", "12"}, {"1.5", "1.25"}, {" Lamp ", "Lamp"}, {"a\r\nb", "a\nb"}, {"-5", "5"}, {"5%", "5"}, {"true", "FALSE"},
			{"Mayo 500", "Mayo 750"}, {"Marie", "Mars"}, {"1234567890123456", "1234567890123457"}, {"Thé", "Té"},
			{"10 mai", "thé"}, {"šxʷ", "šxʷm"}, {"Łódź", "Lodz"},
		},
	} {
		for _, c := range changes {
			if got := (csvfile.Cell{Text: c.cell}).Damages(c.before); got != want {
				t.Errorf("%q becomes %q: got %t, want %t", c.before, c.cell, got, want)
			}
			if (csvfile.Cell{Text: c.cell, Literal: true}).Damages(c.before) {
				t.Errorf("%q becomes a text formula of %q: got damaged, want changed", c.before, c.cell)
			}
		}
	}
}

// TestLacksLetters: in a file that a spreadsheet may have saved in Windows-1252, a question mark may
// stand for a letter.
func TestLacksLetters(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{
		"a\nNguy?n\n": true, "a\n?ukasz\n": true, "a\n??\n": true, "a\nWhat if?\n": false, "a\nWhat? No\n": false,
		"a,b\nBia?,Th\xe9\n": true, "a,b\nBia?,Thé\n": false, "\ufeffa\nNguy?n\n": false, "a\n=\"Nguy?n\"\n": false,
		string(utf16Of(binary.LittleEndian, "\ufeffa\nNguy?n\n")): false,
	} {
		file, err := csvfile.Read([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		for line, err := range file.Lines() {
			if err != nil {
				t.Fatal(err)
			}
			if got := file.LacksLetters(line.Cells[0]); got != want {
				t.Errorf("%q: got %t, want %t", content, got, want)
			}
		}
	}
}
