package storetest

import (
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
)

// partnerNumber returns a partner in which no two fields are the same.
func partnerNumber(n int) *partner.Partner {
	id := fmt.Sprintf("par_%d", n)
	return &partner.Partner{PartnerID: id, Name: "name of " + id, Email: "E-Mail of " + id, CreatedAt: at(n)}
}

// userNumber returns a user of a partner in which no two fields are the same.
func userNumber(n int, of *partner.Partner) *partner.Account {
	id := fmt.Sprintf("usr_%d", n)
	return &partner.Account{
		User: partner.User{
			UserID: id, PartnerID: of.PartnerID, Name: "name of " + id, Email: "E-Mail of " + id,
			Role: partner.Role("role of " + id), CreatedAt: at(n),
		},
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

func addPartners(t *testing.T, s *store.Store, added ...*partner.Partner) {
	t.Helper()
	writePartners(t, s, func(tx partner.Writer) error {
		for _, p := range added {
			if done, err := tx.AddPartner(t.Context(), p); err != nil || !done {
				t.Fatalf("add %s: got %t, %v, want true", p.PartnerID, done, err)
			}
		}
		return nil
	})
}

func testPartners(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two, three := partnerNumber(1), partnerNumber(2), partnerNumber(3)
	addPartners(t, s, one, two, three)
	set := partner.Settings{
		SuspendedAt: at(50), SuspendedReason: "a reason", PendingSince: at(9), RateLimit: 77, RateCard: "a card",
	}
	writePartners(t, s, func(tx partner.Writer) error {
		if added, err := tx.AddPartner(ctx, partnerNumber(1)); added || err != nil {
			t.Errorf("an id in use: got %t, %v, want false", added, err)
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
		for _, want := range []*partner.Partner{one, two, three} {
			found, err := tx.Partner(ctx, want.PartnerID)
			must(t, err)
			same(t, "partner", found, want)
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
		same(t, "page", page, []partner.Listed{{Partner: *two, Settings: set}})
		rest, err := tx.List(ctx, "par_2", 5)
		same(t, "rest", rest, []partner.Listed{{Partner: *three, Settings: partner.DefaultSettings}})
		return err
	})
}

func testUsers(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two := partnerNumber(1), partnerNumber(2)
	addPartners(t, s, one, two)
	first, second, other := userNumber(1, one), userNumber(2, one), userNumber(3, two)
	addUsers(t, s, first, second, other)
	writePartners(t, s, func(tx partner.Writer) error {
		taken := userNumber(4, two)
		taken.EmailKey = first.EmailKey
		if added, err := tx.AddUser(ctx, taken); added || err != nil {
			t.Errorf("an e-mail address in use: got %t, %v, want false", added, err)
		}
		locked, err := tx.LockUser(ctx, second.UserID)
		must(t, err)
		same(t, "locked user", locked, second)
		none, err := tx.LockUser(ctx, "usr_none")
		if none != nil {
			t.Errorf("an unknown user: got %+v, want none", none)
		}
		return err
	})
	readPartners(t, s, func(tx partner.Reader) error {
		for _, want := range []*partner.Account{first, second, other} {
			found, err := tx.Account(ctx, want.EmailKey)
			must(t, err)
			same(t, "user", found, want)
		}
		none, err := tx.Account(ctx, first.Email)
		if none != nil {
			t.Errorf("by the address as given: got %+v, want none", none)
		}
		return err
	})
}

// testTeams changes and removes users.
func testTeams(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two := partnerNumber(1), partnerNumber(2)
	addPartners(t, s, one, two)
	first, second, other := userNumber(1, one), userNumber(2, one), userNumber(3, two)
	addUsers(t, s, first, second, other)
	session := &signin.Session{TokenHash: []byte{1}, SessionID: "ses_1", PersonID: "usr_1", PartnerID: "par_1"}
	must(t, s.UserSignIns().Write(ctx, func(tx signin.Writer) error { return tx.AddSession(ctx, session) }))
	writePartners(t, s, func(tx partner.Writer) error {
		must(t, tx.LockPartner(ctx, "par_1"))
		second.Name, second.Role = "another name", "another role"
		must(t, tx.SaveUser(ctx, &second.User))
		users, err := tx.Users(ctx, "par_1")
		must(t, err)
		same(t, "users", users, []partner.User{first.User, second.User})
		return tx.RemoveUser(ctx, "par_1", "usr_1")
	})
	readPartners(t, s, func(tx partner.Reader) error {
		users, err := tx.Users(ctx, "par_1")
		must(t, err)
		same(t, "users after a removal", users, []partner.User{second.User})
		kept, err := tx.Account(ctx, second.EmailKey)
		must(t, err)
		same(t, "changed user", kept, second)
		return nil
	})
	must(t, s.UserSignIns().Read(ctx, func(tx signin.Reader) error {
		gone, err := tx.Session(ctx, session.TokenHash)
		same(t, "session of a removed user", gone, (*signin.Session)(nil))
		return err
	}))
}

func addUsers(t *testing.T, s *store.Store, added ...*partner.Account) {
	t.Helper()
	writePartners(t, s, func(tx partner.Writer) error {
		for _, u := range added {
			if done, err := tx.AddUser(t.Context(), u); err != nil || !done {
				t.Fatalf("add %s: got %t, %v, want true", u.UserID, done, err)
			}
		}
		return nil
	})
}

func testAPIKeys(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartners(t, s, partnerNumber(1), partnerNumber(2))
	key := func(n int, partnerID string) *partner.SealedKey {
		id := fmt.Sprintf("key_%d", n)
		return &partner.SealedKey{
			APIKey: partner.APIKey{
				KeyID: id, Name: "name of " + id, PublicKey: "public key of " + id, CreatedAt: at(9 - n), LastUsedAt: at(50 + n),
				CreatedBy: partner.Creator{
					UserID: "creator of " + id, Name: "name of the creator of " + id,
				}, Scopes: partner.Scopes[:n-1],
			},
			PartnerID: partnerID, Secret: []byte{byte(n), 0, 255},
		}
	}
	one, two, three, other := key(1, "par_1"), key(2, "par_1"), key(3, "par_1"), key(4, "par_2")
	writePartners(t, s, func(tx partner.Writer) error {
		for _, added := range []*partner.SealedKey{one, two, three, other} {
			must(t, tx.AddAPIKey(ctx, added))
		}
		none := (*partner.APIKey)(nil)
		for _, c := range []struct {
			partnerID string
			want      *partner.APIKey
		}{{"par_2", none}, {"par_1", &two.APIKey}, {"par_1", none}} {
			got, err := tx.RevokeAPIKey(ctx, c.partnerID, "key_2", at(60))
			must(t, err)
			same(t, "key of par_1 revoked for "+c.partnerID, got, c.want)
		}
		return tx.SaveKeyUses(ctx, []partner.KeyUse{{KeyID: "key_1", At: at(70)}, {KeyID: "key_4", At: at(80)}})
	})
	one.LastUsedAt, other.LastUsedAt = at(70), at(80)
	one.Scopes = nil // as an empty list is read
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
