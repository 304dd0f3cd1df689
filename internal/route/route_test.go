package route

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

var (
	morning  = time.Date(2026, 3, 3, 13, 0, 0, 0, time.UTC)
	ordinary = Pace{Speed: 30, AtStop: 5 * time.Minute}
)

// codes lists areas of Montreal, Toronto and Vancouver, and some that are unknown.
var codes = func() []string {
	var found []string
	for code := range centroids() {
		if len(code) == codeLength && (code[0] == 'H' || code[0] == 'M' || code[:2] == "V6") {
			found = append(found, code)
		}
	}
	slices.Sort(found)
	return append(found, "H0H", "D1D", "")
}()

// someStops draws up to most stops with windows before and after the morning.
func someStops(most int) *rapid.Generator[[]Stop] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Stop {
		opens := time.Duration(rapid.IntRange(-300, 600).Draw(t, "opens")) * time.Minute
		length := time.Duration(rapid.IntRange(1, 480_000).Draw(t, "length")) * time.Millisecond * 60
		return Stop{
			Area:     rapid.SampledFrom(codes).Draw(t, "area"),
			Earliest: morning.Add(opens), Latest: morning.Add(opens + length),
		}
	}), 0, most)
}

var someStart = rapid.Custom(func(t *rapid.T) Start {
	return Start{Area: rapid.SampledFrom(codes).Draw(t, "start"), At: morning}
})

// total returns the lateness and the way of stops that are done in an order.
func total(stops []Stop, order []int, start Start, pace Pace) (late time.Duration, way float64) {
	sorted := make([]Stop, len(order))
	for place, stop := range order {
		sorted[place] = stops[stop]
	}
	for _, visit := range Follow(sorted, start, pace) {
		late, way = late+visit.Late, way+visit.Way
	}
	return late, way
}

// given returns the places of n stops in the order in which they are given.
func given(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func TestProposalProperties(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		stops, start := someStops(25).Draw(t, "stops"), someStart.Draw(t, "start")
		got := Propose(stops, start, ordinary)
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, given(len(stops))) {
			t.Fatalf("got %v, want each of %d stops once", got, len(stops))
		}
		if start.Area == "" && len(stops) > 0 && got[0] != 0 {
			t.Fatalf("got stop %d first, want the first that was given, because the start is not known", got[0])
		}
		before, _ := total(stops, given(len(stops)), start, ordinary)
		if after, _ := total(stops, got, start, ordinary); after > before {
			t.Fatalf("got %v late in all, want at most the %v of the given order", after, before)
		}
		if again := Propose(stops, start, ordinary); !slices.Equal(again, got) {
			t.Fatalf("got %v, then %v for the same stops", got, again)
		}
	})
}

// TestProposalIsNearTheBest compares the proposals for a few stops with all other
// orders: three in four must be as good as the best.
func TestProposalIsNearTheBest(t *testing.T) {
	t.Parallel()
	random := repeatable.Rand(t)
	best := 0
	const rounds = 500
	for range rounds {
		stops, start := randomStops(random, 7), Start{Area: "H2W", At: morning}
		p := newProblem(stops, start, ordinary)
		cheapest := p.cost(p.given())
		permutations(p.given(), func(order []int) {
			if cost := p.cost(order); cost.less(cheapest) {
				cheapest = cost
			}
		})
		if !cheapest.less(p.cost(Propose(stops, start, ordinary))) {
			best++
		}
	}
	if want := rounds * 3 / 4; best < want {
		t.Errorf("got the best of all orders in %d of %d rounds, want at least %d", best, rounds, want)
	}
	t.Logf("the best of all orders in %d of %d rounds", best, rounds)
}

// permutations calls fn with every order of the elements.
func permutations(order []int, fn func([]int)) {
	var permute func(n int)
	permute = func(n int) {
		if n == len(order) {
			fn(order)
			return
		}
		for i := n; i < len(order); i++ {
			order[n], order[i] = order[i], order[n]
			permute(n + 1)
			order[n], order[i] = order[i], order[n]
		}
	}
	permute(0)
}

