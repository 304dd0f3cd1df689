package feed_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestDesksSeeTheTable lets two nodes, whose clocks differ, move orders at random.
// Hints get lost, are late, and come in any order; nodes are restarted; desks ask
// either node. At the end every desk sees what is in the table.
func TestDesksSeeTheTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		repeatable.Check(struct{ rapid.TB }{t}, func(t *rapid.T) { // a bubble has no deadline
			w := newWorld(t)
			defer w.close()
			t.Repeat(map[string]func(*rapid.T){
				"move": w.move, "end": w.end, "hint": w.hint, "pass": w.pass, "restart": w.restart, "ask": w.ask,
				"": func(*rapid.T) {},
			})
			w.settle(t)
		})
	})
}

// world is two nodes on one table, and desks.
type world struct {
	table *table
	skews []time.Duration
	nodes []*feed.Service
	desks []*desk
	hints []string // that have not been given
	live  []string // the orders under way
	made  int      // how many orders there have been
}

func newWorld(t *rapid.T) *world {
	w := &world{table: newTable(), desks: []*desk{{}, {}, {}}}
	for range 2 {
		skew := time.Duration(rapid.Int64Range(-300, 300).Draw(t, "skew")) * time.Second
		w.skews, w.nodes = append(w.skews, skew), append(w.nodes, newNode(w.table, true, skew))
	}
	for _, d := range w.desks {
		d.load(t, w.nodes[0])
	}
	return w
}

func (w *world) close() {
	for _, node := range w.nodes {
		node.Close()
	}
}

func (w *world) move(t *rapid.T) {
	i := rapid.IntRange(0, 9).Draw(t, "order")
	if i >= len(w.live) {
		w.made++
		i, w.live = len(w.live), append(w.live, fmt.Sprint(w.made))
	}
	w.hints = append(w.hints, w.table.put(w.live[i]))
}

func (w *world) end(t *rapid.T) {
	if i := rapid.IntRange(0, 9).Draw(t, "order"); i < len(w.live) {
		w.table.end(w.live[i])
		w.hints = append(w.hints, w.live[i])
		w.live = slices.Delete(w.live, i, i+1)
	}
}

// hint gives some of the hints to a node, which need not be the one that they are of.
func (w *world) hint(t *rapid.T) {
	node := w.nodes[rapid.IntRange(0, 1).Draw(t, "node")]
	for i := range w.hints {
		if rapid.Bool().Draw(t, "given") {
			node.Committed(one(w.hints[i]))
		}
	}
	if rapid.Bool().Draw(t, "dropped") {
		w.hints = nil
	}
}

func (w *world) pass(t *rapid.T) {
	pass(time.Duration(rapid.Int64Range(1, 3000).Draw(t, "ms")) * time.Millisecond)
}

func (w *world) restart(t *rapid.T) {
	i := rapid.IntRange(0, 1).Draw(t, "node")
	w.nodes[i].Close()
	w.nodes[i] = newNode(w.table, true, w.skews[i])
}

func (w *world) ask(t *rapid.T) {
	d := w.desks[rapid.IntRange(0, len(w.desks)-1).Draw(t, "desk")]
	w.follow(t, d, w.nodes[rapid.IntRange(0, 1).Draw(t, "node")],
		time.Duration(rapid.IntRange(0, 2).Draw(t, "wait"))*time.Second)
}

// follow asks for changes, and begins with a snapshot if the position is too old.
func (w *world) follow(t *rapid.T, d *desk, node *feed.Service, wait time.Duration) *feed.Answer {
	got, err := d.ask(node, wait)
	if refusal.HasCode(err, refusal.CodeGone) {
		d.load(t, node)
		return nil
	}
	if err != nil {
		t.Fatalf("changes: %v", err)
	}
	return got
}

// settle lets each desk ask its last node until the desk waits without an answer.
func (w *world) settle(t *rapid.T) {
	const most = 20
	for i, d := range w.desks {
		node := w.nodes[i%len(w.nodes)]
		for n := 0; ; n++ {
			if got := w.follow(t, d, node, 5*time.Second); got != nil && len(got.Rows)+len(got.Gone) == 0 {
				break
			}
			if n == most {
				t.Fatalf("desk %d: got %d answers with changes, want an end of them", i, n)
			}
		}
		if !maps.Equal(d.seen, w.table.picture()) {
			t.Fatalf("desk %d: got %v, want %v", i, d.seen, w.table.picture())
		}
	}
}
