package route

import (
	"cmp"
	"slices"
)

// problem is what the search needs of stops. All times are in microseconds, and
// those of day are counted from the start.
type problem struct {
	// travel[i*n+j] is the time from stop i to stop j of n; the last row has the times
	// from the start.
	travel           []int64
	earliest, latest []int64
	atStop           int64
	fixed            int // stops at the beginning of the order that stay where they are: 0 or 1
}

func newProblem(stops []Stop, start Start, pace Pace) *problem {
	n := len(stops)
	p := &problem{
		earliest: make([]int64, n), latest: make([]int64, n),
		atStop: pace.AtStop.Microseconds(),
	}
	areas := make([]string, n, n+1)
	for i, stop := range stops {
		areas[i] = stop.Area
		p.earliest[i] = max(stop.Earliest.Sub(start.At), 0).Microseconds()
		p.latest[i] = stop.Latest.Sub(start.At).Microseconds()
	}
	if start.Area == "" && n > 0 {
		start.Area, p.fixed = stops[0].Area, 1
	}
	for _, row := range pace.table(append(areas, start.Area)) {
		p.travel = append(p.travel, row[:n]...)
	}
	return p
}

// table returns the times between areas, in microseconds.
func (p Pace) table(areas []string) [][]int64 {
	times := make([][]int64, len(areas))
	points, known := make([]Point, len(areas)), make([]bool, len(areas))
	for i, code := range areas {
		points[i], known[i] = Centroid(code)
		times[i] = make([]int64, len(areas))
		for j := range i {
			if known[i] && known[j] {
				travel := p.onTheWay(Kilometres(points[i], points[j])).Microseconds()
				times[i][j], times[j][i] = travel, travel
			}
		}
	}
	return times
}

// state is how far an order has come after some of its stops: what an order costs,
// once all are done. All are in microseconds.
type state struct {
	late int64 // the sum over all stops
	end  int64 // when the last stop was done
	way  int64
}

// less reports whether an order that costs a is better than one that costs b.
func (a state) less(b state) bool {
	return cmp.Or(cmp.Compare(a.late, b.late), cmp.Compare(a.end, b.end), cmp.Compare(a.way, b.way)) < 0
}

// next returns the state after one more stop, on the way from another.
func (p *problem) next(s state, from, stop int) state {
	travel := p.travel[from*len(p.latest)+stop]
	arrival := max(s.end+travel, p.earliest[stop])
	return state{late: s.late + max(arrival-p.latest[stop], 0), end: arrival + p.atStop, way: s.way + travel}
}

// from returns the times from a stop, or from the start, to all stops.
func (p *problem) from(stop int) []int64 {
	n := len(p.latest)
	return p.travel[stop*n : (stop+1)*n]
}

// start returns the place of the start among the rows of travel.
func (p *problem) start() int { return len(p.latest) }

// before returns the stop before a place in an order, or the start.
func (p *problem) before(order []int, place int) int {
	if place == 0 {
		return p.start()
	}
	return order[place-1]
}

// cost returns what an order costs.
func (p *problem) cost(order []int) (s state) {
	for place, stop := range order {
		s = p.next(s, p.before(order, place), stop)
	}
	return s
}

// given returns the stops as they are given.
func (p *problem) given() []int {
	order := make([]int, len(p.latest))
	for i := range order {
		order[i] = i
	}
	return order
}

// insertNearest returns an order that grows by the stop that is nearest to any stop
// in it, at the place where the order then costs least.
func (p *problem) insertNearest() []int {
	order := p.given()[:p.fixed]
	left := p.given()[p.fixed:]
	distance := slices.Clone(p.from(p.start())) // of each stop from the nearest that is placed
	for len(left) > 0 {
		nearest := 0
		for i, stop := range left {
			if distance[stop] < distance[left[nearest]] {
				nearest = i
			}
		}
		stop := left[nearest]
		left = slices.Delete(left, nearest, nearest+1)
		order = slices.Insert(order, p.bestPlace(order, stop), stop)
		for _, other := range left {
			distance[other] = min(distance[other], p.from(stop)[other])
		}
	}
	return order
}

// bestPlace returns the place at which an order costs least with one more stop.
func (p *problem) bestPlace(order []int, stop int) (place int) {
	var best, done state
	for at := range len(order) + 1 {
		if at > 0 {
			done = p.next(done, p.before(order, at-1), order[at-1])
		}
		if at < p.fixed {
			continue
		}
		cost := p.next(done, p.before(order, at), stop)
		from := stop
		for _, later := range order[at:] {
			cost = p.next(cost, from, later)
			from = later
		}
		if at == p.fixed || cost.less(best) {
			best, place = cost, at
		}
	}
	return place
}

// maxSteps bounds the stops that improve looks at, so that it ends in time whatever
// the stops are.
const maxSteps = 5_000_000

// changes are what is tried with a part of an order: all of it the other way round
// (2-opt), its first stop at its end, and its last stop at its beginning.
var changes = []func(part []int){
	slices.Reverse[[]int],
	func(part []int) { first := part[0]; part[copy(part, part[1:])] = first },
	func(part []int) { last := part[len(part)-1]; copy(part[1:], part); part[0] = last },
}

// improve changes parts of an order as long as that makes it cost less.
func (p *problem) improve(order []int) {
	states := make([]state, len(order)+1) // after as many stops of the order
	p.fill(states, order, 0)
	scratch := make([]int, len(order))
	for better, steps := true, 0; better && steps < maxSteps; {
		better = false
		for first := p.fixed; first < len(order)-1 && steps < maxSteps; first++ {
			for last := first + 1; last < len(order); last++ {
				for _, change := range changes {
					part := scratch[:copy(scratch, order[first:last+1])]
					change(part)
					less, looked := p.improves(order, states, first, part)
					if steps += looked; less {
						copy(order[first:], part)
						p.fill(states, order, first)
						better = true
					}
				}
			}
		}
	}
}

// fill writes the states of an order from a place on.
func (p *problem) fill(states []state, order []int, from int) {
	for place := from; place < len(order); place++ {
		states[place+1] = p.next(states[place], p.before(order, place), order[place])
	}
}

// improves reports whether an order costs less with another part from the place first
// on, and how many stops it had to look at. It stops early: a courier who leaves a stop
// later arrives no earlier at those that follow.
func (p *problem) improves(order []int, states []state, first int, part []int) (less bool, looked int) {
	now, best := states[first], states[len(order)]
	from := p.before(order, first)
	for _, stop := range part {
		looked++
		if now = p.next(now, from, stop); now.late > best.late {
			return false, looked
		}
		from = stop
	}
	for place := first + len(part); place < len(order); place++ {
		looked++
		now = p.next(now, from, order[place])
		from = order[place]
		if old := states[place+1]; now.late >= old.late && now.end >= old.end && now.way >= old.way {
			return false, looked
		}
	}
	return now.less(best), looked
}
