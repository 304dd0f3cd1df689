package webhook

import (
	"sync"
	"time"
)

// Speed is how quickly an endpoint has answered.
type Speed int

// The speeds of endpoints.
const (
	Quick   Speed = iota // its requests take a second or less
	Untried              // none of its requests has ended yet
	Slow                 // its requests take longer
)

// Speeds lists all speeds, in the order in which their endpoints get lanes.
var Speeds = [...]Speed{Quick, Untried, Slow}

// String returns the name of the speed.
func (s Speed) String() string { return [...]string{"quick", "untried", "slow"}[s] }

// Speed returns how quickly the endpoint has answered.
func (e *Endpoint) Speed() Speed { return speedAt(e.Pace) }

func speedAt(pace int64) Speed {
	switch pace {
	case 0:
		return Untried
	case 1:
		return Quick
	default:
		return Slow
	}
}

// paceAfter returns the pace of an endpoint after a request that has lasted so
// long. A slower request counts immediately. A quicker one takes off a quarter, so
// that an endpoint that answers quickly once in a while stays slow.
func paceAfter(pace int64, lasted time.Duration) int64 {
	seconds := int64((lasted + time.Second - 1) / time.Second)
	return max(1, seconds, pace*3/4)
}

// permits are the requests that one node may have under way. Each lane holds a permit
// as long as it runs, in which it sends one request at a time, and takes another
// for each further request.
//
// Slow endpoints together get an eighth of the permits, however many they are. The
// last eighth is for quick endpoints only. So neither endpoints that are known to
// be slow nor new ones, which may turn out to be, can keep quick ones waiting.
type permits struct {
	most int // at least share

	mu      sync.Mutex
	lanes   int               // guarded by mu
	used    [len(Speeds)]int  // guarded by mu
	waiting [len(Speeds)]bool // endpoints wait for a lane; guarded by mu
}

// share is the part of the permits that slow endpoints get, and the part that is kept
// for quick ones: one of so many.
const share = 8

func newPermits(most int) *permits { return &permits{most: max(share, most)} }

// room returns how many permits endpoints of a speed may take.
func (s *permits) room(speed Speed) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left(speed)
}

// left does the work of room. The caller holds mu.
func (s *permits) left(speed Speed) int {
	free := s.most - s.total()
	if speed != Quick {
		free -= s.most / share
	}
	if speed == Slow {
		free = min(free, s.most/share-s.used[Slow])
	}
	return max(0, free)
}

// total returns the number of permits in use. The caller holds mu.
func (s *permits) total() int { return s.used[Quick] + s.used[Untried] + s.used[Slow] }

// take takes a permit for one more request of a lane that has one under way, and
// reports whether there was one that no endpoint without a lane waits for.
func (s *permits) take(speed Speed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[speed] || s.left(speed) == 0 {
		return false
	}
	s.used[speed]++
	return true
}

// reserve takes up to n permits for new lanes, and returns how many it has taken.
func (s *permits) reserve(speed Speed, n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, s.left(speed))
	s.used[speed] += n
	return n
}

// begin takes the permit of a new lane.
func (s *permits) begin(speed Speed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[speed]++
	s.lanes++
}

// end returns the permit of a lane that ends.
func (s *permits) end(speed Speed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[speed]--
	s.lanes--
}

// running returns the number of lanes.
func (s *permits) running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lanes
}

// add takes permits, or returns them if n is negative. The caller has
// reserved them, or moves permits from one speed to another.
func (s *permits) add(speed Speed, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[speed] += n
}

// await notes whether endpoints of a speed wait for a lane because there is no room.
func (s *permits) await(speed Speed, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[speed] = waiting
}

// wanted reports whether a lane of a speed should end, so that another endpoint gets
// its permit.
func (s *permits) wanted(speed Speed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting[speed] || speed == Slow && s.used[Slow] > s.most/share
}

// crowded reports whether more than half of the permits are in use. Then each endpoint
// gets one request at a time, and lanes without events park immediately.
func (s *permits) crowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total() > s.most/2
}

// counts returns the permits in use by each speed.
func (s *permits) counts() [len(Speeds)]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}
