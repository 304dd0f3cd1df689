package feed_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// TestOwnCommitsArriveSoon checks that a node's own commits reach a desk that waits
// without a comparison, the first of them immediately.
func TestOwnCommitsArriveSoon(t *testing.T) {
	t.Parallel()
	following(t, false, func(t *testing.T, b *table, node *feed.Service, d *desk) {
		pass(time.Second)
		for i := range 3 {
			begun := time.Now()
			go func() { node.Committed(one(b.put("a"))) }()
			if _, err := d.ask(node, 20*time.Second); err != nil {
				t.Fatal(err)
			}
			took, most := time.Since(begun), 200*time.Millisecond
			if i == 0 {
				most = 0
			}
			if took > most || !maps.Equal(d.seen, b.picture()) {
				t.Errorf("commit %d: got %v after %v, want %v within %v", i, d.seen, took, b.picture(), most)
			}
		}
		b.end("a")
		node.Committed(one("a"))
		if got, err := d.ask(node, 20*time.Second); err != nil || len(d.seen) != 0 || len(got.Gone) != 1 {
			t.Errorf("ended: got %v, %v, want no order", got, err)
		}
	})
}

// TestFewAnswersOfManyChanges checks that a desk is not answered once for each of
// many changes.
func TestFewAnswersOfManyChanges(t *testing.T) {
	t.Parallel()
	following(t, false, func(t *testing.T, b *table, node *feed.Service, d *desk) {
		go func() {
			for i := range 2000 {
				node.Committed(one(b.put(fmt.Sprint(i % 100))))
				time.Sleep(5 * time.Millisecond)
			}
		}()
		for begun := time.Now(); time.Since(begun) < 10*time.Second; {
			if _, err := d.ask(node, time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if d.answers > 55 || !maps.Equal(d.seen, b.picture()) {
			t.Errorf("10 s: got %d answers, want 50 or so, and the picture of the table", d.answers)
		}
	})
}

// TestOtherNodesChangesArriveWithinASecond changes the table without a hint.
func TestOtherNodesChangesArriveWithinASecond(t *testing.T) {
	t.Parallel()
	following(t, true, func(t *testing.T, b *table, node *feed.Service, d *desk) {
		for _, change := range []func(){
			func() { b.put("a") },
			func() { b.put("a") },
			func() { b.end("a") },
			func() { b.put("b") },
			func() { b.mu.Lock(); b.partner = "Nord"; b.mu.Unlock() },
			func() { b.mu.Lock(); b.couriers["cou_1"] = dispatch.Courier{Name: "Anne"}; b.mu.Unlock() },
		} {
			begun := time.Now()
			change()
			if _, err := d.ask(node, 20*time.Second); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); took > time.Second || !maps.Equal(d.seen, b.picture()) {
				t.Errorf("got %v after %v, want %v within a second", d.seen, took, b.picture())
			}
		}
	})
}

// TestOtherNodesChangesArriveWhileComparisonsTakeLong changes the table without a hint,
// while each view of it takes 150 ms, as on a busy machine.
func TestOtherNodesChangesArriveWhileComparisonsTakeLong(t *testing.T) {
	t.Parallel()
	following(t, true, func(t *testing.T, b *table, node *feed.Service, d *desk) {
		b.put("a")
		pass(2 * time.Second)
		b.slow(150 * time.Millisecond)
		for i := range 10 {
			pass(time.Duration(i) * 130 * time.Millisecond)
			begun := time.Now()
			b.put("a")
			for !maps.Equal(d.seen, b.picture()) {
				if _, err := d.ask(node, 20*time.Second); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(begun); took > time.Second {
				t.Errorf("change %d: got it after %v, want it within a second", i, took)
			}
		}
	})
}

// TestDeskWithoutChangesWaits checks that nothing is endless: a desk that changes
// nodes with every request, as behind a balancer, waits too, though not in the first
// seconds after a change.
func TestDeskWithoutChangesWaits(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{0, time.Minute, -time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			b := newTable()
			nodes := []*feed.Service{newNode(b, true, 0), newNode(b, true, skew)}
			defer nodes[0].Close()
			defer nodes[1].Close()
			d := &desk{}
			d.load(t, nodes[1])
			pass(time.Second)
			d.load(t, nodes[0])
			pass(time.Second)
			nodes[0].Committed(one(b.put("a")))
			begun := time.Now()
			for i := 0; time.Since(begun) < 10*time.Second; i++ {
				if _, err := d.ask(nodes[i%2], 20*time.Second); err != nil {
					t.Fatalf("request %d, %v: %v", i, time.Since(begun), err)
				}
			}
			if d.answers > 12 || !maps.Equal(d.seen, b.picture()) {
				t.Errorf("clocks %v apart: got %d answers after one change and %v, want 12 at most and %v", skew, d.answers, d.seen,
					b.picture())
			}
			for i := range 4 {
				begun := time.Now()
				if got, err := d.ask(nodes[i%2], 20*time.Second); err != nil || len(got.Rows) > 0 ||
					time.Since(begun) != 20*time.Second {
					t.Errorf("clocks %v apart, quiet: got %+v, %v after %v, want nothing after 20s", skew, got, err, time.Since(begun))
				}
			}
		})
	}
}

