package storetest

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
)

func testFactors(t *testing.T, s *store.Store) {
	ctx := t.Context()
	signIns := s.OperatorSignIns()
	one := signin.Factor{
		PersonID: "opr_1", Secret: []byte{1, 0, 255}, ConfirmedAt: at(1), Step: 7, ResetRequestedAt: at(2),
	}
	hashes := [][]byte{{1, 0}, {2, 0}, {3, 0}}
	must(t, signIns.Write(ctx, func(tx signin.Writer) error {
		must(t, tx.SaveFactor(ctx, signin.Factor{PersonID: "opr_1"}))
		must(t, tx.SaveFactor(ctx, one))
		must(t, tx.SetRecoveryCodes(ctx, "opr_1", [][]byte{{9}}))
		must(t, tx.SetRecoveryCodes(ctx, "opr_1", hashes))
		must(t, tx.SetRecoveryCodes(ctx, "opr_2", hashes[:1]))
		for _, want := range []bool{true, false} {
			if taken, err := tx.TakeRecoveryCode(ctx, "opr_1", hashes[1]); taken != want || err != nil {
				t.Errorf("take a recovery code: got %t, %v, want %t", taken, err, want)
			}
		}
		must(t, tx.SetRequired(ctx, signin.Operators, []string{"king"}))
		must(t, tx.SetRequired(ctx, signin.Operators, []string{"admin", "dispatcher"}))
		return tx.SetRequired(ctx, signin.Users, nil)
	}))
	must(t, signIns.Read(ctx, func(tx signin.Reader) error {
		found, err := tx.Factor(ctx, "opr_1")
		same(t, "factor", found, one)
		must(t, err)
		none, err := tx.Factor(ctx, "opr_2")
		same(t, "no factor", none, signin.Factor{PersonID: "opr_2"})
		must(t, err)
		for id, want := range map[string]int64{"opr_1": 2, "opr_2": 1, "opr_3": 0} {
			if left, err := tx.CountRecoveryCodes(ctx, id); left != want || err != nil {
				t.Errorf("recovery codes of %s: got %d, %v, want %d", id, left, err, want)
			}
		}
		for kind, want := range map[signin.Kind][]string{signin.Operators: {"admin", "dispatcher"}, signin.Users: {}} {
			if got, err := tx.Required(ctx, kind); !slices.Equal(got, want) || err != nil {
				t.Errorf("required of %s: got %v, %v, want %v", kind, got, err, want)
			}
		}
		return nil
	}))
}

