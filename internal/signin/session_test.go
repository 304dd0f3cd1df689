package signin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	here     = "203.0.113.1"
	password = "maple-harbour-42"
)

// node is the service of one kind of people on a store of its own, or shared with other
// nodes.
type node struct {
	*signin.Service
	kind   signin.Kind
	hasher *credential.Hasher
	clock  *testkit.Clock
	store  *store.Store
	random io.Reader
}

// forBothKinds runs a test for operators and for partners' people.
func forBothKinds(t *testing.T, test func(t *testing.T, kind signin.Kind)) {
	t.Helper()
	for _, kind := range []signin.Kind{signin.Operators, signin.Users} {
		t.Run(string(kind), func(t *testing.T) { test(t, kind) })
	}
}

func newNode(t *testing.T, kind signin.Kind) *node {
	t.Helper()
	random := repeatable.Reader(t)
	hasher := credential.NewHasher(credential.Cost{Memory: 8, Passes: 1, Lanes: 1}, random)
	n := &node{
		Service: nil, kind: kind, hasher: hasher, clock: testkit.NewClock(testkit.Epoch), store: openStore(t), random: random,
	}
	return n.beside(t, n.view())
}

// view is the store as the service of the kind sees it.
func (n *node) view() signin.Store {
	if n.kind == signin.Operators {
		return n.store.OperatorSignIns()
	}
	return n.store.UserSignIns()
}

// beside returns another node on the database, which it sees through view.
func (n *node) beside(t *testing.T, view signin.Store) *node {
	t.Helper()
	other := *n
	other.Service = signin.NewService(signin.Config{
		Kind: n.kind, Store: view, Hasher: n.hasher, Now: n.clock.Now, Random: n.random, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	return &other
}

// decode reads a command from a JSON object of the given names and values.
func decode[C any](t *testing.T, members map[string]any, read func(*form.Form) C) (C, error) {
	t.Helper()
	data, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	root, err := strictjson.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return form.Decode(root, read)
}

// add adds a person.
func (n *node) add(t *testing.T, email string) {
	t.Helper()
	var err error
	if n.kind == signin.Operators {
		operators := operator.NewService(operator.Config{
			Store: n.store.Operators(), Hasher: n.hasher, Now: n.clock.Now, Random: n.random,
		})
		_, err = operators.Add(t.Context(), operator.Operator{Email: email, Role: operator.RoleAdmin}, password)
	} else {
		partners := partner.NewService(partner.Config{
			AddressKeys: [][]byte{[]byte("a key of tests")},
			Store:       n.store.Partners(), Hasher: n.hasher, Now: n.clock.Now, Random: n.random,
		})
		_, err = partners.Register(t.Context(), partner.NewAccount{Name: "Épicerie Métro", Email: email, Password: password})
		err = errors.Join(err, partners.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (n *node) login(t *testing.T, email, password, address string) (string, error) {
	t.Helper()
	_, token, err := n.Login(t.Context(), signin.Credentials{Email: email, Password: password},
		credential.NewOrigin(address, "agent"))
	return token, err
}

func (n *node) mustLogin(t *testing.T, email string) string {
	t.Helper()
	token, err := n.login(t, email, password, here)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func wantCode(t *testing.T, err error, code refusal.Code) {
	t.Helper()
	if !refusal.HasCode(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

func TestLoginRefusals(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		n.add(t, "a@b.example")
		for name, c := range map[string]struct {
			members map[string]any
			code    refusal.Code
		}{
			"wrong password":    {map[string]any{"email": "a@b.example", "password": "wrong"}, refusal.CodeUnauthorized},
			"unknown e-mail":    {map[string]any{"email": "b@b.example", "password": password}, refusal.CodeUnauthorized},
			"no password":       {map[string]any{"email": "a@b.example"}, refusal.CodeValidation},
			"no e-mail address": {map[string]any{"email": "a", "password": password}, refusal.CodeValidation},
			"password too long": {map[string]any{"email": "a@b.example", "password": strings.Repeat("x",
				129)}, refusal.CodeValidation},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var session *signin.Session
				var token string
				with, err := decode(t, c.members, signin.ReadCredentials)
				if err == nil {
					session, token, err = n.Login(t.Context(), with, credential.NewOrigin(here, ""))
				}
				wantCode(t, err, c.code)
				if session != nil || token != "" {
					t.Errorf("got %v, %q from a refused login, want neither", session, token)
				}
			})
		}
	})
}

// A refusal must not reveal whether there is an account.
func TestLoginRefusalsAreAlike(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			n := newNode(t, kind)
			n.add(t, "a@b.example")
			for i := range 12 {
				_, known := n.login(t, "a@b.example", "wrong", here)
				_, unknown := n.login(t, "nobody@b.example", "wrong", "203.0.113.2")
				if fmt.Sprint(known) != fmt.Sprint(unknown) {
					t.Fatalf("try %d: %v for an account, %v without", i, known, unknown)
				}
			}
		})
	})
}

