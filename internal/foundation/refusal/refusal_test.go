package refusal_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

func TestHasCode(t *testing.T) {
	t.Parallel()
	missing := refusal.NotFound("the order")
	for _, test := range []struct {
		err  error
		code refusal.Code
		want bool
	}{
		{missing, refusal.CodeNotFound, true},
		{missing, refusal.CodeConflict, false},
		{fmt.Errorf("read: %w", missing), refusal.CodeNotFound, true},
		{errors.New("not_found: the order does not exist"), refusal.CodeNotFound, false},
		{nil, refusal.CodeNotFound, false},
	} {
		if got := refusal.HasCode(test.err, test.code); got != test.want {
			t.Errorf("HasCode(%v, %s): got %t, want %t", test.err, test.code, got, test.want)
		}
	}
	if got, want := missing.Error(), "not_found: the order does not exist"; got != want {
		t.Errorf("Error: got %q, want %q", got, want)
	}
}
