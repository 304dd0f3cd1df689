package partner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
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

// node is the service on a store of its own, or shared with other nodes.
type node struct {
	*partner.Service
	clock  *testkit.Clock
	store  *store.Store
	random io.Reader
}

func newNode(t testing.TB) *node {
	t.Helper()
	opened, err := store.OpenSQLite(t.Context(), filepath.Join(testkit.FastDir(t), "dropyard.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	base := &node{clock: testkit.NewClock(testkit.Epoch), store: opened, random: repeatable.Reader(t)}
	return addNode(t, base, opened.Partners())
}

// addNode returns another node on the database of base, which it sees through view.
func addNode(t testing.TB, base *node, view partner.Store) *node {
	t.Helper()
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	service := partner.NewService(partner.Config{
		Store:  view,
		Hasher: credential.NewHasher(credential.Cost{Memory: 8, Passes: 1, Lanes: 1}, base.random),
		Sealer: sealer,
		Now:    base.clock.Now,
		Random: base.random,
		Log:    slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	return &node{service, base.clock, base.store, base.random}
}

// decode reads a command from a JSON object of the given names and values.
func decode[C any](t testing.TB, members map[string]any, read func(*form.Form) C) (C, error) {
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

func (n *node) register(t testing.TB, email string) *partner.Partner {
	t.Helper()
	p, err := n.Register(t.Context(), partner.NewAccount{Name: "Épicerie Métro", Email: email, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	return &p.Partner
}

func (n *node) login(t testing.TB, email, password, address string) (string, error) {
	t.Helper()
	_, token, err := n.Login(t.Context(), signin.Credentials{Email: email, Password: password}, credential.NewOrigin(address, "agent"))
	return token, err
}

func (n *node) mustLogin(t testing.TB, email string) string {
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

func TestRegister(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "Partner@Example.com")
	if len(p.PartnerID) != 12 || p.Name != "Épicerie Métro" || p.Email != "Partner@Example.com" || !p.CreatedAt.Equal(testkit.Epoch) {
		t.Errorf("registered %+v", p)
	}
	token := n.mustLogin(t, "pARTNER@example.COM")
	found, err := n.BySession(t.Context(), token)
	if err != nil || found == nil || found.Partner != *p {
		t.Fatalf("got the session %+v, %v, want one of %+v", found, err, p)
	}
	owner := found.User
	if !strings.HasPrefix(owner.UserID, "usr_") || owner.PartnerID != p.PartnerID || owner.Name != p.Name || owner.Email != p.Email || owner.Role != partner.RoleOwner || !owner.CreatedAt.Equal(testkit.Epoch) {
		t.Errorf("got the user %+v, want the owner of %+v", owner, p)
	}
	if !strings.HasPrefix(found.SessionID, "ses_") || found.Origin != (credential.Origin{Address: here, Agent: "agent"}) {
		t.Errorf("got the session %+v, want one from %s by agent", found, here)
	}
	_, err = n.Register(t.Context(), partner.NewAccount{Name: "x", Email: "PARTNER@example.com", Password: "another-one-9"})
	wantCode(t, err, refusal.CodeEmailTaken)
}

func TestRegisterReportsAllFaults(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	for _, c := range []struct {
		name    string
		members map[string]any
		fields  []string
	}{
		{"nothing", map[string]any{}, []string{"name", "email", "password"}},
		{"wrong types", map[string]any{"name": 1, "email": []any{}, "password": true}, []string{"name", "email", "password"}},
		{"null", map[string]any{"name": nil, "email": nil, "password": nil}, []string{"name", "email", "password"}},
		{"empty", map[string]any{"name": "", "email": "", "password": ""}, []string{"name", "email", "password"}},
		{"no e-mail address", map[string]any{"name": "x", "email": "Me <me@example.com>", "password": password}, []string{"email"}},
		{"short password", map[string]any{"name": "x", "email": "a@b.example", "password": "7 chars"}, []string{"password"}},
		{"long password", map[string]any{"name": "x", "email": "a@b.example", "password": strings.Repeat("x", 129)}, []string{"password"}},
		{"common password", map[string]any{"name": "x", "email": "a@b.example", "password": "PassWord123"}, []string{"password"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wanted, err := decode(t, c.members, partner.ReadNewAccount)
			if err == nil {
				_, err = n.Register(t.Context(), wanted)
			}
			wantCode(t, err, refusal.CodeValidation)
			var refused *refusal.Error
			errors.As(err, &refused)
			answer, _ := json.Marshal(refused)
			for _, field := range c.fields {
				if !strings.Contains(string(answer), fmt.Sprintf(`"field":%q`, field)) {
					t.Errorf("got %s, want a problem at %s", answer, field)
				}
			}
			if text, ok := c.members["password"].(string); ok && text != "" && strings.Contains(string(answer), text) {
				t.Errorf("got %s, want no password in it", answer)
			}
		})
	}
}

func TestConcurrentRegistrations(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	var admitted atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			email := []string{"same@example.com", "SAME@example.com"}[i%2]
			_, err := n.Register(t.Context(), partner.NewAccount{Name: "x", Email: email, Password: password})
			switch {
			case err == nil:
				admitted.Add(1)
			case !refusal.HasCode(err, refusal.CodeEmailTaken):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if admitted.Load() != 1 {
		t.Errorf("%d accounts with one e-mail address", admitted.Load())
	}
}

func TestPasswordsAreNotKept(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.register(t, "a@b.example")
	err := n.store.Partners().Read(t.Context(), func(tx partner.Reader) error {
		account, err := tx.Account(t.Context(), "a@b.example")
		if err == nil && !strings.HasPrefix(account.PasswordHash, "$argon2id$") {
			t.Errorf("kept: %s", account.PasswordHash)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestLoginRefusals(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.register(t, "a@b.example")
	for name, c := range map[string]struct {
		members map[string]any
		code    refusal.Code
	}{
		"wrong password":    {map[string]any{"email": "a@b.example", "password": "wrong"}, refusal.CodeUnauthorized},
		"unknown e-mail":    {map[string]any{"email": "b@b.example", "password": password}, refusal.CodeUnauthorized},
		"no password":       {map[string]any{"email": "a@b.example"}, refusal.CodeValidation},
		"no e-mail address": {map[string]any{"email": "a", "password": password}, refusal.CodeValidation},
		"password too long": {map[string]any{"email": "a@b.example", "password": strings.Repeat("x", 129)}, refusal.CodeValidation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var member *partner.Member
			var token string
			with, err := decode(t, c.members, signin.ReadCredentials)
			if err == nil {
				member, token, err = n.Login(t.Context(), with, credential.NewOrigin(here, ""))
			}
			wantCode(t, err, c.code)
			if member != nil || token != "" {
				t.Errorf("got %v, %q from a refused login, want neither", member, token)
			}
		})
	}
}

// A refusal must not reveal whether there is an account.
func TestLoginRefusalsAreAlike(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t)
		n.register(t, "a@b.example")
		for i := range 12 {
			_, known := n.login(t, "a@b.example", "wrong", here)
			_, unknown := n.login(t, "nobody@b.example", "wrong", "203.0.113.2")
			if fmt.Sprint(known) != fmt.Sprint(unknown) {
				t.Fatalf("try %d: %v for an account, %v without", i, known, unknown)
			}
		}
	})
}

func TestFailedLoginsAreThrottled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t)
		n.register(t, "a@b.example")
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
		_, err = n.ByPassword(t.Context(), "a@b.example", password, here)
		wantCode(t, err, refusal.CodeRateLimited)
		n.clock.Advance(refused.RetryAfter)
		if _, err := n.login(t, "a@b.example", password, here); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}

func TestByPassword(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "a@b.example")
	if found, err := n.ByPassword(t.Context(), "A@B.example", password, here); err != nil || found.Partner != *p {
		t.Errorf("got %+v, %v, want the owner of %+v", found, err, p)
	}
	for i, c := range [][2]string{
		{"a@b.example", "wrong"},
		{"a@b.example", ""},
		{"", ""},
		{"", password},
		{"no address", password},
		{strings.Repeat("x", 1<<20), password},
		{"a@b.example", strings.Repeat("x", 1<<20)},
	} {
		_, err := n.ByPassword(t.Context(), c[0], c[1], fmt.Sprintf("203.0.113.%d", i))
		wantCode(t, err, refusal.CodeUnauthorized)
	}
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.register(t, "a@b.example")
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
}

// A session's use is written at most once a minute.
// TestOldestSessionEnds logs in on two nodes in turn.
func TestOldestSessionEnds(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	nodes := []*node{n, addNode(t, n, n.store.Partners())}
	n.register(t, "a@b.example")
	n.register(t, "c@d.example")
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
}

func TestParallelLoginsKeepTwentySessions(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	nodes := []*node{n, addNode(t, n, n.store.Partners())}
	p := n.register(t, "a@b.example")
	var running sync.WaitGroup
	for i := range 30 {
		running.Go(func() {
			if _, err := nodes[i%2].login(t, "a@b.example", password, here); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	err := n.store.Partners().Read(t.Context(), func(tx partner.Reader) error {
		owner, err := tx.Account(t.Context(), "a@b.example")
		if err != nil {
			return err
		}
		kept, err := tx.SessionsOf(t.Context(), p.PartnerID, owner.UserID)
		if len(kept) != credential.MaxSessions {
			t.Errorf("after 30 logins at one moment: got %d sessions, want %d", len(kept), credential.MaxSessions)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExpiredSessionsEndFirst checks that an expired session makes room before an
// older one that is in use.
func TestExpiredSessionsEndFirst(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.register(t, "a@b.example")
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
}

func TestSessionIsTouchedRarely(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.register(t, "a@b.example")
	token := n.mustLogin(t, "a@b.example")
	seen := func() (at time.Time) {
		t.Helper()
		err := n.store.Partners().Read(t.Context(), func(tx partner.Reader) error {
			session, err := tx.Session(t.Context(), credential.HashToken(token))
			at = session.LastSeenAt
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, c := range []struct{ pass, want time.Duration }{{59 * time.Second, 0}, {time.Second, time.Minute}, {30 * time.Second, time.Minute}} {
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
}

// narrowStore refuses changes while its disk is full.
type narrowStore struct {
	partner.Store
	full atomic.Bool
}

func (s *narrowStore) Write(ctx context.Context, fn func(partner.Writer) error) error {
	if s.full.Load() {
		return refusal.ErrFull
	}
	return s.Store.Write(ctx, fn)
}

// TestSessionOnFullDisk uses a session for 20 hours while nothing can be written. It lasts,
// and its last use is written when there is room.
func TestSessionOnFullDisk(t *testing.T) {
	t.Parallel()
	base := newNode(t)
	view := &narrowStore{Store: base.store.Partners()}
	n := addNode(t, base, view)
	n.register(t, "a@b.example")
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
		if found, err := at.BySession(t.Context(), token); err != nil || found == nil || !found.LastSeenAt.Equal(n.clock.Now()) {
			t.Errorf("got %+v, %v, want the session as it was used last", found, err)
		}
	}
}

func TestLogout(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.register(t, "a@b.example")
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
}

func TestExpiredSessionsAreSwept(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.register(t, "a@b.example")
	old := n.mustLogin(t, "a@b.example")
	n.clock.Advance(13 * time.Hour)
	young := n.mustLogin(t, "a@b.example")
	if err := n.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := n.store.Partners().Read(t.Context(), func(tx partner.Reader) error {
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
}