// TestPositionsThatAreTooOld asks with positions that the node cannot continue from.
func TestPositionsThatAreTooOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newTable()
		node, restarted := newNode(b, true, 0), newNode(b, true, 1)
		defer node.Close()
		defer restarted.Close()
		early, late := &desk{}, &desk{}
		early.load(t, node)
		pass(time.Second)
		if _, err := early.ask(restarted, 0); !refusal.HasCode(err, refusal.CodeGone) {
			t.Errorf("a node that has just been started: got %v, want gone", err)
		}
		for i := range 12 { // a desk keeps the mirror; something happens each minute
			late.load(t, node)
			b.put(fmt.Sprint(i))
			pass(time.Minute)
		}
		for name, d := range map[string]*desk{"old": early, "recent": late} {
			if _, err := d.ask(node, 0); refusal.HasCode(err, refusal.CodeGone) != (name == "old") {
				t.Errorf("%s: got %v, want gone if it is old", name, err)
			}
		}
		for _, text := range []string{"", "a", "a.1", "a.1.1.1", ".1.1", "a.-1.1", "a.1.-1", "a.x!.1", "a.1.x!", late.after +
			"."} {
			if _, err := node.Changes(t.Context(), text, 0); !errors.Is(err, feed.ErrPosition) {
				t.Errorf("%q: got %v, want ErrPosition", text, err)
			}
		}
		ahead := &desk{after: late.after[:17] + "zzzz" + late.after[17:]}
		if _, err := ahead.ask(node, 0); !refusal.HasCode(err, refusal.CodeGone) {
			t.Errorf("%s: got %v, want gone: no such publication", ahead.after, err)
		}
	})
}

// TestEndWaits checks that waits end when the process stops.
func TestEndWaits(t *testing.T) {
	t.Parallel()
	following(t, true, func(t *testing.T, _ *table, node *feed.Service, d *desk) {
		go func() {
			time.Sleep(3 * time.Second)
			node.EndWaits()
		}()
		for i, want := range []time.Duration{3 * time.Second, 0} {
			begun := time.Now()
			if _, err := d.ask(node, 20*time.Second); err != nil || time.Since(begun) != want {
				t.Errorf("wait %d: got %v after %v, want an answer after %v", i, err, time.Since(begun), want)
			}
		}
	})
}

