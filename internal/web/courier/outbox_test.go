package courier_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	sequencesPerService = 5
	stopsOfSequence     = 3
	picturesOfSequence  = 16

	staged = -1 // the seed of the sequence that leaves nothing to chance
)

// TestOutboxSequences drives the outbox through random sequences of lost connections, lost
// answers, killed apps, changed clocks and a desk that interferes. Every act is carried out
// once, in order, at its own time and on its own stop, or is among the refusals. What random
// sequences contain also depends on when responses arrive, so the staged one has some of each.
func TestOutboxSequences(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	begin := 0
	if testkit.Long() {
		begin = int(repeatable.Seed()%100_000) * 1000
	}
	var total figures
	var mu sync.Mutex // guards total
	check := func(t *testing.T, y *yard, s *sequence) {
		t.Helper()
		if faults := y.compare(t, s); len(faults) > 0 {
			t.Errorf("seed %d:\n%s", s.Seed, strings.Join(faults, "\n"))
		}
		mu.Lock()
		total.add(s)
		mu.Unlock()
	}
	t.Run("services", func(t *testing.T) {
		t.Run("staged", func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			for _, s := range y.play(t, staged, 1, "") {
				check(t, y, &s)
				var got figures
				got.add(&s)
				got.Sent, got.Lost, got.Tabs = 0, 0, 0 // of no interest
				// The app is also killed before the end of every sequence.
				if want := (figures{
					Sequences: 1, Acts: 11, Untroubled: 2, Refused: 1, Untimed: 1, AnswersLost: 1, Killed: 2, Desk: 1,
				}); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
		})
		for first := begin; first < begin+testkit.Scaled(500, 25); first += sequencesPerService {
			t.Run(fmt.Sprint("seeds from ", first), func(t *testing.T) {
				t.Parallel()
				y := newYard(t)
				for _, s := range y.play(t, first, sequencesPerService, "") {
					check(t, y, &s)
				}
			})
		}
	})
	t.Logf("%+v", total)
	if total.Untroubled == 0 || total.Refused == 0 || total.AnswersLost == 0 || total.Killed == 0 || total.Untimed == 0 ||
		total.Asked == 0 {
		t.Errorf("got %+v, want some of each", total)
	}
}

// TestOutboxSequencesFindFaults builds faults into the outbox, which the staged
// sequence finds.
func TestOutboxSequencesFindFaults(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	for _, fault := range []string{"new-key", "new-time", "other-order", "drop"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			for _, s := range y.play(t, staged, 1, fault) {
				if len(y.compare(t, &s)) == 0 {
					t.Error("got no difference, want one")
				}
			}
		})
	}
}

// sequence is what testdata/sequences.mjs reports.
type sequence struct {
	Seed   int
	Orders []struct {
		OrderID   string `json:"order_id"`
		Disturbed bool   // the desk has changed it
		Doubtful  bool   // acts were tapped while the phone's clock was wrong
	}
	Acts    []tapped // in the order in which they were tapped
	Waiting int      // acts that were not sent
	Trouble []string
	Figures figures
}

// tapped is an act of a courier.
type tapped struct {
	OrderID string `json:"order_id"`
	Kind    string
	Status  string
	At      string    // by the phone's clock
	Tapped  time.Time // by a right clock
	Sure    bool      // the phone's clock was right, and had been for the acts before it
	Refused string    // empty if it was carried out
	Untimed bool      // a picture that was sent again without its time
}

// figures say what happened in sequences.
type figures struct {
	Sequences, Acts, Untroubled, Refused, Untimed                  int
	Sent, Lost, AnswersLost, Killed, Clocks, Desk, SignedOut, Tabs int
	Asked                                                          int
}

func (f *figures) add(s *sequence) {
	f.Sequences++
	for _, a := range s.Acts {
		f.Acts++
		if a.Refused != "" {
			f.Refused++
		}
		if a.Untimed {
			f.Untimed++
		}
	}
	for _, o := range s.Orders {
		if !o.Disturbed && !o.Doubtful {
			f.Untroubled++
		}
	}
	f.Sent, f.Lost, f.AnswersLost = f.Sent+s.Figures.Sent, f.Lost+s.Figures.Lost, f.AnswersLost+s.Figures.AnswersLost
	f.Killed, f.Clocks, f.Desk = f.Killed+s.Figures.Killed, f.Clocks+s.Figures.Clocks, f.Desk+s.Figures.Desk
	f.SignedOut, f.Tabs, f.Asked = f.SignedOut+s.Figures.SignedOut, f.Tabs+s.Figures.Tabs, f.Asked+s.Figures.Asked
}

// play runs sequences, and returns what they report.
func (y *yard) play(t *testing.T, first, count int, fault string) (played []sequence) {
	t.Helper()
	var failed bytes.Buffer
	command := exec.CommandContext(t.Context(), "node", "--import", "../types/resolve.mjs", "testdata/sequences.mjs",
		y.address, strconv.Itoa(first), strconv.Itoa(count), fault)
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		t.Errorf("seeds from %d: %v\n%s", first, err, &failed)
	}
	for line := range bytes.Lines(out) {
		var one sequence
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		played = append(played, one)
	}
	if len(played) != count {
		t.Errorf("got the reports of %d sequences from %d on, want %d", len(played), first, count)
	}
	return played
}
