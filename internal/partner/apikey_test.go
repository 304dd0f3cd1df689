package partner_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/testkit"
)

func (n *node) createKey(t testing.TB, partnerID, name string) *partner.CreatedKey {
	t.Helper()
	by := &partner.Member{
		Partner: partner.Partner{PartnerID: partnerID}, User: partner.User{UserID: "usr_1", Name: "Camille"},
	}
	key, err := n.CreateKey(t.Context(), by, partner.KeyRequest{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (n *node) signingKey(t testing.TB, publicKey string) *partner.SigningKey {
	t.Helper()
	key, err := n.SigningKey(t.Context(), publicKey)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (n *node) keys(t testing.TB, partnerID string) []partner.APIKey {
	t.Helper()
	keys, err := n.Keys(t.Context(), partnerID)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestKeyWorksFromCreationToRevocation(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "a@b.example")
	created := n.createKey(t, p.PartnerID, "production")
	for range 2 { // from the database, then from memory
		key := n.signingKey(t, created.PublicKey)
		if key == nil || key.KeyID != created.KeyID || key.PartnerID != p.PartnerID ||
			string(key.Secret) != created.SecretKey {
			t.Fatalf("the key is %+v, want %+v", key, created)
		}
	}
	if err := n.RevokeKey(t.Context(), p.PartnerID, created.KeyID); err != nil {
		t.Fatal(err)
	}
	if key := n.signingKey(t, created.PublicKey); key != nil {
		t.Error("a revoked key works")
	}
	wantCode(t, n.RevokeKey(t.Context(), p.PartnerID, created.KeyID), refusal.CodeNotFound)
	if key := n.signingKey(t, "pk_unknown"); key != nil {
		t.Error("an unknown key works")
	}
}

func TestKeysOfAnotherPartner(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	mine, yours := n.register(t, "a@b.example"), n.register(t, "c@d.example")
	key := n.createKey(t, mine.PartnerID, "")
	wantCode(t, n.RevokeKey(t.Context(), yours.PartnerID, key.KeyID), refusal.CodeNotFound)
	if n.signingKey(t, key.PublicKey) == nil {
		t.Error("another partner revoked the key")
	}
	if keys := n.keys(t, yours.PartnerID); len(keys) != 0 {
		t.Errorf("sees %+v", keys)
	}
}

func TestKeysListsActiveKeysOldestFirst(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "a@b.example")
	var created []*partner.CreatedKey
	for i := range 4 {
		created = append(created, n.createKey(t, p.PartnerID, fmt.Sprint("key ", i)))
		n.clock.Advance(time.Second)
	}
	if err := n.RevokeKey(t.Context(), p.PartnerID, created[1].KeyID); err != nil {
		t.Fatal(err)
	}
	keys := n.keys(t, p.PartnerID)
	if want := []partner.APIKey{created[0].APIKey, created[2].APIKey, created[3].APIKey}; !reflect.DeepEqual(keys, want) {
		t.Errorf("got %+v, want %+v", keys, want)
	}
}

func TestSecretsAreSealed(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "a@b.example")
	first, second := n.createKey(t, p.PartnerID, ""), n.createKey(t, p.PartnerID, "")
	err := n.store.Partners().Write(t.Context(), func(tx partner.Writer) error {
		kept, err := tx.APIKey(t.Context(), first.PublicKey)
		if err != nil {
			return err
		}
		if bytes.Contains(kept.Secret, []byte(first.SecretKey[3:])) {
			t.Error("the secret is in the database")
		}
		// Write access to the database does not suffice to give one key another's secret.
		kept.KeyID, kept.PublicKey = "key_forged", "pk_forged"
		return tx.AddAPIKey(t.Context(), kept)
	})
	if err != nil {
		t.Fatal(err)
	}
	if key, err := n.SigningKey(t.Context(), "pk_forged"); key != nil || err == nil {
		t.Errorf("a moved secret: %v, %v", key, err)
	}
	if first.SecretKey == second.SecretKey || first.PublicKey == second.PublicKey {
		t.Error("two keys are alike")
	}
}

func TestLastUse(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	other := addNode(t, n, n.store.Partners())
	p := n.register(t, "a@b.example")
	created := n.createKey(t, p.PartnerID, "")
	key := n.signingKey(t, created.PublicKey)
	if at := n.keys(t, p.PartnerID)[0].LastUsedAt; !at.IsZero() {
		t.Errorf("naming a key counts as using it: %v", at)
	}
	n.clock.Advance(1500 * time.Millisecond)
	n.Used(key)
	used := n.clock.Now()
	if at := n.keys(t, p.PartnerID)[0].LastUsedAt; !at.Equal(used) {
		t.Errorf("on this node: %v, want %v", at, used)
	}
	if at := other.keys(t, p.PartnerID)[0].LastUsedAt; !at.IsZero() {
		t.Errorf("on another node before it was written: %v", at)
	}
	n.clock.Advance(time.Minute)
	if err := n.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if at := other.keys(t, p.PartnerID)[0].LastUsedAt; !at.Equal(used) {
		t.Errorf("on another node: %v, want %v", at, used)
	}
}

func TestCloseWritesLastUses(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "a@b.example")
	created := n.createKey(t, p.PartnerID, "")
	t.Run("closing", func(t *testing.T) {
		closing := addNode(t, n, n.store.Partners())
		closing.Used(closing.signingKey(t, created.PublicKey))
	})
	if at := n.keys(t, p.PartnerID)[0].LastUsedAt; !at.Equal(testkit.Epoch) {
		t.Errorf("last used at %v", at)
	}
}

// A key that is revoked on one node must stop working on another within 5 s.
func TestRevocationReachesOtherNodes(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	other := addNode(t, n, n.store.Partners())
	p := n.register(t, "a@b.example")
	revoked, kept := n.createKey(t, p.PartnerID, ""), n.createKey(t, p.PartnerID, "")
	for range 20 { // in constant use
		if other.signingKey(t, revoked.PublicKey) == nil || other.signingKey(t, kept.PublicKey) == nil {
			t.Fatal("a key does not work")
		}
		n.clock.Advance(500 * time.Millisecond)
	}
	if err := n.RevokeKey(t.Context(), p.PartnerID, revoked.KeyID); err != nil {
		t.Fatal(err)
	}
	n.clock.Advance(5 * time.Second)
	if other.signingKey(t, revoked.PublicKey) != nil {
		t.Error("still works after 5 s")
	}
	if other.signingKey(t, kept.PublicKey) == nil {
		t.Error("another key stopped working")
	}
}

// heldStore lets a test delay the return of a read.
type heldStore struct {
	partner.Store
	armed   atomic.Bool
	read    chan struct{} // the read has happened
	release chan struct{} // it may return
}

func (h *heldStore) Read(ctx context.Context, fn func(partner.Reader) error) error {
	err := h.Store.Read(ctx, fn)
	if h.armed.CompareAndSwap(true, false) {
		close(h.read)
		<-h.release
	}
	return err
}

// A look-up that read a key just before it was revoked must not bring it back.
func TestLookUpDuringRevocation(t *testing.T) {
	t.Parallel()
	base := newNode(t)
	held := &heldStore{Store: base.store.Partners(), read: make(chan struct{}), release: make(chan struct{})}
	n := addNode(t, base, held)
	p := n.register(t, "a@b.example")
	created := n.createKey(t, p.PartnerID, "")
	held.armed.Store(true)
	var looked sync.WaitGroup
	looked.Go(func() {
		if _, err := n.SigningKey(t.Context(), created.PublicKey); err != nil {
			t.Error(err)
		}
	})
	<-held.read
	if err := n.RevokeKey(t.Context(), p.PartnerID, created.KeyID); err != nil {
		t.Fatal(err)
	}
	if n.signingKey(t, created.PublicKey) != nil {
		t.Error("works after its revocation")
	}
	close(held.release)
	looked.Wait()
	if n.signingKey(t, created.PublicKey) != nil {
		t.Error("the look-up brought the revoked key back")
	}
}

func TestKeysInParallel(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "a@b.example")
	created := n.createKey(t, p.PartnerID, "")
	var revoked atomic.Bool
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				before := revoked.Load()
				key := n.signingKey(t, created.PublicKey)
				if key != nil {
					n.Used(key)
				}
				if before && key != nil {
					t.Error("works after its revocation")
				}
				n.clock.Advance(time.Second)
			}
		})
	}
	all.Go(func() {
		if err := n.Tidy(t.Context()); err != nil {
			t.Error(err)
		}
		if err := n.RevokeKey(t.Context(), p.PartnerID, created.KeyID); err != nil {
			t.Error(err)
		}
		revoked.Store(true)
	})
	all.Wait()
}

