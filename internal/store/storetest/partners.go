package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/store"
)

// partnerAccount returns an account in which no two fields are the same.
func partnerAccount(n int) *partner.Account {
	id := fmt.Sprintf("par_%d", n)
	return &partner.Account{
		Partner:  partner.Partner{PartnerID: id, Name: "name of " + id, Email: "E-Mail of " + id, CreatedAt: at(n)},
		EmailKey: "e-mail of " + id, PasswordHash: "hash of " + id,
	}
}

func writePartners(t *testing.T, s *store.Store, fn func(partner.Writer) error) {
	t.Helper()
	must(t, s.Partners().Write(t.Context(), fn))
}

func readPartners(t *testing.T, s *store.Store, fn func(partner.Reader) error) {
	t.Helper()
	must(t, s.Partners().Read(t.Context(), fn))
}

func addPartners(t *testing.T, s *store.Store, accounts ...*partner.Account) {
	t.Helper()
	writePartners(t, s, func(tx partner.Writer) error {
		for _, a := range accounts {
			if added, err := tx.AddPartner(t.Context(), a); err != nil || !added {
				t.Fatalf("add %s: got %t, %v, want true", a.PartnerID, added, err)
			}
		}
		return nil
	})
}

func testPartners(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two, three := partnerAccount(1), partnerAccount(2), partnerAccount(3)
	addPartners(t, s, one, two, three)
	set := partner.Settings{SuspendedAt: at(50), SuspendedReason: "a reason", PendingSince: at(9), RateLimit: 77, RateCard: "a card"}
	writePartners(t, s, func(tx partner.Writer) error {
		again := partnerAccount(4)
		again.EmailKey = one.EmailKey
		if added, err := tx.AddPartner(ctx, again); added || err != nil {
			t.Errorf("an e-mail address in use: got %t, %v, want false", added, err)
		}
		before, err := tx.LockSettings(ctx, "par_2")
		if err != nil || before != partner.DefaultSettings {
			t.Errorf("locked: got %+v, %v, want the defaults", before, err)
		}
		must(t, tx.SaveSettings(ctx, "par_2", set))
		after, err := tx.LockSettings(ctx, "par_2")
		if after != set {
			t.Errorf("locked again: got %+v, want %+v", after, set)
		}
		must(t, err)
		return tx.AddAudit(ctx, &audit.Entry{AuditID: "a", PartnerID: "par_2", Action: audit.ActionPartnerChanged})
	})
	must(t, s.RateCards().Write(ctx, func(tx ratecard.Writer) error {
		_, err := tx.AddCard(ctx, &ratecard.Entry{CardID: "crd_1", Name: "a card", Version: "v"})
		return err
	}))
	readPartners(t, s, func(tx partner.Reader) error {
		for _, want := range []*partner.Account{one, two, three} {
			account, err := tx.Account(ctx, want.EmailKey)
			must(t, err)
			same(t, "account", account, want)
			found, err := tx.Partner(ctx, want.PartnerID)
			must(t, err)
			same(t, "partner", found, want.Partner)
		}
		if none, err := tx.Account(ctx, one.Email); none != nil || err != nil {
			t.Errorf("by the address as given: got %+v, %v, want none", none, err)
		}
		if none, err := tx.Partner(ctx, "par_none"); none != nil || err != nil {
			t.Errorf("partner: got %+v, %v, want none", none, err)
		}
		for id, want := range map[string]partner.Settings{"par_1": partner.DefaultSettings, "par_2": set} {
			if got, err := tx.Settings(ctx, id); got != want || err != nil {
				t.Errorf("settings of %s: got %+v, %v, want %+v", id, got, err, want)
			}
		}
		for name, want := range map[string]bool{"a card": true, "crd_1": false} {
			if got, err := tx.HasRateCards(ctx, name); got != want || err != nil {
				t.Errorf("rate cards called %s: got %t, %v, want %t", name, got, err, want)
			}
		}
		page, err := tx.List(ctx, "par_1", 1)
		must(t, err)
		same(t, "page", page, []partner.Listed{{Partner: two.Partner, Settings: set}})
		rest, err := tx.List(ctx, "par_2", 5)
		same(t, "rest", rest, []partner.Listed{{Partner: three.Partner, Settings: partner.DefaultSettings}})
		return err
	})
}