func TestFailedLoginsAreThrottled(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			n := newNode(t, kind)
			n.add(t, "a@b.example")
			for range 10 {
				_, err := n.login(t, "A@b.example", "wrong", here)
				wantCode(t, err, refusal.CodeUnauthorized)
			}
			_, err := n.login(t, "a@B.example", password, here)
			var refused *refusal.Error
			if !errors.As(err, &refused) || refused.Code != refusal.CodeRateLimited || refused.RetryAfter <= 0 {
				t.Fatalf("got %v", err)
			}
			if _, err := n.login(t, "a@b.example", password, "198.51.100.7"); err != nil {
				t.Errorf("the owner, elsewhere: %v", err)
			}
			_, _, err = n.ByPassword(t.Context(), "a@b.example", password, here)
			wantCode(t, err, refusal.CodeRateLimited)
			n.clock.Advance(refused.RetryAfter)
			if _, err := n.login(t, "a@b.example", password, here); err != nil {
				t.Errorf("after the wait: %v", err)
			}
		})
	})
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		n.add(t, "a@b.example")
		idle, used := n.mustLogin(t, "a@b.example"), n.mustLogin(t, "a@b.example")
		alive := func(token string) bool {
			t.Helper()
			found, err := n.BySession(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			return found != nil
		}
		const step = 11*time.Hour + 59*time.Minute
		n.clock.Advance(step)
		if !alive(used) {
			t.Fatal("ended before 12 h without use")
		}
		n.clock.Advance(time.Minute)
		if alive(idle) {
			t.Error("lasts longer than 12 h without use")
		}
		if !alive(used) {
			t.Error("ended 12 h after the login, though used since")
		}
		for n.clock.Now().Sub(testkit.Epoch) < 7*24*time.Hour-step {
			n.clock.Advance(step)
			if !alive(used) {
				t.Fatalf("ended after %v of use", n.clock.Now().Sub(testkit.Epoch))
			}
		}
		n.clock.Advance(testkit.Epoch.Add(7*24*time.Hour - time.Minute).Sub(n.clock.Now()))
		if !alive(used) {
			t.Error("ended before 7 days")
		}
		n.clock.Advance(time.Minute)
		if alive(used) {
			t.Error("lasts longer than 7 days")
		}
	})
}

// TestOldestSessionEnds logs in on two nodes in turn.
func TestOldestSessionEnds(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		nodes := []*node{n, n.beside(t, n.view())}
		n.add(t, "a@b.example")
		n.add(t, "c@d.example")
		other := n.mustLogin(t, "c@d.example")
		var tokens []string
		for i := range credential.MaxSessions + 5 {
			tokens = append(tokens, nodes[i%2].mustLogin(t, "a@b.example"))
			n.clock.Advance(time.Second)
		}
		for i, token := range append(tokens, other) {
			found, err := n.BySession(t.Context(), token)
			if want := i >= 5; err != nil || (found != nil) != want {
				t.Errorf("login %d of %d: got a session %t, %v, want %t", i+1, len(tokens), found != nil, err, want)
			}
		}
	})
}

