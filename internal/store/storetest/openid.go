package storetest

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
)

// testOpenID keeps the providers of partners, their domains, and who signs in through them.
func testOpenID(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartners(t, s, partnerNumber(1), partnerNumber(2))
	want := &partner.OpenID{
		PartnerID: "par_1", Issuer: "an issuer", ClientID: "a client", Secret: []byte{1, 0, 255}, RoleClaim: "a claim",
		Values: map[partner.Role]string{partner.RoleOwner: "a value"}, DefaultRole: "a role",
		StoppedAt: at(1), ChangedAt: at(2),
	}
	one, two := domain("par_1", "one.example"), domain("par_1", "two.example")
	taken := domain("par_2", "one.example")
	tie := &partner.Identity{
		PartnerID: "par_1", Issuer: "an issuer", Subject: "a subject", UserID: "usr_1", CreatedAt: at(3),
	}
	user := &partner.Account{User: partner.User{PartnerID: "par_1", UserID: "usr_1"}}
	writePartners(t, s, func(tx partner.Writer) error {
		must(t, tx.SaveOpenID(ctx, &partner.OpenID{PartnerID: "par_1"}))
		must(t, tx.SaveOpenID(ctx, want))
		for _, d := range []*partner.Domain{two, one, taken} {
			must(t, tx.SaveDomain(ctx, d))
		}
		must(t, tx.SaveIdentity(ctx, &partner.Identity{PartnerID: "par_1", Issuer: "an issuer", Subject: "a subject"}))
		must(t, tx.SaveIdentity(ctx, tie))
		proven, err := tx.ProveDomain(ctx, one, at(4))
		same(t, "the first to prove", proven, true)
		return err
	})
	one.ProvenAt = at(4)
	writePartners(t, s, func(tx partner.Writer) error {
		proven, err := tx.ProveDomain(ctx, taken, at(5))
		same(t, "the second to prove", proven, false)
		return err
	})
	readPartners(t, s, func(tx partner.Reader) error {
		set, err := tx.OpenID(ctx, "par_1")
		must(t, err)
		same(t, "provider", set, want)
		none, err := tx.OpenID(ctx, "par_2")
		must(t, err)
		same(t, "provider of another", none, (*partner.OpenID)(nil))
		domains, err := tx.Domains(ctx, "par_1")
		must(t, err)
		same(t, "domains", domains, []partner.Domain{*one, *two})
		domains, err = tx.Domains(ctx, "par_2")
		must(t, err)
		same(t, "domains of another", domains, []partner.Domain{*taken})
		for name, owner := range map[string]string{"one.example": "par_1", "two.example": "", "ONE.example": ""} {
			by, err := tx.ProvenBy(ctx, name)
			must(t, err)
			same(t, name, by, owner)
		}
		found, err := tx.Identity(ctx, "par_1", "an issuer", "a subject")
		must(t, err)
		same(t, "identity", found, tie)
		other, err := tx.Identity(ctx, "par_2", "an issuer", "a subject")
		must(t, err)
		same(t, "identity of another partner", other, (*partner.Identity)(nil))
		for issuer, want := range map[string]bool{"an issuer": true, "another": false} {
			has, err := tx.HasIdentity(ctx, user, issuer)
			must(t, err)
			same(t, "has an identity at "+issuer, has, want)
		}
		return nil
	})
	writePartners(t, s, func(tx partner.Writer) error {
		must(t, tx.RemoveDomain(ctx, "par_2", "one.example")) // which the other has proven
		must(t, tx.RemoveDomain(ctx, "par_1", "two.example"))
		return tx.RemoveOpenID(ctx, "par_1")
	})
	readPartners(t, s, func(tx partner.Reader) error {
		set, err := tx.OpenID(ctx, "par_1")
		must(t, err)
		same(t, "removed provider", set, (*partner.OpenID)(nil))
		domains, err := tx.Domains(ctx, "par_1")
		must(t, err)
		same(t, "domains that are left", domains, []partner.Domain{*one})
		return nil
	})
	testRemovedIdentities(t, s)
	testDomainRace(t, s)
}

// testRemovedIdentities dates the identities of a user who is removed, and those of no other.
func testRemovedIdentities(t *testing.T, s *store.Store) {
	t.Helper()
	ctx := t.Context()
	identity := func(partnerID, subject, userID string) *partner.Identity {
		return &partner.Identity{
			PartnerID: partnerID, Issuer: "an issuer", Subject: subject, UserID: userID, CreatedAt: at(1),
		}
	}
	tied := []*partner.Identity{
		identity("par_1", "first", "usr_1"), identity("par_1", "second", "usr_1"), identity("par_1", "other", "usr_2"),
		identity("par_2", "first", "usr_1"),
	}
	writePartners(t, s, func(tx partner.Writer) error {
		for _, one := range tied {
			must(t, tx.SaveIdentity(ctx, one))
		}
		return tx.EndIdentities(ctx, "par_1", "usr_1", at(9))
	})
	tied[0].CreatedAt, tied[1].CreatedAt = at(9), at(9)
	readPartners(t, s, func(tx partner.Reader) error {
		for _, want := range tied {
			found, err := tx.Identity(ctx, want.PartnerID, want.Issuer, want.Subject)
			must(t, err)
			same(t, want.Subject+" of "+want.PartnerID, found, want)
		}
		return nil
	})
}

func domain(partnerID, name string) *partner.Domain {
	return &partner.Domain{
		PartnerID: partnerID, Name: name, Token: "token of " + partnerID, AddedAt: at(6), CheckedAt: at(7),
		Problem: "a problem",
	}
}

// testDomainRace lets two partners prove a domain at the same moment: one has it.
func testDomainRace(t *testing.T, s *store.Store) {
	t.Helper()
	results := make(chan bool, 2)
	for _, id := range []string{"par_1", "par_2"} {
		go func() {
			var proven bool
			err := s.Partners().Write(t.Context(), func(tx partner.Writer) (err error) {
				proven, err = tx.ProveDomain(t.Context(), domain(id, "race.example"), at(8))
				return err
			})
			if err != nil {
				t.Error(err)
			}
			results <- proven
		}()
	}
	if first, second := <-results, <-results; first == second {
		t.Errorf("two partners prove a domain: got %t and %t, want one of them", first, second)
	}
}

// testVouchedSessions ends the sessions of a partner's people that a provider has vouched for, but one.
func testVouchedSessions(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartners(t, s, partnerNumber(1), partnerNumber(2))
	session := func(n int, partnerID string, vouched bool) *signin.Session {
		made := &signin.Session{
			TokenHash: hashOf(n), SessionID: "ses", PersonID: "usr_1", PartnerID: partnerID, Vouched: vouched,
		}
		made.CreatedAt, made.LastSeenAt = at(n), at(n).Add(time.Second)
		return made
	}
	must(t, s.UserSignIns().Write(ctx, func(tx signin.Writer) error {
		for _, one := range []*signin.Session{
			session(1, "par_1", true), session(2, "par_1", false), session(3, "par_1", true), session(4, "par_2", true),
		} {
			must(t, tx.AddSession(ctx, one))
		}
		return nil
	}))
	writePartners(t, s, func(tx partner.Writer) error { return tx.EndVouchedSessions(ctx, "par_1", hashOf(3)) })
	must(t, s.UserSignIns().Write(ctx, func(tx signin.Writer) error {
		for n, want := range map[int]string{1: "", 2: "usr_1", 3: "usr_1", 4: "usr_1"} {
			personID, err := tx.Logout(ctx, hashOf(n))
			must(t, err)
			same(t, "who had a session", personID, want)
		}
		return nil
	}))
}