func testSessions(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two := partnerAccount(1), partnerAccount(2)
	addPartners(t, s, one, two)
	hash := func(n int) []byte { return []byte{byte(n), 0, 255} }
	session := func(n int, owner *partner.Account) *partner.Session {
		return &partner.Session{
			TokenHash: hash(n), Partner: owner.Partner,
			SessionTimes: credential.SessionTimes{CreatedAt: at(n), LastSeenAt: at(100 + n)},
		}
	}
	find := func(n int) (found *partner.Session) {
		readPartners(t, s, func(tx partner.Reader) (err error) {
			found, err = tx.Session(ctx, hash(n))
			return err
		})
		return found
	}
	left := func() (found []int) {
		for n := range 10 {
			if find(n) != nil {
				found = append(found, n)
			}
		}
		return found
	}
	writePartners(t, s, func(tx partner.Writer) error {
		for n, owner := range []*partner.Account{one, one, one, one, two} {
			must(t, tx.AddSession(ctx, session(n+1, owner)))
		}
		return tx.TouchSession(ctx, hash(3), at(200))
	})
	want := session(3, one)
	want.LastSeenAt = at(200)
	same(t, "session", find(3), want)
	readPartners(t, s, func(tx partner.Reader) error {
		kept, err := tx.SessionsOf(ctx, "par_1")
		same(t, "sessions of one", kept, []credential.KeptSession{
			{TokenHash: hash(1), SessionTimes: session(1, one).SessionTimes}, {TokenHash: hash(2), SessionTimes: session(2, one).SessionTimes},
			{TokenHash: hash(3), SessionTimes: want.SessionTimes}, {TokenHash: hash(4), SessionTimes: session(4, one).SessionTimes},
		})
		return err
	})
	writePartners(t, s, func(tx partner.Writer) error {
		must(t, tx.LockAccount(ctx, "par_1"))
		return tx.LockAccount(ctx, "par_unknown")
	})
	writePartners(t, s, func(tx partner.Writer) error {
		must(t, tx.EndSession(ctx, hash(4)))
		must(t, tx.EndSession(ctx, hash(4)))
		return tx.EndSessions(ctx, at(2), at(103)) // begun: 1; seen: 1 and 2
	})
	if got := left(); !slices.Equal(got, []int{3, 5}) {
		t.Errorf("after ending one and the old ones: got %v, want 3 and 5", got)
	}
	writePartners(t, s, func(tx partner.Writer) error { return tx.EndSessionsOf(ctx, "par_1") })
	if got := left(); !slices.Equal(got, []int{5}) {
		t.Errorf("after ending those of one: got %v, want 5", got)
	}
}

func testAPIKeys(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartners(t, s, partnerAccount(1), partnerAccount(2))
	key := func(n int, partnerID string) *partner.SealedKey {
		id := fmt.Sprintf("key_%d", n)
		return &partner.SealedKey{
			APIKey:    partner.APIKey{KeyID: id, Name: "name of " + id, PublicKey: "public key of " + id, CreatedAt: at(9 - n), LastUsedAt: at(50 + n)},
			PartnerID: partnerID, Secret: []byte{byte(n), 0, 255},
		}
	}
	one, two, three, other := key(1, "par_1"), key(2, "par_1"), key(3, "par_1"), key(4, "par_2")
	writePartners(t, s, func(tx partner.Writer) error {
		for _, added := range []*partner.SealedKey{one, two, three, other} {
			must(t, tx.AddAPIKey(ctx, added))
		}
		for _, c := range []struct{ partnerID, want string }{{"par_2", ""}, {"par_1", two.PublicKey}, {"par_1", ""}} {
			if got, err := tx.RevokeAPIKey(ctx, c.partnerID, "key_2", at(60)); got != c.want || err != nil {
				t.Errorf("revoke the key of par_1 for %s: got %q, %v, want %q", c.partnerID, got, err, c.want)
			}
		}
		return tx.SaveKeyUses(ctx, []partner.KeyUse{{KeyID: "key_1", At: at(70)}, {KeyID: "key_4", At: at(80)}})
	})
	one.LastUsedAt, other.LastUsedAt = at(70), at(80)
	readPartners(t, s, func(tx partner.Reader) error {
		for _, want := range []*partner.SealedKey{one, three, other} {
			got, err := tx.APIKey(ctx, want.PublicKey)
			must(t, err)
			same(t, "key", got, want)
		}
		if revoked, err := tx.APIKey(ctx, two.PublicKey); revoked != nil || err != nil {
			t.Errorf("a revoked key: got %+v, %v, want none", revoked, err)
		}
		listed, err := tx.APIKeys(ctx, "par_1")
		must(t, err)
		same(t, "keys, oldest first", listed, []partner.APIKey{three.APIKey, one.APIKey})
		active, revoked, err := tx.CountAPIKeys(ctx, "par_1")
		if active != 2 || revoked != 1 {
			t.Errorf("got %d active and %d revoked keys, want 2 and 1", active, revoked)
		}
		return err
	})
}
