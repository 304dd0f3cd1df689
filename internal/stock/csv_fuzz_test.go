package stock

import (
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// FuzzReadRows: any file is read as rows of known columns with rising numbers, or refused.
func FuzzReadRows(f *testing.F) {
	for _, file := range []string{
		"name,price\nLamp,9.99\n", "product_id,name,opening_quantity,opening_location\n,Lamp,5,MTL-1\n7,Shade,,\n",
		"name,name\nx,y\n", "name\n'=1+1\n", "name,price\nLamp\n", "\xef\xbb\xbfname\r\n\"a\nb\"\r\n",
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		var problems form.Problems
		rows, err := readRows(file, &problems)
		if err != nil {
			return
		}
		last := 1
		for _, row := range rows {
			if row.line <= last || len(row.cells) > len(importColumns) {
				t.Fatalf("%q: got row %+v after line %d", file, row, last)
			}
			last = row.line
			for name := range row.cells {
				_ = form.FromValues(row.cells, nil).Member(name).Kind()
			}
		}
	})
}
