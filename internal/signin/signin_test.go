package signin_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

func openStore(t *testing.T) *store.Store {
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
	return opened
}

// stalled is a store whose transactions wait until it is released.
type stalled struct {
	signin.Store
	released chan struct{}
}

func (s stalled) Read(ctx context.Context, fn func(signin.Reader) error) error {
	<-s.released
	return s.Store.Read(ctx, fn)
}

func (s stalled) Write(ctx context.Context, fn func(signin.Writer) error) error {
	<-s.released
	return s.Store.Write(ctx, fn)
}

// postbox is a mail.Post that keeps addresses.
type postbox chan string

func (b postbox) Send(_ context.Context, _ mail.Writer, m *mail.Message) error {
	b <- m.To
	return nil
}

// TestRequestResetLooksNothingUp asks for new passwords while the store answers
// nothing, so that the time of an answer says nothing about the account.
func TestRequestResetLooksNothingUp(t *testing.T) {
	t.Parallel()
	db, clock := openStore(t), testkit.NewClock(testkit.Epoch)
	err := db.Operators().Write(t.Context(), func(tx operator.Writer) error {
		account := &operator.Account{EmailKey: "night@example.com", PasswordHash: "hash"}
		account.OperatorID, account.Email, account.Active = "opr_1", "Night@example.com", true
		_, err := tx.AddOperator(t.Context(), account)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	box, released := make(postbox, 10), make(chan struct{})
	s := signin.NewService(signin.Config{
		Kind: signin.Operators, Store: stalled{
			db.OperatorSignIns(), released,
		}, Post: box, BaseURL: func() string { return "https://drop.example.com" },
		Now: clock.Now, Random: repeatable.Reader(t), Log: slog.New(slog.DiscardHandler),
	})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, email := range []string{"stranger@example.com", "NIGHT@example.com", "night@example.com"} {
		s.RequestReset(email)
	}
	close(released)
	if got := <-box; got != "Night@example.com" {
		t.Errorf("got a link sent to %s, want Night@example.com", got)
	}
	clock.Advance(time.Minute)
	s.RequestReset("night@example.com")
	<-box
	if len(box) > 0 {
		t.Errorf("got %d more links, want one a minute", len(box))
	}
}

// TestRulesReachOtherNodes changes rules on one node. Another uses them within 5 s.
func TestRulesReachOtherNodes(t *testing.T) {
	t.Parallel()
	db, clock, random := openStore(t), testkit.NewClock(testkit.Epoch), repeatable.Reader(t)
	node := func() *signin.Rules {
		return &signin.Rules{
			Store: db.OperatorSignIns(), Now: clock.Now, Random: random,
			Roles: map[signin.Kind][]string{signin.Operators: {"admin", "courier"}, signin.Users: {"owner"}},
		}
	}
	required := func(r *signin.Rules) []string {
		found, err := r.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found[signin.Operators]
	}
	here, there := node(), node()
	if got := required(there); len(got) > 0 {
		t.Errorf("by default: got %v, want none", got)
	}
	root, err := strictjson.Parse([]byte(`{"totp_required":{"operators":["courier","admin"],"users":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := form.Decode(root, here.Read)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := here.Set(t.Context(), rules); err != nil {
		t.Fatal(err)
	}
	want := []string{"admin", "courier"}
	if got := required(here); !slices.Equal(got, want) {
		t.Errorf("on the same node: got %v, want %v", got, want)
	}
	clock.Advance(5 * time.Second)
	if got := required(there); !slices.Equal(got, want) {
		t.Errorf("on another node after 5 s: got %v, want %v", got, want)
	}
}
