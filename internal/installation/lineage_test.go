package installation_test

import (
	"strconv"
	"testing"

	"github.com/dropyard/dropyard/internal/installation"
)

// TestLineage follows a database that is restored twice: what each of its states knows, and
// which it follows.
func TestLineage(t *testing.T) {
	t.Parallel()
	mark := func(epoch string, beats int64) installation.Mark {
		return installation.Mark{Installation: "ins_1", Epoch: epoch, Beats: beats}
	}
	first := installation.Lineage{Mark: mark("a", 50)} // which went on to 90, and was restored at 50
	second := first.Begin("b", "")
	second.Beats = 7
	third := second.Begin("c", "")
	for _, c := range []struct {
		name           string
		of             installation.Lineage
		mark           installation.Mark
		knows, follows bool
	}{
		{"itself", first, first.Mark, true, true},
		{"earlier", first, mark("a", 49), true, true},
		{"later", first, mark("a", 51), false, false},
		{"the lost end", second, mark("a", 90), true, false},
		{"the backup", second, mark("a", 50), true, true},
		{"the other epoch", first, mark("b", 1), false, false},
		{"before the last", third, mark("b", 7), true, true},
		{"before both", third, mark("a", 1), true, true},
		{"another installation", third, installation.Mark{Installation: "ins_2", Epoch: "c"}, false, false},
	} {
		if got := c.of.Knows(c.mark); got != c.knows {
			t.Errorf("%s: got %t for whether %+v knows %+v, want %t", c.name, got, c.of, c.mark, c.knows)
		}
		if got := c.of.Follows(c.mark); got != c.follows {
			t.Errorf("%s: got %t for whether %+v follows %+v, want %t", c.name, got, c.of, c.mark, c.follows)
		}
	}
	if (installation.Lineage{}).Follows(installation.Mark{}) {
		t.Error("a database without a lineage: it follows another without one, want not")
	}
	for i := range 300 {
		third = third.Begin("later-"+strconv.Itoa(i), "")
	}
	if len(third.Earlier) != 100 || third.Earlier[99].Epoch != "later-298" {
		t.Errorf("after 300 restores: got %d earlier epochs, want the last 100", len(third.Earlier))
	}
}
