// Package route proposes in which order a courier should do the stops of a round:
// as few minutes late as possible, and then by the shortest way. Distances are
// those between the centroids of forward sortation areas. The package is pure.
package route

import "time"

// Stop is a place that a courier has to go to.
type Stop struct {
	Area     string    // forward sortation area, as Centroid takes it
	Earliest time.Time // the courier waits until then; zero for no wait
	Latest   time.Time // a later arrival is late
}

// Start is where and when a courier sets out.
type Start struct {
	Area string // empty if that is not known: then the first stop stays the first, and the way begins there
	At   time.Time
}

// Pace describes how fast a courier is.
type Pace struct {
	Speed  float64       // in km/h, above 0, along straight lines between areas
	AtStop time.Duration // spent at each stop
}

// Visit is when a stop is done.
type Visit struct {
	Arrival time.Time     // after the wait for Earliest, if there was one
	Late    time.Duration // by how much that is after Latest; 0 if it is not
	Way     float64       // kilometres from the stop before
}

// Follow returns the visits of stops that are done in the given order.
func Follow(stops []Stop, start Start, pace Pace) []Visit {
	visits := make([]Visit, len(stops))
	here, now := start.Area, start.At
	if here == "" && len(stops) > 0 {
		here = stops[0].Area
	}
	for i, stop := range stops {
		way := between(here, stop.Area)
		arrival := now.Add(pace.onTheWay(way))
		if arrival.Before(stop.Earliest) {
			arrival = stop.Earliest
		}
		visits[i] = Visit{Arrival: arrival, Late: max(arrival.Sub(stop.Latest), 0), Way: way}
		here, now = stop.Area, arrival.Add(pace.AtStop)
	}
	return visits
}

// between returns the kilometres between two areas. An area that is not known counts
// as next door to any other.
func between(a, b string) float64 {
	from, known := Centroid(a)
	to, alsoKnown := Centroid(b)
	if !known || !alsoKnown {
		return 0
	}
	return Kilometres(from, to)
}

// onTheWay returns how long a way takes, in whole seconds.
func (p Pace) onTheWay(kilometres float64) time.Duration {
	return time.Duration(kilometres/p.Speed*time.Hour.Seconds()+0.5) * time.Second
}

// Propose returns an order for stops, as their places in the slice, beginning with
// the first to be done. Its total lateness is at most that of the stops as they are
// given. Among orders that it finds equally late it prefers the one that ends
// earliest, and then the one with the shortest way. The same stops have the same
// proposal.
//
// It inserts the stop that is nearest to those placed already where it does the
// least harm, until all are placed; then it reverses parts of the order (2-opt) and
// moves single stops as long as that helps, within a bounded number of steps.
func Propose(stops []Stop, start Start, pace Pace) []int {
	p := newProblem(stops, start, pace)
	given := p.given()
	best := p.insertNearest()
	if p.cost(given).less(p.cost(best)) {
		best = given
	}
	p.improve(best)
	return best
}