func testOperatorSignIns(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two := account(1, operator.RoleAdmin), account(2, operator.RoleWarehouse)
	addAccounts(t, s, one, two)
	session := func(n int) *signin.Session {
		return &signin.Session{
			TokenHash: []byte{byte(n), 0, 255}, SessionID: "session", PersonID: "opr_1",
			Origin:       credential.Origin{Address: "203.0.113.7", Agent: "agent"},
			SessionTimes: credential.SessionTimes{CreatedAt: at(n), LastSeenAt: at(100 + n)},
		}
	}
	other := session(2)
	other.SessionID = "other session"
	writeOperators(t, s, func(tx operator.Writer) error {
		return tx.AddToken(ctx,
			&operator.Token{TokenID: "tok_1", TokenHash: []byte{1}, OperatorID: "opr_1", ExpiresAt: at(9)})
	})
	want := &signin.Person{
		PersonID: "opr_1", Email: one.Email, EmailKey: one.EmailKey, PasswordHash: one.PasswordHash, Role: "admin",
		CreatedAt: one.CreatedAt,
	}
	must(t, s.OperatorSignIns().Write(ctx, func(tx signin.Writer) error {
		must(t, tx.AddSession(ctx, session(1)))
		must(t, tx.AddSession(ctx, other))
		locked, err := tx.LockPerson(ctx, "opr_1")
		same(t, "locked", locked, want)
		must(t, err)
		if none, err := tx.LockPerson(ctx, "opr_none"); none != nil || err != nil {
			t.Errorf("locked: got %+v, %v, want none", none, err)
		}
		byEmail, err := tx.PersonByEmail(ctx, one.EmailKey)
		same(t, "by address", byEmail, want)
		must(t, err)
		sessions, err := tx.SessionsOf(ctx, "opr_1")
		same(t, "sessions", sessions, []*signin.Session{
			{
				TokenHash: []byte{1, 0, 255}, SessionID: "session", PersonID: "opr_1", Origin: other.Origin,
				SessionTimes: session(1).SessionTimes,
			},
			{
				TokenHash: other.TokenHash, SessionID: "other session", PersonID: "opr_1", Origin: other.Origin,
				SessionTimes: other.SessionTimes,
			},
		})
		must(t, err)
		for _, c := range []struct {
			owner string
			want  bool
		}{{"opr_2", false}, {"opr_1", true}, {"opr_1", false}} {
			if ended, err := tx.EndSession(ctx, c.owner, "session"); ended != c.want || err != nil {
				t.Errorf("end the session for %s: got %t, %v, want %t", c.owner, ended, err, c.want)
			}
		}
		for _, c := range []struct {
			except []byte
			want   int64
		}{{other.TokenHash, 0}, {nil, 1}} {
			if ended, err := tx.EndSessionsOf(ctx, "opr_1", c.except); ended != c.want || err != nil {
				t.Errorf("end all but %v: got %d, %v, want %d", c.except, ended, err, c.want)
			}
		}
		for address, want := range map[string]bool{two.EmailKey: false, "new address": true} {
			if changed, err := tx.SetEmail(ctx, "opr_1", "New Address", address); changed != want || err != nil {
				t.Errorf("set the address %s: got %t, %v, want %t", address, changed, err, want)
			}
		}
		must(t, tx.SetPassword(ctx, "opr_1", "new hash"))
		return tx.RevokeTokens(ctx, "opr_1")
	}))
	want.Email, want.EmailKey, want.PasswordHash = "New Address", "new address", "new hash"
	must(t, s.OperatorSignIns().Read(ctx, func(tx signin.Reader) error {
		found, err := tx.Person(ctx, "opr_1")
		same(t, "changed", found, want)
		return err
	}))
	readOperators(t, s, func(tx operator.Reader) error {
		if token, err := tx.Token(ctx, "tok_1"); token != nil || err != nil {
			t.Errorf("token: got %+v, %v, want it revoked", token, err)
		}
		return nil
	})
}

func testUserSignIns(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two := partnerNumber(1), partnerNumber(2)
	addPartners(t, s, one, two)
	metro, quay := userNumber(1, one), userNumber(2, two)
	metro.Email = one.Email
	writePartners(t, s, func(tx partner.Writer) error {
		for _, user := range []*partner.Account{metro, quay} {
			if added, err := tx.AddUser(ctx, user); err != nil || !added {
				t.Fatalf("add %s: got %t, %v, want true", user.UserID, added, err)
			}
		}
		return nil
	})
	want := func(a *partner.Account) *signin.Person {
		return &signin.Person{
			PersonID: a.UserID, PartnerID: a.PartnerID, Name: a.Name, Email: a.Email, EmailKey: a.EmailKey,
			PasswordHash: a.PasswordHash, Role: string(a.Role), CreatedAt: a.CreatedAt,
		}
	}
	must(t, s.UserSignIns().Write(ctx, func(tx signin.Writer) error {
		locked, err := tx.LockPerson(ctx, metro.UserID)
		same(t, "locked", locked, want(metro))
		must(t, err)
		people, err := tx.PeopleOf(ctx, quay.PartnerID)
		same(t, "people", people, []*signin.Person{want(quay)})
		must(t, err)
		must(t, tx.SaveFactor(ctx, signin.Factor{PersonID: metro.UserID, Secret: []byte{1}, ConfirmedAt: at(1)}))
		must(t, tx.SetRecoveryCodes(ctx, metro.UserID, [][]byte{{1}}))
		must(t, tx.RevokeTokens(ctx, metro.UserID)) // users have none
		changed, err := tx.SetEmail(ctx, metro.UserID, "New@metro.example", "new@metro.example")
		if !changed {
			t.Error("set an address: got it refused")
		}
		return err
	}))
	readPartners(t, s, func(tx partner.Reader) error {
		for id, want := range map[string]string{metro.PartnerID: "New@metro.example", quay.PartnerID: two.Email} {
			if found, err := tx.Partner(ctx, id); err != nil || found.Email != want {
				t.Errorf("address of %s: got %+v, %v, want %s", id, found, err, want)
			}
		}
		return nil
	})
}
