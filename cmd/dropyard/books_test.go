package main

import (
	"testing"

	"github.com/dropyard/dropyard/client"
)

// TestMoved: an entry that charges nothing shows what it moved, each amount once.
func TestMoved(t *testing.T) {
	t.Parallel()
	line := func(account client.BookAccount, cents int64) client.BookLine {
		return client.BookLine{Account: account, AmountCents: cents, Currency: "CAD"}
	}
	sent := client.BookEntry{Lines: []client.BookLine{line("collected", 4999), line("bank", -4999)}}
	if got := moved(sent); got != "$49.99" {
		t.Errorf("got %q of a remittance, want its amount", got)
	}
	charge := client.BookEntry{Lines: []client.BookLine{line("charges", 575), line("revenue", -575)}}
	if got := moved(charge); got != "" {
		t.Errorf("got %q of a charge, want nothing", got)
	}
}
