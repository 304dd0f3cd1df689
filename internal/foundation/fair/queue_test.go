package fair_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/fair"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func anything(string, string) bool { return true }

// drain returns the values of a queue in the order in which they are served.
func drain(q *fair.Queue[string], admits func(key, value string) bool) (served []string) {
	for {
		value, ok := q.Next(admits)
		if !ok {
			return served
		}
		served = append(served, value)
	}
}

// fill adds values whose first letter is their key.
func fill(values ...string) *fair.Queue[string] {
	var q fair.Queue[string]
	for _, value := range values {
		q.Add(value[:1], value)
	}
	return &q
}

func TestKeysTakeTurns(t *testing.T) {
	t.Parallel()
	q := fill("a1", "a2", "a3", "b1", "c1", "c2")
	if got, want := strings.Join(drain(q, anything), " "), "a1 b1 c1 a2 c2 a3"; got != want || !q.Empty() {
		t.Errorf("got %s, want %s and nothing left", got, want)
	}
}

// TestNewcomerWaitsForItsTurn has a key that adds a value as soon as its last one
// is served. The other key is served nevertheless.
func TestNewcomerWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	q := fill("b1", "b2", "a0", "b3")
	var served []string
	for range 6 {
		value, _ := q.Next(anything)
		served = append(served, value)
		if value[:1] == "a" {
			q.Add("a", "a+")
		}
	}
	if got, want := strings.Join(served, " "), "b1 a0 b2 a+ b3 a+"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNextLeavesWhatIsNotAdmitted(t *testing.T) {
	t.Parallel()
	q := fill("a1", "b1", "c1", "a2", "c2")
	notA := func(key, _ string) bool { return key != "a" }
	if got, want := strings.Join(drain(q, notA), " "), "b1 c1 c2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := strings.Join(drain(q, anything), " "), "a1 a2"; got != want {
		t.Errorf("got %s afterwards, want %s", got, want)
	}
}

// TestPassedOverKeepsItsPlace serves others first, and then the key that was not
// admitted before the one that was served.
func TestPassedOverKeepsItsPlace(t *testing.T) {
	t.Parallel()
	q := fill("a1", "b1", "a2", "c1", "c2")
	first, _ := q.Next(anything)
	drain(q, func(key, _ string) bool { return key == "c" })
	if got, want := first+" "+strings.Join(drain(q, anything), " "), "a1 b1 a2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	q := fill("a1", "a2", "a3", "b1")
	if !q.Withdraw("a", "a2") || q.Withdraw("a", "a2") || !q.Withdraw("b", "b1") || q.Withdraw("c", "c1") {
		t.Error("got a value withdrawn twice, or none where one waited")
	}
	if got, want := strings.Join(drain(q, anything), " "), "a1 a3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestQueueIsFair adds and serves at random. Between two values of one key, every
// other key that has waited since the first is served once.
func TestQueueIsFair(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		var q fair.Queue[string]
		waiting := map[string]int{}
		passed := map[string][]string{} // by waiting key: the keys served since it began to wait or was served
		keys := []string{"a", "b", "c", "d"}
		for range 60 {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			if rapid.Bool().Draw(t, "add") {
				if q.Add(key, key); waiting[key] == 0 {
					passed[key] = nil
				}
				waiting[key]++
				continue
			}
			served, ok := q.Next(anything)
			if !ok {
				continue
			}
			if waiting[served]--; waiting[served] < 0 {
				t.Fatalf("%s was served more often than added", served)
			}
			passed[served] = nil
			for other, count := range waiting {
				if count > 0 && other != served {
					if slices.Contains(passed[other], served) {
						t.Fatalf("%s was served twice while %s waited", served, other)
					}
					passed[other] = append(passed[other], served)
				}
			}
		}
	})
}
