package partner_test

import (
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
	signIns *signin.Service
	clock   *testkit.Clock
	store   *store.Store
	random  io.Reader
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
	hasher := credential.NewHasher(credential.Cost{Memory: 8, Passes: 1, Lanes: 1}, base.random)
	service := partner.NewService(partner.Config{
		AddressKeys: [][]byte{[]byte("a key of tests")},
		Store:       view,
		Hasher:      hasher,
		Sealer:      sealer,
		Now:         base.clock.Now,
		Random:      base.random,
		Log:         slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	signIns := signin.NewService(signin.Config{
		Kind: signin.Users, Store: base.store.UserSignIns(), Hasher: hasher, MayUse: service.MayUse,
		Now: base.clock.Now, Random: base.random, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := signIns.Close(); err != nil {
			t.Error(err)
		}
	})
	return &node{service, signIns, base.clock, base.store, base.random}
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
	_, token, err := n.signIns.Login(t.Context(), signin.Credentials{Email: email, Password: password},
		credential.NewOrigin(address, "agent"))
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
	if len(p.PartnerID) != 12 || p.Name != "Épicerie Métro" || p.Email != "Partner@Example.com" ||
		!p.CreatedAt.Equal(testkit.Epoch) {
		t.Errorf("registered %+v", p)
	}
	token := n.mustLogin(t, "pARTNER@example.COM")
	found, err := n.signIns.BySession(t.Context(), token)
	member := partner.MemberOf(found)
	if err != nil || member == nil || member.Partner != *p {
		t.Fatalf("got the session %+v, %v, want one of %+v", found, err, p)
	}
	owner := member.User
	if !strings.HasPrefix(owner.UserID, "usr_") || owner.PartnerID != p.PartnerID || owner.Name != p.Name ||
		owner.Email != p.Email || owner.Role != partner.RoleOwner || !owner.CreatedAt.Equal(testkit.Epoch) {
		t.Errorf("got the user %+v, want the owner of %+v", owner, p)
	}
	if !strings.HasPrefix(found.SessionID, "ses_") || found.Origin != (credential.Origin{Address: here, Agent: "agent"}) {
		t.Errorf("got the session %+v, want one from %s by agent", found, here)
	}
	_, err = n.Register(t.Context(),
		partner.NewAccount{Name: "x", Email: "PARTNER@example.com", Password: "another-one-9"})
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
		{"no e-mail address", map[string]any{
			"name": "x", "email": "Me <me@example.com>", "password": password,
		}, []string{"email"}},
		{"short password", map[string]any{"name": "x", "email": "a@b.example", "password": "7 chars"}, []string{"password"}},
		{"long password", map[string]any{"name": "x", "email": "a@b.example", "password": strings.Repeat("x",
			129)}, []string{"password"}},
		{"common password", map[string]any{
			"name": "x", "email": "a@b.example", "password": "PassWord123",
		}, []string{"password"}},
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

func TestByPassword(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	p := n.register(t, "a@b.example")
	if found, _, err := n.signIns.ByPassword(t.Context(), "A@B.example", password, here); err != nil ||
		found.(*partner.Member).Partner != *p {
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
		_, _, err := n.signIns.ByPassword(t.Context(), c[0], c[1], fmt.Sprintf("203.0.113.%d", i))
		wantCode(t, err, refusal.CodeUnauthorized)
	}
}