// TestMirrorIsDropped checks that a node without desks holds no rows, and that its
// desks can come back.
func TestMirrorIsDropped(t *testing.T) {
	t.Parallel()
	following(t, true, func(t *testing.T, b *table, node *feed.Service, d *desk) {
		b.put("a")
		if _, err := d.ask(node, 20*time.Second); err != nil {
			t.Fatal(err)
		}
		if got, want := node.Stats(), (feed.Stats{Rows: 1}); got != want {
			t.Errorf("in use: got %+v, want %+v", got, want)
		}
		if _, err := d.ask(node, 20*time.Second); err != nil { // it was not dropped under a desk that waits
			t.Fatal(err)
		}
		pass(3 * time.Minute)
		if got := node.Stats(); got != (feed.Stats{}) {
			t.Errorf("3 min later: got %+v, want nothing", got)
		}
		node.Committed(one(b.put("a")))
		if _, err := d.ask(node, 0); !refusal.HasCode(err, refusal.CodeGone) {
			t.Errorf("a desk that comes back: got %v, want gone", err)
		}
		d.load(t, node)
		if !maps.Equal(d.seen, b.picture()) {
			t.Errorf("got %v, want %v", d.seen, b.picture())
		}
	})
}

// TestDatabaseAway checks that desks are refused while the board cannot be read,
// and that nothing is missed.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newTable()
		node := newNode(b, true, 0)
		defer node.Close()
		b.fail(refusal.ErrUnreachable)
		if _, err := node.Snapshot(t.Context()); !errors.Is(err, refusal.ErrUnreachable) {
			t.Errorf("first snapshot: got %v, want ErrUnreachable", err)
		}
		b.fail(nil)
		d := &desk{}
		d.load(t, node)
		b.put("a")
		b.fail(refusal.ErrUnreachable)
		pass(time.Second)
		if _, err := d.ask(node, time.Second); !errors.Is(err, refusal.ErrUnreachable) {
			t.Errorf("changes: got %v, want ErrUnreachable", err)
		}
		if _, err := node.Snapshot(t.Context()); !errors.Is(err, refusal.ErrUnreachable) {
			t.Errorf("snapshot: got %v, want ErrUnreachable", err)
		}
		b.fail(nil)
		if _, err := d.ask(node, time.Second); err != nil || !maps.Equal(d.seen, b.picture()) {
			t.Errorf("afterwards: got %v, %v, want %v", d.seen, err, b.picture())
		}
	})
}

// TestCallerThatLeaves checks that a call ends with its context.
func TestCallerThatLeaves(t *testing.T) {
	t.Parallel()
	following(t, true, func(t *testing.T, _ *table, node *feed.Service, d *desk) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := node.Changes(ctx, d.after, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want DeadlineExceeded", err)
		}
		if got := node.Stats().Desks; got != 0 {
			t.Errorf("got %d desks, want none", got)
		}
	})
}

// TestManyHints checks that hints that would take too much memory are replaced by a
// comparison.
func TestManyHints(t *testing.T) {
	t.Parallel()
	following(t, false, func(t *testing.T, b *table, node *feed.Service, d *desk) {
		const many = 25_000
		ids := make([]string, many)
		for i := range ids {
			ids[i] = b.put(fmt.Sprint(i))
		}
		node.Committed(slices.Values(ids))
		if _, err := d.ask(node, time.Second); err != nil || !maps.Equal(d.seen, b.picture()) {
			t.Errorf("got %d orders, %v, want %d", len(d.seen), err, many)
		}
	})
}

// TestAnswersAreShared checks that desks at the same position share an answer, and
// what was rendered of it.
func TestAnswersAreShared(t *testing.T) {
	t.Parallel()
	following(t, true, func(t *testing.T, b *table, node *feed.Service, d *desk) {
		var mu sync.Mutex
		rendered := 0
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				got, err := node.Changes(t.Context(), d.after, 20*time.Second)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := got.Rendered("gzip", func() ([]byte, error) {
					mu.Lock()
					defer mu.Unlock()
					rendered++
					return nil, nil
				}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		b.put("a")
		all.Wait()
		if rendered != 1 {
			t.Errorf("got %d times, want once", rendered)
		}
	})
}
