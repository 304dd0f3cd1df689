package throttle_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// clock is a clock that tests move by hand.
type clock struct{ nanos atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_767_225_600, c.nanos.Load()) }
func (c *clock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

func partnerRate() throttle.Rate {
	return throttle.Rate{Per: time.Minute, Limit: 300, Burst: 300}
}

func TestLimiterAdmitsBurstThenRate(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 60, Burst: 3}, c.now)
	for i, want := range []throttle.Verdict{
		{Allowed: true, Remaining: 2, Reset: 1 * time.Second},
		{Allowed: true, Remaining: 1, Reset: 2 * time.Second},
		{Allowed: true, Remaining: 0, Reset: 3 * time.Second},
		{Reset: 3 * time.Second, RetryAfter: time.Second},
	} {
		if got := l.Take("key"); got != want {
			t.Errorf("take %d: got %+v, want %+v", i, got, want)
		}
	}
	c.advance(time.Second - 1)
	if got, want := l.Take("key"), (throttle.Verdict{Reset: 2*time.Second + 1, RetryAfter: 1}); got != want {
		t.Errorf("one nanosecond before the next is due: got %+v, want %+v", got, want)
	}
	c.advance(1)
	if got, want := l.Take("key"), (throttle.Verdict{Allowed: true, Reset: 3 * time.Second}); got != want {
		t.Errorf("when the next is due: got %+v, want %+v", got, want)
	}
	c.advance(time.Hour)
	if got := l.Take("key"); got.Remaining != 2 {
		t.Errorf("after a quiet hour: got %d remaining, want 2, because a burst does not grow", got.Remaining)
	}
}

func TestLimiterCountsEachKeyByItself(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 1, Burst: 1}, c.now)
	for _, take := range []struct {
		key  string
		want bool
	}{{"a", true}, {"b", true}, {"a", false}, {"b", false}} {
		if got := l.Take(take.key).Allowed; got != take.want {
			t.Errorf("Take(%q): got allowed %t, want %t", take.key, got, take.want)
		}
	}
}

func TestLimiterPeekCountsNothing(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 2, Burst: 2}, c.now)
	for range 5 {
		if got := l.Peek("key"); !got.Allowed || got.Remaining != 1 {
			t.Fatalf("got %+v, want allowed with 1 remaining", got)
		}
	}
	l.Take("key")
	l.Take("key")
	if got := l.Peek("key"); got.Allowed || got.RetryAfter != 30*time.Second {
		t.Errorf("after two takes: got %+v, want a refusal with RetryAfter 30s", got)
	}
}

func TestLimiterWithoutLimit(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{}, c.now)
	for range 1000 {
		if got := l.Take("key"); !got.Allowed || got.Remaining == 0 || got.RetryAfter != 0 {
			t.Fatalf("Take: got %+v, want allowed", got)
		}
	}
	if got := l.Peek("key"); !got.Allowed {
		t.Errorf("Peek: got %+v, want allowed", got)
	}
}

func TestLimiterTakeAt(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 60, Burst: 60}, c.now)
	for range 60 {
		l.Take("key")
	}
	small := throttle.Rate{Per: time.Minute, Limit: 60, Burst: 2}
	if got := l.TakeAt("key", small); got.Allowed || got.RetryAfter != time.Second {
		t.Errorf("after the burst was lowered: got %+v, want RetryAfter of one interval, 1s", got)
	}
	if got := l.TakeAt("key", throttle.Rate{Per: time.Minute, Limit: 60, Burst: 100}); !got.Allowed ||
		got.Remaining != 39 {
		t.Errorf("after the burst was raised: got %+v, want 39 remaining, because what was used still counts", got)
	}
	if got := l.TakeAt("key", throttle.Rate{}); !got.Allowed {
		t.Errorf("without a limit: got %+v, want allowed", got)
	}
}

func TestLimiterWithClockSetBack(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 60, Burst: 3}, c.now)
	l.Take("key")
	c.advance(-time.Hour)
	if got := l.Take("key"); got.RetryAfter > time.Second {
		t.Errorf("got RetryAfter %v, want at most one interval, 1s", got.RetryAfter)
	}
}

// TestLimiterNeverExceedsRate checks that every span of time t sees at most
// burst + t/interval requests admitted.
func TestLimiterNeverExceedsRate(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		rate := throttle.Rate{
			Per:   time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "per")),
			Limit: rapid.IntRange(1, 1000).Draw(t, "limit"),
			Burst: rapid.IntRange(1, 50).Draw(t, "burst"),
		}
		interval := (int64(rate.Per) + int64(rate.Limit) - 1) / int64(rate.Limit)
		pauses := rapid.SliceOfN(rapid.Int64Range(0, 3*interval), 1, 200).Draw(t, "pauses")
		var c clock
		l := throttle.New(rate, c.now)
		var admitted []int64
		for _, pause := range pauses {
			c.advance(time.Duration(pause))
			peeked := l.Peek("key")
			verdict := l.Take("key")
			if peeked != verdict {
				t.Fatalf("Peek: got %+v, want what Take returned, %+v", peeked, verdict)
			}
			if verdict.Allowed {
				admitted = append(admitted, c.nanos.Load())
				continue
			}
			checkRetry(t, &c, l, verdict)
		}
		for i := range admitted {
			for j := i; j < len(admitted); j++ {
				span, count := admitted[j]-admitted[i], int64(j-i+1)
				if most := int64(rate.Burst) + span/interval; count > most {
					t.Fatalf("got %d admitted within %d ns at %+v, want at most %d", count, span, rate, most)
				}
			}
		}
	})
}

