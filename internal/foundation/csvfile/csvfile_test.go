package csvfile_test

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

func TestRead(t *testing.T) {
	t.Parallel()
	header, lines, err := csvfile.Read([]byte("\xef\xbb\xbfname,note\r\nA,\"two\nlines\"\r\nB\r\n\r\nC,3,4\r\n\"D,"))
	if err != nil {
		t.Fatal(err)
	}
	var got []csvfile.Line
	var last error
	for line, err := range lines {
		if last = err; err == nil {
			line.Cells = slices.Clone(line.Cells)
			got = append(got, line)
		}
	}
	want := []csvfile.Line{
		{Number: 2, Cells: []string{"A", "two\nlines"}},
		{Number: 4, Cells: []string{"B"}, Ragged: true},
		{Number: 6, Cells: []string{"C", "3", "4"}, Ragged: true},
	}
	if want := []string{"name", "note"}; !slices.Equal(header, want) {
		t.Errorf("got header %q, want %q", header, want)
	}
	if !reflect.DeepEqual(got, want) || last == nil {
		t.Errorf("got lines %+v, %v, want %+v and an error", got, last, want)
	}
	if _, _, err := csvfile.Read(nil); !errors.Is(err, io.EOF) {
		t.Errorf("empty file: got %v, want io.EOF", err)
	}
}
