package webhook_test

import (
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

func TestTestsOfOnePartnerAreLimited(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	arrived, release := make(chan bool, 2), make(chan bool)
	y.hold = func(received) {
		arrived <- true
		<-release
	}
	y.put(t, partnerID, "https://shop.example/hook")
	var tests sync.WaitGroup
	for range cap(arrived) {
		tests.Go(func() {
			if _, err := y.Test(t.Context(), first); err != nil {
				t.Error(err)
			}
		})
	}
	for range cap(arrived) {
		<-arrived
	}
	if _, err := y.Test(t.Context(), first); !refusal.HasCode(err, refusal.CodeUnavailable) {
		t.Errorf("a third test at the same time: got %v, want %s", err, refusal.CodeUnavailable)
	}
	close(release)
	tests.Wait()
	if _, err := y.Test(t.Context(), first); err != nil {
		t.Errorf("a test afterwards: got %v, want none", err)
	}
}
