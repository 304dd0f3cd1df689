package testkit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	type Part struct {
		Text string
		At   time.Time
		Raw  []byte
	}
	type whole struct {
		Part
		Leaf *Part
		List []Part
		None *Part
	}
	var a, b whole
	testkit.Fill(&a)
	testkit.Fill(&b)
	if got := testkit.Differences(&a, &b); len(got) != 0 {
		t.Errorf("equal values: got %q, want no path", got)
	}
	b.Leaf.Text, b.List[1].Raw, b.None = "other", []byte("other"), nil
	b.List[0].At = b.List[0].At.Add(1)
	if got, want := testkit.Differences(&a, &b), []string{"Leaf.Text", "List[0].At", "List[1].Raw", "None"}; !slices.Equal(
		got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
