package storetest

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// testNonces: a nonce is kept once for its key, until it is forgotten.
func testNonces(t *testing.T, s *store.Store) {
	ctx := t.Context()
	nonce := func(partnerID, keyID, text string, signed int) *partner.Nonce {
		return &partner.Nonce{PartnerID: partnerID, KeyID: keyID, Text: text, SignedAt: at(signed)}
	}
	writePartners(t, s, func(tx partner.Writer) error {
		wantAdded := func(want bool, n *partner.Nonce) {
			t.Helper()
			added, err := tx.AddNonce(ctx, n)
			must(t, err)
			if added != want {
				t.Errorf("%+v: got added %t, want %t", n, added, want)
			}
		}
		wantAdded(true, nonce(partnerID, "key_1", "a", 5))
		wantAdded(false, nonce(partnerID, "key_1", "a", 9))
		wantAdded(true, nonce(partnerID, "key_1", "A", 5))
		wantAdded(true, nonce(partnerID, "key_2", "a", 4))
		wantAdded(true, nonce(neighbourID, "key_1", "a", 4))
		must(t, tx.ForgetSignatures(ctx, at(5)))
		wantAdded(false, nonce(partnerID, "key_1", "a", 5))
		wantAdded(true, nonce(partnerID, "key_2", "a", 5))
		wantAdded(true, nonce(neighbourID, "key_1", "a", 5))
		return nil
	})
}

// testEndpointChanges: a change is kept once, after the removal of its endpoint too, and
// not if its transaction fails.
func testEndpointChanges(t *testing.T, s *store.Store) {
	ctx := t.Context()
	change := func(partnerID string, signed int, signature string) *webhook.Change {
		return &webhook.Change{PartnerID: partnerID, SignedAt: at(signed), Signature: []byte(signature)}
	}
	wantAdded := func(tx webhook.Writer, want bool, c *webhook.Change) {
		t.Helper()
		added, err := tx.AddChange(ctx, c)
		must(t, err)
		if added != want {
			t.Errorf("%+v: got added %t, want %t", c, added, want)
		}
	}
	wantLast := func(tx webhook.Writer, partnerID string, want time.Time) {
		t.Helper()
		last, err := tx.LastChange(ctx, partnerID)
		must(t, err)
		if !last.Equal(want) {
			t.Errorf("LastChange of %s: got %v, want %v", partnerID, last, want)
		}
	}
	write := func(fn func(tx webhook.Writer) error) error { return s.Webhooks().Write(ctx, fn) }
	saveEndpoints(t, s, endpoint(partnerID))
	if err := write(func(tx webhook.Writer) error {
		wantAdded(tx, true, change(partnerID, 9, "failed"))
		return errWanted
	}); err == nil {
		t.Error("got no error, want that of the transaction")
	}
	must(t, write(func(tx webhook.Writer) error {
		wantLast(tx, partnerID, time.Time{})
		wantAdded(tx, true, change(partnerID, 5, "a"))
		wantAdded(tx, false, change(partnerID, 5, "a"))
		wantAdded(tx, true, change(partnerID, 5, ""))
		wantAdded(tx, true, change(partnerID, 4, "b"))
		wantAdded(tx, true, change(neighbourID, 8, "a"))
		must(t, tx.RemoveEndpoint(ctx, webhook.KeyOf(partnerID, "")))
		wantLast(tx, partnerID, at(5))
		return nil
	}))
	writePartners(t, s, func(tx partner.Writer) error { return tx.ForgetSignatures(ctx, at(5)) })
	must(t, write(func(tx webhook.Writer) error {
		wantLast(tx, partnerID, at(5))
		wantAdded(tx, false, change(partnerID, 5, "a"))
		wantAdded(tx, true, change(partnerID, 4, "b"))
		wantLast(tx, neighbourID, at(8))
		return nil
	}))
}
