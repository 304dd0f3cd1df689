package partner

import (
	"fmt"
	"testing"
	"time"
)

// A full cache evicts keys that are little used, and their last uses are still
// written.
func TestKeyCacheIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_767_225_600, 0)
	c := newKeyCache(now)
	const more = 100
	for i := range maxCachedKeys + more {
		key := &SigningKey{}
		key.usedAt.Store(int64(i + 1))
		c.keep(fmt.Sprint(i), key, now, 0)
	}
	if len(c.keys) != maxCachedKeys || len(c.evicted) != more {
		t.Errorf("%d keys are kept and %d evicted", len(c.keys), len(c.evicted))
	}
	if unsaved := c.unsaved(); len(unsaved) != maxCachedKeys+more {
		t.Errorf("%d uses are to be written", len(unsaved))
	}
	for _, key := range c.unsaved() {
		key.savedAt = key.usedAt.Load()
	}
	c.dropSaved()
	if len(c.evicted) != 0 || len(c.unsaved()) != 0 {
		t.Error("written uses are kept for another time")
	}
}
