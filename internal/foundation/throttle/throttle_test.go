package throttle_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// clock is moved by hand.
type clock struct{ nanos atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_767_225_600, c.nanos.Load()) }
func (c *clock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

func partnerRate() throttle.Rate {
	return throttle.Rate{Per: time.Minute, Limit: 300, Burst: 300}
}

func TestABurstThenTheRate(t *testing.T) {
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
		t.Errorf("a nanosecond early: got %+v, want %+v", got, want)
	}
	c.advance(1)
	if got := l.Take("key"); !got.Allowed || got.Remaining != 0 {
		t.Errorf("in time: got %+v", got)
	}
	c.advance(time.Hour)
	if got := l.Take("key"); got.Remaining != 2 {
		t.Errorf("after a quiet hour %d remain, want 2: a burst must not grow", got.Remaining)
	}
}

func TestKeysAreApart(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 1, Burst: 1}, c.now)
	if !l.Take("a").Allowed || !l.Take("b").Allowed {
		t.Error("one key used up another's rate")
	}
	if l.Take("a").Allowed {
		t.Error("a second one was allowed")
	}
}

func TestPeekCountsNothing(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 2, Burst: 2}, c.now)
	for range 5 {
		if got := l.Peek("key"); !got.Allowed || got.Remaining != 1 {
			t.Fatalf("got %+v", got)
		}
	}
	l.Take("key")
	l.Take("key")
	if got := l.Peek("key"); got.Allowed || got.RetryAfter != 30*time.Second {
		t.Errorf("after two: got %+v", got)
	}
}

func TestNoLimit(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{}, c.now)
	for range 1000 {
		if got := l.Take("key"); !got.Allowed || got.Remaining == 0 || got.RetryAfter != 0 {
			t.Fatalf("got %+v", got)
		}
	}
	if !l.Peek("key").Allowed {
		t.Error("Peek refused")
	}
}

func TestAKeyWithItsOwnRate(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 60, Burst: 60}, c.now)
	for range 60 {
		l.Take("key")
	}
	small := throttle.Rate{Per: time.Minute, Limit: 60, Burst: 2}
	if got := l.TakeAt("key", small); got.Allowed || got.RetryAfter != time.Second {
		t.Errorf("a lowered burst makes nobody wait for longer than one interval: got %+v", got)
	}
	if got := l.TakeAt("key", throttle.Rate{Per: time.Minute, Limit: 60, Burst: 100}); !got.Allowed || got.Remaining != 39 {
		t.Errorf("a raised burst keeps what was used: got %+v", got)
	}
	if !l.TakeAt("key", throttle.Rate{}).Allowed {
		t.Error("a rate without limit refused")
	}
}

func TestAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	var c clock
	l := throttle.New(throttle.Rate{Per: time.Minute, Limit: 60, Burst: 3}, c.now)
	l.Take("key")
	c.advance(-time.Hour)
	if got := l.Take("key"); got.RetryAfter > time.Second {
		t.Errorf("must wait %v, want at most one interval", got.RetryAfter)
	}
}

// No span of time, however chosen, sees more than burst + rate*t.
func TestNeverMoreThanBurstAndRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
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
				t.Fatalf("Peek told %+v, Take %+v", peeked, verdict)
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
					t.Fatalf("%d admitted in %d ns, at most %d should be (%+v)", count, span, most, rate)
				}
			}
		}
	})
}

// checkRetry: whoever waits exactly as long as told is admitted, a nanosecond
// less is too early.
func checkRetry(t *rapid.T, c *clock, l *throttle.Limiter, verdict throttle.Verdict) {
	if verdict.RetryAfter <= 0 || verdict.Remaining != 0 {
		t.Fatalf("refused with %+v", verdict)
	}
	c.advance(verdict.RetryAfter - 1)
	if l.Peek("key").Allowed {
		t.Fatalf("allowed before RetryAfter %v", verdict.RetryAfter)
	}
	c.advance(1)
	if !l.Peek("key").Allowed {
		t.Fatalf("not allowed after RetryAfter %v", verdict.RetryAfter)
	}
}

func TestParallelTakesAdmitExactlyTheBurst(t *testing.T) {
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
		t.Errorf("admitted %d, want 100", got)
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
			t.Errorf("Network(%q) is %q, want %q", address, got, want)
		}
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

// BenchmarkTakeNewKeys is the worst case: every address is new.
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
