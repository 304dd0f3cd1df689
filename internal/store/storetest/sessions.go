package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
)

// testSessions begins, uses and ends sessions of both kinds of people.
func testSessions(t *testing.T, s *store.Store) {
	one, two := partnerNumber(1), partnerNumber(2)
	addPartners(t, s, one, two)
	first, second, other := userNumber(1, one), userNumber(2, one), userNumber(3, two)
	addUsers(t, s, first, second, other)
	users := sessions{s.UserSignIns(), []signin.Holder{
		&partner.Member{
			Partner: *one, User: first.User,
		}, &partner.Member{Partner: *one, User: second.User}, &partner.Member{Partner: *two, User: other.User},
	}}
	users.test(t)
	writePartners(t, s, func(tx partner.Writer) error { return tx.EndSessionsOf(t.Context(), "par_1") })
	users.wantLeft(t, "after ending those of one partner", 5, 6)

	admin, clerk, mate := account(1,
		operator.RoleAdmin), account(2, operator.RoleWarehouse), account(3, operator.RoleWarehouse)
	addAccounts(t, s, admin, clerk, mate)
	operators := sessions{s.OperatorSignIns(), []signin.Holder{&admin.Operator, &clerk.Operator, &mate.Operator}}
	operators.test(t)
	mate.Active = false
	writeOperators(t, s, func(tx operator.Writer) error { return tx.SaveOperator(t.Context(), mate) })
	operators.wantLeft(t, "of an operator who is not active", 4)
}

// sessions are those of one kind of people, of whom there are three.
type sessions struct {
	signin.Store
	holders []signin.Holder
}

func (s sessions) write(t *testing.T, fn func(signin.Writer) error) {
	t.Helper()
	must(t, s.Write(t.Context(), fn))
}

// session returns the session of a number, of one of the people.
func (s sessions) session(n, of int) *signin.Session {
	person := s.holders[of].Actor()
	return &signin.Session{
		TokenHash: hashOf(n), SessionID: fmt.Sprintf("ses_%d", n), PersonID: person.PersonID, PartnerID: person.PartnerID,
		Origin:       credential.Origin{Address: fmt.Sprintf("address %d", n), Agent: fmt.Sprintf("agent %d", n)},
		Vouched:      n == 3,
		SessionTimes: credential.SessionTimes{CreatedAt: at(n), LastSeenAt: at(100 + n)},
	}
}

func hashOf(n int) []byte { return []byte{byte(n), 0, 255} }

func (s sessions) find(t *testing.T, n int) (found *signin.Session) {
	t.Helper()
	must(t, s.Read(t.Context(), func(tx signin.Reader) (err error) {
		found, err = tx.Session(t.Context(), hashOf(n))
		return err
	}))
	return found
}

func (s sessions) wantLeft(t *testing.T, when string, want ...int) {
	t.Helper()
	var left []int
	for n := range 10 {
		if s.find(t, n) != nil {
			left = append(left, n)
		}
	}
	if !slices.Equal(left, want) {
		t.Errorf("%s: got the sessions %v, want %v", when, left, want)
	}
}

func (s sessions) test(t *testing.T) {
	ctx := t.Context()
	all := []*signin.Session{s.session(1, 0), s.session(2, 0), s.session(3, 0), s.session(4, 1), s.session(5, 2)}
	s.write(t, func(tx signin.Writer) error {
		for _, begun := range all {
			must(t, tx.AddSession(ctx, begun))
		}
		return tx.TouchSession(ctx, hashOf(3), at(200))
	})
	all[2].LastSeenAt = at(200)
	held := *all[2]
	held.Holder = s.holders[0]
	same(t, "session", s.find(t, 3), &held)
	must(t, s.Read(ctx, func(tx signin.Reader) error {
		kept, err := tx.SessionsOf(ctx, all[0].PersonID)
		same(t, "sessions of the first", kept, all[:3])
		must(t, err)
		kept, err = tx.SessionsOf(ctx, all[4].PersonID)
		same(t, "sessions of the last", kept, all[4:])
		return err
	}))
	s.write(t, func(tx signin.Writer) error {
		for _, want := range []string{all[1].PersonID, ""} {
			if ended, err := tx.Logout(ctx, hashOf(2)); ended != want || err != nil {
				t.Errorf("end: got %q, %v, want %q", ended, err, want)
			}
		}
		return tx.EndSessions(ctx, at(2), at(102)) // begun: 1; seen: 1
	})
	s.wantLeft(t, "after ending one and the old ones", 3, 4, 5)
	s.write(t, func(tx signin.Writer) error {
		must(t, tx.AddSession(ctx, s.session(1, 0)))
		must(t, tx.AddSession(ctx, s.session(2, 0)))
		must(t, tx.AddSession(ctx, s.session(6, 2)))
		return tx.EndSessions(ctx, at(2), at(103)) // begun: 1; seen: 1 and 2
	})
	s.wantLeft(t, "after ending those seen long ago", 3, 4, 5, 6)
	s.write(t, func(tx signin.Writer) error {
		_, err := tx.EndSessionsOf(ctx, all[0].PersonID, nil)
		return err
	})
	s.wantLeft(t, "after ending those of one", 4, 5, 6)
}