// randomStops returns stops in Montreal with windows of two to eight hours.
func randomStops(random interface{ IntN(n int) int }, n int) []Stop {
	montreal := slices.DeleteFunc(slices.Clone(codes), func(code string) bool { return code == "" || code[0] != 'H' })
	stops := make([]Stop, n)
	for i := range stops {
		opens := morning.Add(time.Duration(random.IntN(6)) * time.Hour)
		stops[i] = Stop{
			Area:     montreal[random.IntN(len(montreal))],
			Earliest: opens, Latest: opens.Add(time.Duration(2+random.IntN(7)) * time.Hour),
		}
	}
	return stops
}

// TestProposalShortensTheWay checks that a courier without hurry does not go to and
// fro, and that one who must hurry does.
func TestProposalShortensTheWay(t *testing.T) {
	t.Parallel()
	allDay := func(area string) Stop { return Stop{Area: area, Earliest: morning, Latest: morning.Add(8 * time.Hour)} }
	start := Start{Area: "H9X", At: morning} // the west of the island
	east, west, middle := "H1A", "H9W", "H4B"
	for _, c := range []struct {
		name  string
		stops []Stop
		want  []int
	}{
		{"no hurry", []Stop{allDay(east), allDay(west), allDay(middle)}, []int{1, 2, 0}},
		{"an urgent stop in the east", []Stop{
			{east, morning, morning.Add(90 * time.Minute)}, allDay(west), allDay(middle),
		}, []int{0, 2, 1}},
		{"a stop on the way that opens later", []Stop{allDay(east), {west, morning.Add(6 * time.Hour), morning.Add(8 *
			time.Hour)}, allDay(middle)}, []int{0, 2, 1}},
		{"an unknown area", []Stop{allDay(east), allDay("D1D"), allDay(middle)}, []int{2, 0, 1}},
		{"none", nil, []int{}},
	} {
		if got := Propose(c.stops, start, ordinary); len(got) != len(c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		} else {
			late, way := total(c.stops, got, start, ordinary)
			wantLate, wantWay := total(c.stops, c.want, start, ordinary)
			if late > wantLate || way > wantWay+0.01 {
				t.Errorf("%s: got %v with %v late and %.1f km, want %v with %v and %.1f km", c.name, got, late, way, c.want,
					wantLate, wantWay)
			}
		}
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	stops := []Stop{
		{"H2W", morning.Add(time.Hour), morning.Add(2 * time.Hour)},
		{"H2W", morning.Add(-time.Hour), morning.Add(time.Hour)},
		{"D1D", time.Time{}, morning.Add(2 * time.Hour)},
	}
	visits := Follow(stops, Start{Area: "H2W", At: morning}, ordinary)
	for i, want := range []Visit{
		{Arrival: morning.Add(time.Hour)}, // waited for
		{Arrival: morning.Add(65 * time.Minute), Late: 5 * time.Minute},
		{Arrival: morning.Add(70 * time.Minute)},
	} {
		if visits[i] != want {
			t.Errorf("visit %d: got %v, want %v", i, visits[i], want)
		}
	}
	visits = Follow([]Stop{{Area: "M5H", Latest: morning.Add(24 * time.Hour)}}, Start{Area: "H2W", At: morning}, ordinary)
	if got := visits[0].Arrival.Sub(morning); got < 16*time.Hour || got > 17*time.Hour+30*time.Minute {
		t.Errorf("from Montreal to Toronto at 30 km/h: got %v, want about 16h50m", got)
	}
}

// BenchmarkPropose measures the largest round that couriers have.
func BenchmarkPropose(b *testing.B) {
	for _, c := range []struct {
		name  string
		hours time.Duration // by which the windows are moved
	}{{"on time", 0}, {"late", -12}} {
		b.Run(c.name, func(b *testing.B) {
			stops := randomStops(repeatable.Rand(b), 200)
			for i := range stops {
				stops[i].Earliest, stops[i].Latest = stops[i].Earliest.Add(c.hours*time.Hour),
					stops[i].Latest.Add(c.hours*time.Hour)
			}
			for b.Loop() {
				Propose(stops, Start{Area: "H2W", At: morning}, ordinary)
			}
		})
	}
}
