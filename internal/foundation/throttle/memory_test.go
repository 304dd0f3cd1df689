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

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	l := New(Rate{Per: time.Hour, Limit: 1, Burst: 1}, func() time.Time { return now })
	for i := range 2 * shardCount * maxKeys {
		l.Take(fmt.Sprint(i))
	}
	if got := l.size(); got > shardCount*maxKeys {
		t.Errorf("%d keys are kept, want at most %d", got, shardCount*maxKeys)
	}
}

// Keys at rest are forgotten as new ones come, so that the limiter holds
// little more than those that count.
func TestKeysAtRestAreForgotten(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	l := New(Rate{Per: time.Minute, Limit: 60, Burst: 60}, func() time.Time { return now })
	const perSecond = 10_000 // each at rest a second later
	for i := range 10 * perSecond {
		now = now.Add(time.Second / perSecond)
		l.Take(fmt.Sprint(i))
	}
	if got := l.size(); got > 2*perSecond {
		t.Errorf("%d keys are kept of which about %d count", got, perSecond)
	}
}
