package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

func writeProofs(t *testing.T, s *store.Store, fn func(proof.RecordWriter) error) {
	t.Helper()
	must(t, s.Proofs().Write(t.Context(), fn))
}

// proofOf returns proof n of an order, in which no two fields are the same.
func proofOf(n int, o *delivery.Order, kind delivery.ProofKind) *delivery.Proof {
	return &delivery.Proof{
		ProofID: identifier.FirstUUID(at(n)), PartnerID: o.PartnerID, OrderID: o.OrderID, Kind: kind,
		Name: fmt.Sprintf("picture %d", n), Digest: [32]byte{byte(n), 31: 1}, At: at(100 + n), RecordedAt: at(200 + n),
		OperatorID: fmt.Sprintf("operator %d", n),
	}
}

// testProofs adds proofs to an order, reads them, and checks that the best one
// is loaded with its order.
func testProofs(t *testing.T, s *store.Store) {
	ctx := t.Context()
	proven, bare := newOrder(t, "A-1", testkit.Epoch), newOrder(t, "A-02", testkit.Epoch)
	must(t, save(ctx, s, creation(proven, 1)))
	must(t, save(ctx, s, creation(bare, 2)))
	steps := []struct {
		kind delivery.ProofKind
		best int // the number of the best proof after this one
	}{{delivery.ProofPhoto, 0}, {delivery.ProofPhoto, 1}, {
		delivery.ProofSignature, 2,
	}, {delivery.ProofPhoto, 2}, {delivery.ProofSignature, 4}}
	added := make([]delivery.Proof, 0, len(steps))
	for i, step := range steps {
		p := proofOf(i, proven, step.kind)
		added = append(added, *p)
		writeProofs(t, s, func(tx proof.RecordWriter) error { return tx.AddProof(ctx, p) })
		state := load(t, s, &order.Needs{Proofs: []order.OrderKey{keyOf(proven), keyOf(bare)}})
		if best := state.Proofs[keyOf(proven)]; len(state.Proofs) != 1 || best == nil || *best != added[step.best] {
			t.Errorf("after proof %d: got best %+v, want %+v", i, best, added[step.best])
		}
	}
	read := func(what string, proofs func(partnerID, orderID string) ([]*delivery.Proof, error)) {
		t.Helper()
		if got, err := proofs(partnerID, proven.OrderID); err != nil || !slices.Equal(values(got), added) {
			t.Errorf("%s: got %+v, %v\nwant %+v", what, values(got), err, added)
		}
		if got, err := proofs(partnerID, bare.OrderID); err != nil || len(got) != 0 {
			t.Errorf("%s of an order without: got %+v, %v", what, values(got), err)
		}
	}
	must(t, s.Proofs().Read(ctx, func(tx proof.RecordReader) error {
		read("proof room",
			func(partnerID, orderID string) ([]*delivery.Proof, error) { return tx.Proofs(ctx, partnerID, orderID) })
		o, err := tx.Order(ctx, partnerID, proven.OrderID)
		if err != nil || !slices.Equal(records(o), records(proven)) {
			t.Errorf("got order %s, %v, want %s", records(o), err, records(proven))
		}
		return nil
	}))
	must(t, s.Dispatch().Read(ctx, func(tx dispatch.Reader) error {
		read("dispatch room",
			func(partnerID, orderID string) ([]*delivery.Proof, error) { return tx.Proofs(ctx, partnerID, orderID) })
		return nil
	}))
	writeProofs(t, s, func(tx proof.RecordWriter) error {
		o, err := tx.LockOrder(ctx, partnerID, proven.OrderID)
		if err != nil || !slices.Equal(records(o), records(proven)) {
			t.Errorf("got locked order %s, %v, want %s", records(o), err, records(proven))
		}
		if o, err := tx.LockOrder(ctx, partnerID, "ord_none"); err != nil || o != nil {
			t.Errorf("got locked order %+v, %v, want none", o, err)
		}
		return nil
	})
	again := proofOf(4, proven, delivery.ProofPhoto)
	if err := s.Proofs().Write(ctx, func(tx proof.RecordWriter) error { return tx.AddProof(ctx, again) }); err == nil {
		t.Error("a proof was added twice")
	}
}

