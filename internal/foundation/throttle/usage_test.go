package throttle_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// someTime is the beginning of a generation.
const someTime = 1_767_225_600 * time.Second

// grantFour returns a usage at someTime with one lease of four requests, and
// the account of a node that has spent two of them.
func grantFour(t *testing.T) (throttle.Usage, throttle.Account) {
	t.Helper()
	usage, lease := throttle.Grant(partnerRate(), throttle.Usage{}, throttle.Account{}, throttle.Demand{Ahead: 4},
		someTime)
	if lease.Size != 4 || usage.Leased != 4 {
		t.Fatalf("got ledger %+v and lease %+v, want 4 leased", usage, lease)
	}
	return usage, throttle.Account{
		Generation: lease.Generation, Leased: 4, Spent: 2, From: someTime, Interval: 200 * time.Millisecond,
	}
}

func TestGrantSettlesLeaseOnce(t *testing.T) {
	t.Parallel()
	usage, account := grantFour(t)
	once, _ := throttle.Grant(partnerRate(), usage, account, throttle.Demand{}, someTime)
	if want := someTime + 2*200*time.Millisecond; once.Leased != 0 || once.Tat != want {
		t.Errorf("first account: got %+v, want nothing leased and tat %v", once, want)
	}
	twice, _ := throttle.Grant(partnerRate(), once, account, throttle.Demand{}, someTime)
	if twice.Leased != 0 || twice.Tat < once.Tat {
		t.Errorf("same account again: got %+v, want nothing leased and tat at least %v", twice, once.Tat)
	}
}

func TestGrantChargesLapsedLeaseWhole(t *testing.T) {
	t.Parallel()
	usage, account := grantFour(t)
	want := someTime + 4*time.Second + 4*200*time.Millisecond
	lapsed, _ := throttle.Grant(partnerRate(), usage, throttle.Account{}, throttle.Demand{}, someTime+4*time.Second)
	if lapsed.Tat != want {
		t.Errorf("two generations later: got %+v, want tat %v", lapsed, want)
	}
	late, _ := throttle.Grant(partnerRate(), lapsed, account, throttle.Demand{}, someTime+6*time.Second)
	if late.Tat != want {
		t.Errorf("account after the lease lapsed: got %+v, want tat %v", late, want)
	}
}

func TestGrantSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		burst, used int64
		demand      throttle.Demand
		want        int64
	}{
		{"ahead: a 64th of the burst", 6400, 0, throttle.Demand{Waiting: 1, Ahead: 1000}, 100},
		{"ahead: not more than asked", 6400, 0, throttle.Demand{Waiting: 1, Ahead: 7}, 7},
		{"ahead: at least one", 10, 0, throttle.Demand{Ahead: 5}, 1},
		{"ahead: a quarter of what is free", 6400, 6200, throttle.Demand{Waiting: 1, Ahead: 1000}, 50},
		{"ahead: the last one", 6400, 6399, throttle.Demand{Ahead: 1000}, 1},
		{"waiting: all of them", 6400, 0, throttle.Demand{Waiting: 3000, Ahead: 1}, 3000},
		{"waiting: all that is free", 6400, 6200, throttle.Demand{Waiting: 3000, Ahead: 1000}, 200},
		{"nothing is free", 6400, 6400, throttle.Demand{Waiting: 10, Ahead: 1000}, 0},
	} {
		rate := throttle.Rate{Per: time.Minute, Limit: int(test.burst), Burst: int(test.burst)}
		interval := (time.Minute + time.Duration(test.burst) - 1) / time.Duration(test.burst)
		used := throttle.Account{Extra: test.used, Interval: interval, From: someTime}
		_, lease := throttle.Grant(rate, throttle.Usage{}, used, test.demand, someTime)
		if lease.Size != test.want {
			t.Errorf("%s: burst %d, %d used, %+v: got %d leased, want %d",
				test.name, test.burst, test.used, test.demand, lease.Size, test.want)
		}
	}
}