func TestParallelLoginsKeepTwentySessions(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		nodes := []*node{n, n.beside(t, n.view())}
		n.add(t, "a@b.example")
		var running sync.WaitGroup
		for i := range 30 {
			running.Go(func() {
				if _, err := nodes[i%2].login(t, "a@b.example", password, here); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		err := n.view().Read(t.Context(), func(tx signin.Reader) error {
			owner, err := tx.PersonByEmail(t.Context(), "a@b.example")
			if err != nil {
				return err
			}
			kept, err := tx.SessionsOf(t.Context(), owner.PersonID)
			if len(kept) != credential.MaxSessions {
				t.Errorf("after 30 logins at one moment: got %d sessions, want %d", len(kept), credential.MaxSessions)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestExpiredSessionsEndFirst checks that an expired session makes room before an
// older one that is in use.
func TestExpiredSessionsEndFirst(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		n.add(t, "a@b.example")
		used := n.mustLogin(t, "a@b.example")
		n.clock.Advance(time.Second)
		n.mustLogin(t, "a@b.example") // never used
		n.clock.Advance(11 * time.Hour)
		alive := func() bool {
			t.Helper()
			found, err := n.BySession(t.Context(), used)
			if err != nil {
				t.Fatal(err)
			}
			return found != nil
		}
		if !alive() {
			t.Fatal("ended before 12 h without use")
		}
		n.clock.Advance(2 * time.Hour)
		for range credential.MaxSessions - 1 {
			n.mustLogin(t, "a@b.example")
		}
		if !alive() {
			t.Error("the used session ended before the expired one")
		}
		n.mustLogin(t, "a@b.example")
		if alive() {
			t.Error("the oldest session lasts beside twenty later ones")
		}
	})
}

// A session's use is written at most once a minute.
func TestSessionIsTouchedRarely(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		n.add(t, "a@b.example")
		token := n.mustLogin(t, "a@b.example")
		seen := func() (at time.Time) {
			t.Helper()
			err := n.view().Read(t.Context(), func(tx signin.Reader) error {
				session, err := tx.Session(t.Context(), credential.HashToken(token))
				at = session.LastSeenAt
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		for _, c := range []struct{ pass, want time.Duration }{{59 * time.Second, 0}, {time.Second, time.Minute}, {30 *
			time.Second, time.Minute}} {
			n.clock.Advance(c.pass)
			if _, err := n.BySession(t.Context(), token); err != nil {
				t.Fatal(err)
			}
			if err := n.Tidy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := seen().Sub(testkit.Epoch); got != c.want {
				t.Errorf("at %v: last seen at %v, want %v", n.clock.Now().Sub(testkit.Epoch), got, c.want)
			}
		}
	})
}

// narrowStore refuses changes while its disk is full.
type narrowStore struct {
	signin.Store
	full atomic.Bool
}

func (s *narrowStore) Write(ctx context.Context, fn func(signin.Writer) error) error {
	if s.full.Load() {
		return refusal.ErrFull
	}
	return s.Store.Write(ctx, fn)
}

// TestSessionOnFullDisk uses a session for 20 hours while nothing can be written. It lasts,
// and its last use is written when there is room.
func TestSessionOnFullDisk(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		base := newNode(t, kind)
		view := &narrowStore{Store: base.view()}
		n := base.beside(t, view)
		n.add(t, "a@b.example")
		token := n.mustLogin(t, "a@b.example")
		view.full.Store(true)
		for hour := range 20 {
			n.clock.Advance(time.Hour)
			if found, err := n.BySession(t.Context(), token); err != nil || found == nil {
				t.Fatalf("hour %d: got %v, %v, want the session", hour, found, err)
			}
		}
		view.full.Store(false)
		n.mustLogin(t, "a@b.example")
		for _, at := range []*node{n, base} {
			if found, err := at.BySession(t.Context(), token); err != nil || found == nil ||
				!found.LastSeenAt.Equal(n.clock.Now()) {
				t.Errorf("got %+v, %v, want the session as it was used last", found, err)
			}
		}
	})
}

func TestLogout(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		n.add(t, "a@b.example")
		token, other := n.mustLogin(t, "a@b.example"), n.mustLogin(t, "a@b.example")
		for _, ended := range []string{token, token, "", "no token"} {
			if err := n.Logout(t.Context(), ended); err != nil {
				t.Errorf("logout of %q: %v", ended, err)
			}
			if found, err := n.BySession(t.Context(), ended); found != nil || err != nil {
				t.Errorf("the session of %q: %v, %v", ended, found, err)
			}
		}
		if found, _ := n.BySession(t.Context(), other); found == nil {
			t.Error("ended another session")
		}
	})
}

func TestExpiredSessionsAreSwept(t *testing.T) {
	t.Parallel()
	forBothKinds(t, func(t *testing.T, kind signin.Kind) {
		t.Parallel()
		n := newNode(t, kind)
		n.add(t, "a@b.example")
		old := n.mustLogin(t, "a@b.example")
		n.clock.Advance(13 * time.Hour)
		young := n.mustLogin(t, "a@b.example")
		if err := n.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := n.view().Read(t.Context(), func(tx signin.Reader) error {
			for token, want := range map[string]bool{old: false, young: true} {
				session, err := tx.Session(t.Context(), credential.HashToken(token))
				if err != nil {
					return err
				}
				if got := session != nil; got != want {
					t.Errorf("kept: %v, want %v", got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
