package app_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestBatchesAndLabelsAttack lets one partner send batches and fetch labels over
// eight connections, while others create orders. The attacker gets what the rate
// allows, and the others all that they ask for. "go run ./bench attack
// batches-and-labels" measures how long they wait.
func TestBatchesAndLabelsAttack(t *testing.T) {
	t.Parallel()
	const limit, perBatch, others, ordersEach = 60, 100, 4, 25
	s := apptest.Start(t, apptest.RateLimit(limit))
	attacker := s.Register(t, "attacker")
	labelled := attacker.Create(t, testkit.OrderJSON("L-1", "")).Must(t, 201).Text("order_id")
	attacks := map[string]func(i int) *apptest.Answer{
		"batch": func(i int) *apptest.Answer {
			return batchAs(t, attacker, uuid.NewString(), batchOf(ordersNamed(fmt.Sprint("B-", i, "-"), perBatch)...))
		},
		"label": func(int) *apptest.Answer {
			return attacker.Call(t, "GET", "/v1/orders/"+labelled+"/label", nil)
		},
	}
	got := map[string]*statuses{"batch": {}, "label": {}}
	var all sync.WaitGroup
	for name, attack := range attacks {
		for connection := range 4 {
			all.Go(func() {
				for i := range 10 {
					answer := attack(connection*10 + i)
					got[name].add(answer.Status)
					if answer.Status != 200 && answer.Header.Get("Retry-After") == "" {
						t.Errorf("%s: got %d without Retry-After", name, answer.Status)
					}
				}
			})
		}
	}
	for i := range others {
		other := s.Register(t, fmt.Sprint("other-", i))
		all.Go(func() {
			for n := range ordersEach {
				other.Create(t, testkit.OrderJSON(fmt.Sprint("O-", n), "")).Must(t, 201)
			}
		})
	}
	all.Wait()
	batches, labels := got["batch"].count[200], got["label"].count[200]
	if spent := 1 + labels + batches*perBatch/10; spent > limit || batches == 0 {
		t.Errorf("got %d batches and %d labels, which count as %d requests with the first, want a batch and at most %d",
			batches, labels, spent, limit)
	}
	want := 1 + batches*perBatch + others*ordersEach
	if got := s.Query(t, "SELECT count(*) FROM orders"); len(got) != 1 || got[0] != fmt.Sprint(want) {
		t.Errorf("got %v orders, want %d", got, want)
	}
}
