package csvfile_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// FuzzRead: of any file, the lines have rising numbers, and those that are not ragged as
// many cells as the header.
func FuzzRead(f *testing.F) {
	for _, file := range []string{"a,b\n1,2\n", "\xef\xbb\xbfa;b\r\n\"1\n2\";3\r\n", "a\n\n\"", "a,a\n1\n1,2,3\n", "\x00,\xff\n"} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		header, lines, err := csvfile.Read(file)
		if err != nil {
			return
		}
		last := 1
		for line, err := range lines {
			if err != nil {
				return
			}
			if line.Number <= last || line.Ragged == (len(line.Cells) == len(header)) {
				t.Fatalf("%q: got line %+v after line %d under %d columns", file, line, last, len(header))
			}
			last = line.Number
		}
	})
}

// FuzzEscape: any text survives, in a cell that is not a formula.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{"", "'", "''", "=1+1", "'=1", "-5", "@x", "plain"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := csvfile.Escape(text)
		if got := csvfile.Unescape(cell); got != text {
			t.Fatalf("%q: got %q back from the cell %q", text, got, cell)
		}
		if cell != "" && (cell[0] == '=' || cell[0] == '+' || cell[0] == '-' || cell[0] == '@') {
			t.Fatalf("%q: got the cell %q, want none that is a formula", text, cell)
		}
	})
}
