package csvfile_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestReadsWhatOthersWrite: of rows that encoding/csv writes, the same cells are read.
func TestReadsWhatOthersWrite(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[a-z",;é\n]{0,6}`), 3, 3), 1, 6).Draw(t, "rows")
		var file strings.Builder
		w := csv.NewWriter(&file)
		if err := w.WriteAll(append([][]string{{"a", "b", "c"}}, rows...)); err != nil {
			t.Fatal(err)
		}
		_, lines, err := readAll([]byte(file.String()))
		if err != nil {
			t.Fatalf("%q: %v", file.String(), err)
		}
		var want [][]string
		for _, row := range rows {
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			if strings.Join(row, "") != "" {
				want = append(want, row)
			}
		}
		for i, line := range lines {
			if len(lines) != len(want) || line.Ragged || !slices.Equal(texts(line.Cells), want[i]) {
				t.Fatalf("%q: got %+v, want %q", file.String(), lines, want)
			}
		}
	})
}

// FuzzRead: of any file, the lines have rising numbers, have content, and those that are not
// ragged have as many cells as the header.
func FuzzRead(f *testing.F) {
	for _, file := range []string{
		"a,b\n1,2\n", "\xef\xbb\xbfa;b\r\n\"1\n2\";3\r\n", "a\n\n\"", "a,a\n1\n1,2,3\n", "\x00,\xff\n",
		"sep=;\na;b\n=\"1\";2\n", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00", "a\tb\r1\t'+2\r", "C\xf4t\xe9,b\n,,,\n",
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		header, lines, err := readAll(file)
		last := 0
		for _, line := range lines {
			content := slices.ContainsFunc(line.Cells, func(cell csvfile.Cell) bool { return cell.Text != "" })
			if line.Number <= last || line.Ragged == (len(line.Cells) == len(header)) || !content {
				t.Fatalf("%q: got line %+v after line %d under %d columns, %v", file, line, last, len(header), err)
			}
			last = line.Number
		}
	})
}

// FuzzEscape: any text survives, in a cell that is not a formula.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{"", "'", "''", "=1+1", "'=1", "-5", "@x", "plain", " =1", "' =1"} {
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
