package repeatable_test

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestDrawn prints what is drawn, for TestSeed.
func TestDrawn(t *testing.T) {
	bytes := make([]byte, 8)
	if _, err := io.ReadFull(repeatable.Reader(t, "bytes"), bytes); err != nil {
		t.Fatal(err)
	}
	t.Logf("drawn: %d %x", repeatable.Rand(t).Uint64(), bytes)
	drawn := 0
	repeatable.Check(t, func(rt *rapid.T) {
		if n := rapid.Uint64().Draw(rt, "n"); drawn < 3 {
			t.Logf("drawn: %d", n)
		}
		drawn++
	})
}

// TestSeed runs TestDrawn in processes of its own.
func TestSeed(t *testing.T) {
	t.Parallel()
	drawn := func(seed string) string {
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDrawn$", "-test.v")
		command.Env = append(os.Environ(), repeatable.SeedVariable+"="+seed)
		out, err := command.Output()
		lines := regexp.MustCompile(`drawn: .*`).FindAllString(string(out), -1)
		if err != nil || len(lines) != 4 {
			t.Fatalf("seed %q: got %q, %v", seed, out, err)
		}
		return lines[0] + lines[1] + lines[2] + lines[3]
	}
	usual, other := drawn(""), drawn("7")
	if again := drawn(""); again != usual {
		t.Errorf("without a seed: got %s, then %s", usual, again)
	}
	if other == usual || drawn("7") != other {
		t.Errorf("another seed draws %s, the usual one %s, and the other again %s", other, usual, drawn("7"))
	}
}
