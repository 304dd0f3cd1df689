package order

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dropyard/dropyard/internal/idempotency"
)

// groupsOf returns the groups in which commands are settled that wait at the same
// time. A command is named by its partner; a batch by its partner and an asterisk.
func groupsOf(byPartner bool, commands ...command) (groups []string) {
	c := newCommitter(Config{ByPartner: byPartner})
	for _, cmd := range commands {
		c.add(&waiting{partnerID: cmd.partner(), command: cmd})
	}
	for !c.queue.Empty() {
		var names strings.Builder
		for _, w := range c.gather() {
			names.WriteString(w.partnerID)
			if weightOf(w.command) > 1 {
				names.WriteString("*")
			}
		}
		groups = append(groups, names.String())
	}
	return groups
}

func single(partnerID string) command { return owned{partnerID: partnerID} }

func batchOf(partnerID string, orders int) command {
	batch := &batchCommand{parts: slices.Repeat([]command{single(partnerID)}, orders)}
	batch.request.PartnerID = partnerID
	return batch
}

// TestTurns checks that a group takes commands of the partners in turn, at most
// maxGroup, and no more orders of batches than maxOfBatches.
func TestTurns(t *testing.T) {
	t.Parallel()
	a, b, c := single("a"), single("b"), single("c")
	full := func(partnerID string) command { return batchOf(partnerID, maxOfBatches) }
	for name, test := range map[string]struct {
		commands []command
		want     string // groups
		apart    string // groups of one partner each
	}{
		"one":                    {[]command{a}, "a", "a"},
		"in turn":                {[]command{a, a, a, b, c, c}, "abcaca", "aaa b cc"},
		"batches one by one":     {[]command{full("a"), full("b"), full("a"), c}, "a*c b* a*", "a* b* a* c"},
		"small batches together": {[]command{batchOf("a", 4), batchOf("b", 4), c}, "a*b*c", "a* b* c"},
		"singles behind a batch": {[]command{full("a"), full("b"), b, c}, "a*c b*b", "a* b*b c"},
		"more than a group": {slices.Repeat([]command{a}, maxGroup+2), strings.Repeat("a", maxGroup) + " aa",
			strings.Repeat("a", maxGroup) + " aa"},
		"many of one partner": {append(slices.Repeat([]command{a}, maxGroup),
			b), "ab" + strings.Repeat("a", maxGroup-2) + " a",
			strings.Repeat("a", maxGroup) + " b"},
	} {
		if got := strings.Join(groupsOf(false, test.commands...), " "); got != test.want {
			t.Errorf("%s: got groups %s, want %s", name, got, test.want)
		}
		got := groupsOf(true, test.commands...)
		slices.Sort(got)
		want := strings.Fields(test.apart)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s, by partner: got groups %v, want %v", name, got, want)
		}
	}
}

func TestSettledTogether(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ orders, bytes, want int }{
		{1, 0, 32}, {500, 550 << 10, 32}, {60, 60 * 60 << 10, 2}, {100, 100 * 10 << 10, 12}, {3, 4 << 20, 1},
	} {
		if got := settledTogether(test.orders, test.bytes); got != test.want {
			t.Errorf("%d orders in %d bytes: got %d together, want %d", test.orders, test.bytes, got, test.want)
		}
	}
}

// TestBatchIsSettledInParts checks that a command of another partner comes between
// the parts of a batch.
func TestBatchIsSettledInParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{gate: make(chan struct{})}
		c := startCommitter(Config{Store: store})
		parts := slices.Repeat([]command{note{number: 1}}, 2*maxOfBatches)
		request := idempotency.Request{Key: keyOf(0)}
		_, all := submitAll(t.Context(), c, &batchCommand{request: request, parts: parts[:maxOfBatches]},
			&batchCommand{request: request, parts: parts[maxOfBatches:]}, owned{partnerID: "par_b"})
		close(store.gate)
		all.Wait()
		c.close()
		if want := []int{2, 3}; !slices.Equal(store.groups, want) {
			t.Errorf("got groups with %v keys, want %v", store.groups, want)
		}
	})
}
