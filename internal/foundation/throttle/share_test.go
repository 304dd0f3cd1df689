package throttle

import (
	"testing"
	"time"
)

// TestShareTake has one case for each condition that a share can be in.
func TestShareTake(t *testing.T) {
	t.Parallel()
	const now = 1000 * time.Second
	rate := Rate{Per: time.Minute, Limit: 60, Burst: 60}
	other := Rate{Per: time.Minute, Limit: 600, Burst: 600}
	lease := Lease{Size: 4, Until: now + time.Second}
	for _, test := range []struct {
		name    string
		share   share
		allowed bool
		decided bool
	}{
		{"new", newShare(rate), false, false},
		{"with a lease", share{rate: rate, lease: lease, spent: 3}, true, true},
		{"lease used up", share{rate: rate, lease: lease, spent: 4}, false, false},
		{"lease ended", share{rate: rate, lease: Lease{Size: 4, Until: now}}, false, false},
		{"lease from the future", share{rate: rate, lease: Lease{Size: 4, Until: now + time.Hour}}, false, false},
		{"lease of another rate", share{rate: other, lease: lease}, false, false},
		{"alone", share{rate: rate, alone: period{now, now + 1}}, true, true},
		{"alone, rate used up", share{rate: rate, alone: period{now, now + 1}, tat: now + time.Minute}, false, true},
		{"alone no longer", share{rate: rate, alone: period{now - time.Second, now}}, false, false},
		{"rate used up", share{rate: rate, tat: now + time.Minute}, false, true},
		{"nothing was free just now", share{rate: rate, pause: period{now, now + 1}}, false, true},
	} {
		verdict, decided := test.share.take(rate, 1, now)
		if decided != test.decided || decided && verdict.Allowed != test.allowed {
			t.Errorf("%s: got %+v, decided %t; want allowed %t, decided %t",
				test.name, verdict, decided, test.allowed, test.decided)
		}
		if decided && verdict.Allowed == (verdict.RetryAfter > 0) {
			t.Errorf("%s: got %+v, want a RetryAfter if and only if it is refused", test.name, verdict)
		}
	}
}

func TestSteadyClock(t *testing.T) {
	t.Parallel()
	var c steadyClock
	for _, step := range []struct{ reading, want time.Duration }{
		{100 * time.Second, 100 * time.Second},
		{99 * time.Second, 100 * time.Second},
		{101 * time.Second, 101 * time.Second},
		{101*time.Second - maxSkew, 101 * time.Second},
		{101*time.Second - maxSkew - 1, 101*time.Second - maxSkew - 1},
	} {
		if got := c.at(step.reading); got != step.want {
			t.Errorf("at(%v): got %v, want %v", step.reading, got, step.want)
		}
	}
}