// testLoosePictures puts pictures on the list of those to be deleted, and takes
// them off it.
func testLoosePictures(t *testing.T, s *store.Store) {
	ctx := t.Context()
	check := func(when string, now time.Time, want ...string) {
		t.Helper()
		must(t, s.Retention().Read(ctx, func(tx retention.Reader) error {
			for limit := 1; limit <= 10; limit += 9 {
				got, err := tx.LoosePictures(ctx, partnerID, now, limit)
				if some := want[:min(limit, len(want))]; err != nil || !slices.Equal(got, some) {
					t.Errorf("%s, limit %d: got %q, %v, want %q", when, limit, got, err, some)
				}
			}
			return nil
		}))
	}
	due := at(60)
	writeProofs(t, s, func(tx proof.RecordWriter) error {
		must(t, tx.AddLoosePicture(ctx, partnerID, "one", due))
		must(t, tx.AddLoosePicture(ctx, partnerID, "two", due))
		return tx.AddLoosePicture(ctx, otherPartnerID, "three", due)
	})
	check("early", due.Add(-time.Millisecond))
	check("due", due, "one", "two")
	writeProofs(t, s, func(tx proof.RecordWriter) error {
		return tx.AddLoosePicture(ctx, partnerID, "two", due.Add(time.Hour))
	})
	check("put off", due, "one")
	writeProofs(t, s, func(tx proof.RecordWriter) error {
		for _, want := range []bool{true, false} {
			if taken, err := tx.TakeLoosePicture(ctx, partnerID, "one"); err != nil || taken != want {
				t.Errorf("take: got %t, %v, want %t", taken, err, want)
			}
		}
		return nil
	})
	check("taken", due.Add(time.Hour), "two")
	must(t, s.Retention().Write(ctx, func(tx retention.Writer) error {
		return tx.ForgetPictures(ctx, partnerID, []string{"two", "three", "none"})
	}))
	check("forgotten", due.Add(time.Hour))
}

// testRemovedProofs checks that the pictures of removed orders become loose and
// are due at once.
func testRemovedProofs(t *testing.T, s *store.Store) {
	ctx := t.Context()
	removed, left := newOrder(t, "A-1", testkit.Epoch), newOrder(t, "A-02", testkit.Epoch)
	must(t, save(ctx, s, creation(removed, 1)))
	must(t, save(ctx, s, creation(left, 2)))
	writeProofs(t, s, func(tx proof.RecordWriter) error {
		for n, o := range []*delivery.Order{removed, left, removed} {
			must(t, tx.AddProof(ctx, proofOf(n, o, delivery.ProofPhoto)))
		}
		return nil
	})
	must(t, s.Retention().Write(ctx,
		func(tx retention.Writer) error { return tx.RemoveOrders(ctx, partnerID, []string{removed.OrderID}) }))
	must(t, s.Retention().Read(ctx, func(tx retention.Reader) error {
		got, err := tx.LoosePictures(ctx, partnerID, testkit.Epoch, 9)
		if want := []string{"picture 0", "picture 2"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("got loose pictures %q, %v, want %q", got, err, want)
		}
		return nil
	}))
	must(t, s.Proofs().Read(ctx, func(tx proof.RecordReader) error {
		for id, want := range map[string]int{removed.OrderID: 0, left.OrderID: 1} {
			if got, err := tx.Proofs(ctx, partnerID, id); err != nil || len(got) != want {
				t.Errorf("%s: got %d proofs, %v, want %d", id, len(got), err, want)
			}
		}
		return nil
	}))
}

func testProofAudit(t *testing.T, s *store.Store) {
	entry := auditEntry(1, audit.ActionProofAdded)
	writeProofs(t, s, func(tx proof.RecordWriter) error { return tx.AddAudit(t.Context(), entry) })
	checkAudit(t, s, entry)
}
