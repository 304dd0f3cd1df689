package paging_test

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/paging"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		found, page []string
		next        string
	}{
		{nil, nil, ""},
		{[]string{"a"}, []string{"a"}, ""},
		{[]string{"a", "b"}, []string{"a", "b"}, ""},
		{[]string{"a", "b", "c"}, []string{"a", "b"}, "after b"},
	} {
		page, next := paging.Cut(test.found, 2, func(s string) string { return "after " + s })
		if !slices.Equal(page, test.page) || next != test.next {
			t.Errorf("Cut(%q, 2): got %q, %q, want %q, %q", test.found, page, next, test.page, test.next)
		}
	}
}