func TestReadKeyRequest(t *testing.T) {
	t.Parallel()
	sent := map[string]any{
		"name": "production", "email": "a@b.example", "password": password, "scopes": []any{"read", "orders", "read"},
	}
	read := func(members map[string]any) (partner.KeyRequest, form.Problems) {
		request, err := decode(t, members, partner.ReadKeyRequest)
		return request, form.ProblemsOf(err)
	}
	request, problems := read(sent)
	want := partner.KeyRequest{Name: "production", Scopes: []partner.Scope{
		partner.ScopeOrders, partner.ScopeRead,
	}, Email: "a@b.example", Password: password}
	if !reflect.DeepEqual(request, want) || len(problems) != 0 {
		t.Errorf("%v: got %+v, %v, want %+v", sent, request, problems, want)
	}
	if request, problems := read(nil); len(problems) != 1 {
		t.Errorf("null: got %+v, %v, want one problem", request, problems)
	}
	if request, problems := read(map[string]any{}); !reflect.DeepEqual(request, partner.KeyRequest{}) ||
		len(problems) != 0 {
		t.Errorf("{}: got %+v, %v, want an empty request", request, problems)
	}
	for _, scopes := range []any{
		[]any{}, []any{"everything"}, "read", []any{"read", "orders", "stock", "webhooks", "read"},
	} {
		if _, problems := read(map[string]any{"scopes": scopes}); len(problems) != 1 {
			t.Errorf("scopes %v: got %v, want one problem", scopes, problems)
		}
	}
	_, problems = read(map[string]any{"name": 7, "email": 7, "password": 7})
	if len(problems) != 3 || problems[2].Value != nil {
		t.Errorf("got %+v", problems)
	}
}

// TestSigningKeyAllocatesNothing counts allocations, because every signed request
// looks its key up and checks its scopes.
func TestSigningKeyAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts allocations
	n := newNode(t)
	by := &partner.Member{Partner: *n.register(t, "a@b.example")}
	for _, scopes := range [][]partner.Scope{nil, {partner.ScopeStock, partner.ScopeRead}} {
		created, err := n.CreateKey(t.Context(), by, partner.KeyRequest{Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		n.signingKey(t, created.PublicKey)
		ctx := t.Context()
		if got := testing.AllocsPerRun(100, func() {
			key, _ := n.SigningKey(ctx, created.PublicKey)
			if err := key.May(partner.PermissionOrdersRead); err != nil {
				t.Error(err)
			}
			n.Used(key)
		}); got != 0 {
			t.Errorf("a key with the scopes %q: got %v allocations, want 0", scopes, got)
		}
	}
}

func BenchmarkSigningKey(b *testing.B) {
	n := newNode(b)
	created := n.createKey(b, n.register(b, "a@b.example").PartnerID, "")
	ctx := b.Context()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if key, err := n.SigningKey(ctx, created.PublicKey); key == nil || err != nil {
				b.Error(err)
			}
		}
	})
}
