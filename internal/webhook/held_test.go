package webhook

import "testing"

// TestLaneIsHeld: a lane starts no request while requests are held, and gives up its endpoint,
// which stays due.
func TestLaneIsHeld(t *testing.T) {
	t.Parallel()
	r := newRig()
	steps := []struct {
		held bool
		on   input
		want string
	}{
		{false, just(onWoken), "fetch 20"},
		{false, finds("a", "b"), "start a, start b"},
		{true, answers("a", 200), "report a"},
		{true, just(onBeat), ""},
		{true, answers("b", 200), "report b"},
		{true, settles(nil, "a", "b"), "park, yielding"},
	}
	for i, step := range steps {
		r.held = step.held
		if got := r.send(step.on(r)); got != step.want {
			t.Errorf("step %d: got the commands %q, want %q", i, got, step.want)
		}
	}
	r = newRig()
	r.held = true
	if got := r.send(onWoken); got != "fetch 20" {
		t.Errorf("a lane that begins while requests are held: got %q, want fetch 20", got)
	}
	if got := r.send(finds("a")(r)); got != "park, yielding" {
		t.Errorf("found while requests are held: got %q, want park, yielding", got)
	}
}
