package webhook

import (
	"testing"
	"time"
)

func TestPermitShares(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		used [len(Speeds)]int // quick, untried, slow
		want [len(Speeds)]int // room for them
	}{
		{[...]int{0, 0, 0}, [...]int{80, 70, 10}},
		{[...]int{0, 0, 10}, [...]int{70, 60, 0}},
		{[...]int{0, 0, 25}, [...]int{55, 45, 0}}, // some have become slow
		{[...]int{0, 70, 0}, [...]int{10, 0, 0}},
		{[...]int{0, 65, 3}, [...]int{12, 2, 2}},
		{[...]int{0, 60, 10}, [...]int{10, 0, 0}},
		{[...]int{75, 0, 0}, [...]int{5, 0, 0}},
		{[...]int{80, 0, 0}, [...]int{0, 0, 0}},
	} {
		s := newPermits(80)
		for _, speed := range Speeds {
			s.add(speed, c.used[speed])
		}
		for _, speed := range Speeds {
			if got := s.room(speed); got != c.want[speed] {
				t.Errorf("%v in use: got room for %d %s endpoints, want %d", c.used, got, speed, c.want[speed])
			}
			if taken := s.take(speed); taken != (c.want[speed] > 0) {
				t.Errorf("%v in use: got a slot for a %s endpoint: %t", c.used, speed, taken)
			} else if taken {
				s.add(speed, -1)
			}
		}
		if got := s.counts(); got != c.used {
			t.Errorf("got %v in use afterwards, want %v", got, c.used)
		}
	}
}

// TestPace: slower requests count immediately, quicker ones take off a quarter.
func TestPace(t *testing.T) {
	t.Parallel()
	pace := int64(0)
	for i, c := range []struct {
		lasted time.Duration
		want   int64
		speed  Speed
	}{
		{time.Millisecond, 1, Quick},
		{time.Second, 1, Quick},
		{time.Second + time.Nanosecond, 2, Slow},
		{0, 1, Quick},
		{14 * time.Second, 14, Slow},
		{time.Second, 10, Slow},
		{time.Second, 7, Slow},
		{6 * time.Second, 6, Slow},
		{time.Second, 4, Slow},
		{time.Second, 3, Slow},
		{time.Second, 2, Slow},
		{time.Second, 1, Quick},
	} {
		before := pace
		if pace = paceAfter(before, c.lasted); pace != c.want || speedAt(pace) != c.speed {
			t.Errorf("request %d, %v at pace %d: got pace %d, %s, want %d, %s", i, c.lasted, before, pace, speedAt(pace), c.want,
				c.speed)
		}
	}
}
