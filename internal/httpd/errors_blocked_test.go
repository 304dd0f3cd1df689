package httpd

import (
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// TestBlockedIsUnavailable: a request that met the locks of another transaction may be sent
// again soon.
func TestBlockedIsUnavailable(t *testing.T) {
	t.Parallel()
	got := Known(fmt.Errorf("save: %w", refusal.ErrBlocked))
	if got == nil || got.Code != refusal.CodeUnavailable || got.RetryAfter != downRetry {
		t.Errorf("got %+v, want unavailable, to be retried after %v", got, downRetry)
	}
}
