package throttle

import (
	"fmt"
	"testing"
	"time"
)

func (l *Limiter) size() (keys int) {
	for i := range l.shards {
		keys += len(l.shards[i].tats)
	}
	return keys
}

func TestLimiterMemoryIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	l := New(Rate{Per: time.Hour, Limit: 1, Burst: 1}, func() time.Time { return now })
	for i := range 2 * shardCount * maxKeys {
		l.Take(fmt.Sprint(i))
	}
	if got := l.size(); got > shardCount*maxKeys {
		t.Errorf("got %d keys in memory, want at most %d", got, shardCount*maxKeys)
	}
}

func TestLimiterForgetsKeysAtRest(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	l := New(Rate{Per: time.Minute, Limit: 60, Burst: 60}, func() time.Time { return now })
	const perSecond = 10_000 // each at rest one second later
	for i := range 10 * perSecond {
		now = now.Add(time.Second / perSecond)
		l.Take(fmt.Sprint(i))
	}
	if got := l.size(); got > 2*perSecond {
		t.Errorf("got %d keys in memory, want at most twice the %d that are not at rest", got, perSecond)
	}
}
