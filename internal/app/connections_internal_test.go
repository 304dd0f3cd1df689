package app

import "testing"

func TestConnectionBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit            int
		files            uint64
		perNetwork, most int
	}{
		{512, 0, 512, 0},
		{512, 1400, 175, 700},
		{512, 65536, 512, 32768},
		{0, 65536, 0, 32768},
		{512, 1 << 63, 512, 1 << 30},
		{512, 4, 1, 2},
	} {
		if perNetwork, most := connectionBounds(c.limit, c.files); perNetwork != c.perNetwork || most != c.most {
			t.Errorf("limit %d, %d files: got %d and %d, want %d and %d", c.limit, c.files, perNetwork, most, c.perNetwork,
				c.most)
		}
	}
}
