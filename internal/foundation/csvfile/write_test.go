package csvfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/testkit/spreadsheet"
	"pgregory.net/rapid"
)

// written returns a file with a row of values.
func written(layout csvfile.Layout, values ...csvfile.Value) []byte {
	var out bytes.Buffer
	w := csvfile.NewWriter(&out, layout, "a", "b", "c")
	w.Row(values...)
	_ = w.Flush() // a buffer takes everything
	return out.Bytes()
}

func TestLayouts(t *testing.T) {
	t.Parallel()
	for want, layout := range map[string]csvfile.Layout{
		"a,b,c\nTea 7 g,0012,12.50\n'=1+1,'@b,0.05\n1-2,A-1,7\n": {},
		"a;b;c\nTea 7 g;0012;12,50\n'=1+1;'@b;0,05\n1-2;A-1;7\n": {
			Semicolons: true,
		},
		"\ufeffa,b,c\nTea 7 g,\"=\"\"0012\"\"\",12.50\n'=1+1,'@b,0.05\n\"=\"\"1-2\"\"\",\"=\"\"A-1\"\"\",7\n": {
			Spreadsheet: true,
		},
	} {
		var out bytes.Buffer
		w := csvfile.NewWriter(&out, layout, "a", "b", "c")
		w.Row(csvfile.Words("Tea 7 g"), csvfile.Code("0012"), csvfile.Decimal("12.50"))
		w.Row(csvfile.Words("=1+1"), csvfile.Code("@b"), csvfile.Decimal("0.05"))
		w.Row(csvfile.Words("1-2"), csvfile.Code("A-1"), csvfile.Plain("7"))
		if err := w.Flush(); err != nil || out.String() != want {
			t.Errorf("%+v: got %q, %v, want %q", layout, out.String(), err, want)
		}
	}
}

func TestWriterReportsErrors(t *testing.T) {
	t.Parallel()
	reading, writing := io.Pipe()
	_ = reading.CloseWithError(io.ErrClosedPipe)
	w := csvfile.NewWriter(writing, csvfile.Layout{Spreadsheet: true}, "a")
	if err := w.Flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want %v", err, io.ErrClosedPipe)
	}
}

var layouts = []csvfile.Layout{{}, {Spreadsheet: true}, {Semicolons: true}, {Spreadsheet: true, Semicolons: true}}

// drawText draws a text that spreadsheets like to change, or any other.
func drawText(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,20}`), rapid.StringMatching(`0{1,3}[0-9]{1,13}`),
		rapid.StringMatching(`[+-]?[0-9]{1,4}[.,][0-9]{0,3}`), rapid.StringMatching(`[0-9]{1,2}[-/:][0-9]{1,2}`),
		rapid.StringMatching(`[0-9]E[0-9]{1,2}`), rapid.StringMatching(`[=+@'-][ a-z0-9"']{0,5}`),
		rapid.StringMatching(`[ \t]{0,2}[=']?[a-zé ,;"]{0,6}[ \n]{0,2}`),
		rapid.SampledFrom([]string{"true", "FAUX", "Jan 2", "5%", "$5", "Œuf l’été", `="0012"`, "#NAME?", "1.2E+11", "####"}),
		rapid.StringN(0, 12, 40).Filter(func(s string) bool {
			// encoding/csv drops \r from lines that end in \r\n
			return strings.ToValidUTF8(s, "") == s && !strings.ContainsAny(s, "\x00\r")
		}),
	).Draw(t, name)
}

// TestTextsSurvive: what is written is read again, in every layout. In a file for spreadsheets no
// text looks as if a spreadsheet had ruined it.
func TestTextsSurvive(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		text, code := drawText(t, "text"), drawText(t, "code")
		for _, layout := range layouts {
			content := written(layout, csvfile.Words(text), csvfile.Code(code), csvfile.Plain("x"))
			_, lines, err := readAll(content)
			if err != nil || len(lines) != 1 || lines[0].Ragged || !lines[0].Cells[0].Keeps(text) ||
				!lines[0].Cells[1].Keeps(code) {
				t.Fatalf("%+v: got %+v, %v of %q, want %q and %q", layout, lines, err, content, text, code)
			}
			if cells := lines[0].Cells; layout.Spreadsheet && (cells[0].Ruined() || cells[1].Ruined()) {
				t.Fatalf("%+v: got ruined cells in %q, want %q and %q as they are", layout, content, text, code)
			}
		}
	})
}

// TestTextsSurviveSpreadsheets: a text that a spreadsheet has saved is what was exported, or it
// is known to be damaged. A file for spreadsheets keeps codes and what looks like a number.
func TestTextsSurviveSpreadsheets(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		text, code := drawText(t, "text"), drawText(t, "code")
		for name, program := range spreadsheet.Programs() {
			for _, marked := range []bool{true, false} {
				layout := csvfile.Layout{Spreadsheet: marked, Semicolons: program.French}
				saved, err := program.Save(written(layout, csvfile.Words(text), csvfile.Code(code), csvfile.Plain("x")))
				if err != nil {
					t.Fatalf("%s, %+v: %v", name, layout, err)
				}
				if err := check(saved, text, code, marked && program.Encoding != spreadsheet.Windows1252); err != nil {
					t.Fatalf("%s, %+v: %v", name, layout, err)
				}
			}
		}
	})
}

// check returns an error if a file changes a text in silence, or if it must keep both texts
// and does not.
func check(saved []byte, text, code string, must bool) error {
	_, lines, err := readAll(saved)
	if err != nil && !must {
		return nil // refused
	}
	if err != nil || len(lines) != 1 || lines[0].Ragged {
		return fmt.Errorf("got %+v, %w of %q", lines, err, saved)
	}
	for i, want := range []string{text, code} {
		cell := lines[0].Cells[i]
		if kept := cell.Keeps(want); !kept && (must && !strings.ContainsAny(want, "\t\r\n") || !cell.Damages(want)) &&
			cell.Text != "" {
			return fmt.Errorf("got %q of %q in %q, want the same, or one that is known to be damaged", cell.Text, want, saved)
		}
	}
	return nil
}
