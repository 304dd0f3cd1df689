package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
)

// change returns the receipt of a change without two equal fields.
func change(key byte) *idempotency.Change {
	c := idempotency.NewChange("opr_1", [16]byte{key}, "POST /ops/v1/couriers", []byte{0, key, 255})
	c.RequestID, c.CreatedAt = "req_1", at(int(key))
	return c
}

func checkChange(t *testing.T, s *store.Store, when string, key idempotency.ChangeKey, want *idempotency.Change) {
	t.Helper()
	found, err := s.Receipts().Find(t.Context(), key)
	must(t, err)
	if found != nil && len(found.Answer) == 0 {
		found.Answer = nil
	}
	same(t, when, found, want)
}

// testChanges keeps and removes the receipts of operators' changes.
func testChanges(t *testing.T, s *store.Store) {
	ctx, receipts := t.Context(), s.Receipts()
	one, two, three := change(1), change(2), change(3)
	for _, c := range []*idempotency.Change{one, two} {
		checkChange(t, s, "before", c.ChangeKey, nil)
		earlier, err := receipts.Claim(ctx, c)
		must(t, err)
		same(t, "claimed", earlier, nil)
	}
	again := *one
	again.RequestID = "req_2"
	earlier, err := receipts.Claim(ctx, &again)
	must(t, err)
	same(t, "claimed again", earlier.RequestID, one.RequestID)
	for _, differ := range []func(*idempotency.ChangeKey){
		func(k *idempotency.ChangeKey) { k.OperatorID = "opr_2" },
		func(k *idempotency.ChangeKey) { k.Scope += "/cou_1" },
		func(k *idempotency.ChangeKey) { k.KeyHash[31]++ },
	} {
		others := one.ChangeKey
		differ(&others)
		checkChange(t, s, "another key", others, nil)
	}
	must(t, receipts.Release(ctx, two.ChangeKey))
	checkChange(t, s, "released", two.ChangeKey, nil)
	for _, c := range []*idempotency.Change{one, three} { // the second has no receipt yet
		c.Status, c.Answer = 201, []byte(`{"name":"Zoé"}`)
		must(t, receipts.Answer(ctx, c))
		checkChange(t, s, "answered", c.ChangeKey, c)
	}
	writeRetention(t, s, func(tx retention.Writer) error { return tx.RemoveChanges(ctx, three.CreatedAt) })
	checkChange(t, s, "swept", one.ChangeKey, nil)
	checkChange(t, s, "kept", three.ChangeKey, three)
}

// testChangeClaimedOnce claims one key in several requests at the same time.
func testChangeClaimedOnce(t *testing.T, s *store.Store) {
	var claimed atomic.Int64
	var requests sync.WaitGroup
	for i := range 8 {
		requests.Go(func() {
			c := change(1)
			c.RequestID = fmt.Sprint("req_", i)
			earlier, err := s.Receipts().Claim(t.Context(), c)
			switch {
			case err == nil && earlier == nil:
				claimed.Add(1)
			case err != nil && !errors.Is(err, idempotency.ErrInProgress):
				t.Error(err)
			}
		})
	}
	requests.Wait()
	if got := claimed.Load(); got != 1 {
		t.Errorf("got %d requests that claimed the key, want 1", got)
	}
}

// testChangeWithAudit writes receipts in the transactions of their changes.
func testChangeWithAudit(t *testing.T, s *store.Store) {
	one := change(1)
	write := func(c *idempotency.Change, auditID string, result error) error {
		ctx := idempotency.WithChange(t.Context(), c)
		return s.Operators().Write(ctx, func(tx operator.Writer) error {
			for _, suffix := range []string{"a", "b"} { // a change may have several entries
				entry := &audit.Entry{
					AuditID: auditID + suffix, PartnerID: partnerID, ObjectID: "cou_1", Action: audit.ActionRateCardAdded, At: at(1),
				}
				if err := tx.AddAudit(ctx, entry); err != nil {
					return err
				}
			}
			return result
		})
	}
	if err := write(one, "rolled back", errWanted); !errors.Is(err, errWanted) {
		t.Errorf("got %v, want %v", err, errWanted)
	}
	checkChange(t, s, "rolled back", one.ChangeKey, nil)
	must(t, write(one, "first", nil))
	want := *one
	want.Action, want.PartnerID, want.ObjectID = string(audit.ActionRateCardAdded), partnerID, "cou_1"
	checkChange(t, s, "written", one.ChangeKey, &want)

	second := *one
	second.RequestID, second.CreatedAt = "req_2", at(1).Add(time.Second)
	if err := write(&second, "second", nil); !errors.Is(err, idempotency.ErrInProgress) {
		t.Errorf("the same key again: got %v, want %v", err, idempotency.ErrInProgress)
	}
	checkChange(t, s, "refused", one.ChangeKey, &want)
}