// checkRetry checks that a request is allowed after exactly RetryAfter, and not a
// nanosecond earlier.
func checkRetry(t *rapid.T, c *clock, l *throttle.Limiter, verdict throttle.Verdict) {
	if verdict.RetryAfter <= 0 || verdict.Remaining != 0 {
		t.Fatalf("got refusal %+v, want a RetryAfter and nothing remaining", verdict)
	}
	c.advance(verdict.RetryAfter - 1)
	if l.Peek("key").Allowed {
		t.Fatalf("got allowed 1 ns before RetryAfter %v, want refused", verdict.RetryAfter)
	}
	c.advance(1)
	if !l.Peek("key").Allowed {
		t.Fatalf("got refused after RetryAfter %v, want allowed", verdict.RetryAfter)
	}
}

func TestLimiterInParallelAdmitsExactlyBurst(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Hour, Limit: 1, Burst: 100}, c.now)
	var admitted atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				if l.Take("shared").Allowed {
					admitted.Add(1)
				}
				l.Take(fmt.Sprint("other", i))
			}
		})
	}
	all.Wait()
	if got := admitted.Load(); got != 100 {
		t.Errorf("got %d admitted, want 100", got)
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.9":               "203.0.113.9",
		"::ffff:203.0.113.9":        "203.0.113.9",
		"2001:db8:1:2:3:4:5:6":      "2001:db8:1:2::/64",
		"2001:0db8:1:2:ffff::1":     "2001:db8:1:2::/64",
		"fe80::1%eth0":              "fe80::/64",
		"@":                         "@",
		"":                          "",
		"203.0.113.9, 198.51.100.7": "203.0.113.9, 198.51.100.7",
	} {
		if got := throttle.Network(address); got != want {
			t.Errorf("Network(%q): got %q, want %q", address, got, want)
		}
	}
}

// TestNetworksLimitBlocks counts how many requests a block of IPv6 addresses gets at
// one moment if each comes from another block of the next smaller size.
func TestNetworksLimitBlocks(t *testing.T) {
	t.Parallel()
	rate := throttle.Rate{Limit: 3, Burst: 3, Per: time.Minute}
	now := time.Now()
	for _, test := range []struct {
		block   string
		address string // with a place for the number of the request
		want    int
	}{
		{"one address", "2001:db8::1", 3},
		{"a /64", "2001:db8::%x", 3},
		{"a /56", "2001:db8:0:%02x::1", 12},
		{"a /48", "2001:db8:0:%x00::1", 48},
		{"a /32", "2001:db8:%x::1", 768},
		{"one IPv4 address", "192.0.2.1", 3},
		{"one IPv4 address in IPv6", "::ffff:192.0.2.1", 3},
		{"IPv4 addresses", "192.0.2.%d", 256},
		{"no address", "unknown", 3},
	} {
		networks := throttle.NewNetworks(rate, func() time.Time { return now })
		passed, requests := 0, 1000
		if test.block == "IPv4 addresses" || test.block == "a /56" || test.block == "a /48" {
			requests = 256
		}
		for i := range requests {
			address := test.address
			if strings.Contains(address, "%") {
				address = fmt.Sprintf(address, i)
			}
			peeked, taken := networks.Peek(address), networks.Take(address)
			if peeked.Allowed != taken.Allowed {
				t.Errorf("%s, request %d: got %t from Peek, want %t as from Take", test.block, i, peeked.Allowed, taken.Allowed)
			}
			if taken.Allowed {
				passed++
			}
		}
		if passed != test.want {
			t.Errorf("%s: got %d requests allowed, want %d", test.block, passed, test.want)
		}
	}
}

// TestNetworksRecover waits until a refused block may send again.
func TestNetworksRecover(t *testing.T) {
	t.Parallel()
	now := time.Now()
	networks := throttle.NewNetworks(throttle.Rate{Limit: 1, Burst: 1, Per: time.Minute}, func() time.Time { return now })
	for i := range 4 {
		networks.Take(fmt.Sprintf("2001:db8:0:%x::1", i))
	}
	refused := networks.Take("2001:db8:0:ff::1")
	if refused.Allowed || refused.RetryAfter != 15*time.Second {
		t.Errorf("got allowed %t and RetryAfter %v, want a refusal for 15 s", refused.Allowed, refused.RetryAfter)
	}
	now = now.Add(refused.RetryAfter)
	if verdict := networks.Take("2001:db8:0:fe::1"); !verdict.Allowed {
		t.Errorf("after RetryAfter: got %+v, want it allowed", verdict)
	}
}

func BenchmarkTake(b *testing.B) {
	l := throttle.New(partnerRate(), time.Now)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l.Take("par_3ebmvgjr")
		}
	})
}

// BenchmarkTakeNewKeys measures the worst case, in which every address is new.
func BenchmarkTakeNewKeys(b *testing.B) {
	keys := make([]string, 1<<20)
	for i := range keys {
		keys[i] = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)
	}
	l := throttle.New(partnerRate(), time.Now)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Take(keys[i&(1<<20-1)])
	}
}

// TestTakeMany admits all of a request that counts as several, or nothing.
func TestTakeMany(t *testing.T) {
	t.Parallel()
	var c clock
	rate := throttle.Rate{Per: time.Minute, Limit: 60, Burst: 60}
	l := throttle.New(rate, c.now)
	for _, step := range []struct {
		n         int64
		allowed   bool
		remaining int
		after     time.Duration
	}{
		{50, true, 10, 0},
		{11, false, 0, time.Second},
		{10, true, 0, 0},
		{20, false, 0, 20 * time.Second},
	} {
		got := l.TakeMany("key", rate, step.n)
		if got.Allowed != step.allowed || got.Remaining != step.remaining || got.RetryAfter != step.after {
			t.Errorf("%d: got %+v, want %+v", step.n, got, step)
		}
	}
}
