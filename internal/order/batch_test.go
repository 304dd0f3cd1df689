package order

import (
	"slices"
	"testing"
)

// TestBatchWeight: a group takes commands until it has maxGroup
// orders, so that no transaction grows with how many batches wait.
func TestBatchWeight(t *testing.T) {
	t.Parallel()
	batch := func(orders int) *waiting {
		return &waiting{command: &batchCommand{parts: make([]command, orders)}}
	}
	single := &waiting{command: &createCommand{}}
	for name, c := range map[string]struct {
		queue []*waiting
		want  int
	}{
		"nothing":         {nil, 0},
		"one":             {[]*waiting{single}, 1},
		"a full batch":    {[]*waiting{batch(MaxBatch), single}, 1},
		"behind a single": {[]*waiting{single, batch(MaxBatch), single}, 2},
		"small ones":      {[]*waiting{batch(100), batch(100), batch(100), single}, 3},
		"singles":         {slices.Repeat([]*waiting{single}, 2*maxGroup), maxGroup},
	} {
		if got := sizeOfGroup(c.queue); got != c.want {
			t.Errorf("%s: got weight %d, want %d", name, got, c.want)
		}
		committer := makeCommitter(Config{})
		for _, w := range c.queue {
			committer.queue <- w
		}
		if c.want > 0 {
			if got := len(committer.gather(<-committer.queue)); got != c.want {
				t.Errorf("%s: got a group of %d, want %d", name, got, c.want)
			}
		}
	}
}
