package idempotency_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	first := idempotency.NewRequest(idempotency.Key{}, []byte(`{"a":1}`))
	receipt := &idempotency.Receipt{Request: first, Answer: []byte("answer")}
	if answer, err := receipt.Replay(first.BodyHash); err != nil || string(answer) != "answer" {
		t.Errorf("got %q, %v, want the kept answer", answer, err)
	}
	other := idempotency.NewRequest(idempotency.Key{}, []byte(`{"a":2}`))
	if answer, err := receipt.Replay(other.BodyHash); !refusal.HasCode(err, refusal.CodeIdempotencyKeyReused) ||
		answer != nil {
		t.Errorf("got %q, %v, want idempotency_key_reused", answer, err)
	}
}
