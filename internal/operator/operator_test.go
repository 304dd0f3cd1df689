package operator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

const (
	here     = "203.0.113.1"
	email    = "Operator@example.com"
	password = "quai-de-nuit-1907"
)

// desk is the service on a store of its own.
type desk struct {
	*operator.Service
	signIns *signin.Service
	clock   *testkit.Clock
	store   *store.Store
}

func newDesk(t *testing.T) *desk {
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
	clock := testkit.NewClock(testkit.Epoch)
	hasher := credential.NewHasher(credential.Cost{Memory: 8, Passes: 1, Lanes: 1}, repeatable.Reader(t))
	signIns := signin.NewService(signin.Config{
		Kind: signin.Operators, Store: opened.OperatorSignIns(), Hasher: hasher, Now: clock.Now, Random: repeatable.Reader(t),
		Log: slog.New(slog.DiscardHandler),
	})
	service := operator.NewService(operator.Config{
		Store:   opened.Operators(),
		SignIns: signIns,
		Hasher:  hasher,
		Now:     clock.Now,
		Random:  repeatable.Reader(t),
		Log:     slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := signIns.Close(); err != nil {
			t.Error(err)
		}
	})
	return &desk{service, signIns, clock, opened}
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

// token issues the token that a request asks for.
func (d *desk) token(t *testing.T, members map[string]any, address string) (*operator.IssuedToken, error) {
	t.Helper()
	request, err := decode(t, members, operator.ReadTokenRequest)
	if err != nil {
		return nil, err
	}
	return d.IssueToken(t.Context(), request, address)
}

// courier adds the courier that a request asks for.
func (d *desk) courier(t *testing.T, members map[string]any) (*operator.Courier, error) {
	t.Helper()
	entered, err := decode(t, members, operator.ReadCourier)
	if err != nil {
		return nil, err
	}
	return d.CreateCourier(t.Context(), entered)
}

func (d *desk) add(t *testing.T, role operator.Role) *operator.Operator {
	t.Helper()
	added, err := d.Add(t.Context(), operator.Operator{Email: email, Role: role}, password)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func (d *desk) issue(t *testing.T, email, password, address string) (*operator.IssuedToken, error) {
	t.Helper()
	return d.token(t, map[string]any{"email": email, "password": password, "name": "desk 2"}, address)
}

func wantCode(t *testing.T, err error, code refusal.Code) {
	t.Helper()
	if !refusal.HasCode(err, code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

// TestSignInsShareOneLimit checks that logins and tokens count together.
func TestSignInsShareOneLimit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(t, operator.RoleDispatcher)
	for i := range 30 {
		if _, err := d.issue(t, email, password, here); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.signIns.Login(t.Context(), signin.Credentials{Email: email, Password: password},
			credential.Origin{Address: here}); err != nil {
			t.Fatalf("login %d: %v", i, err)
		}
	}
	_, err := d.issue(t, email, password, here)
	wantCode(t, err, refusal.CodeRateLimited)
	d.clock.Advance(time.Second)
	if _, err := d.issue(t, email, password, here); err != nil {
		t.Errorf("a second later: got %v, want a token", err)
	}
}

func TestTokenWorksForThirtyDays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	added := d.add(t, operator.RoleDispatcher)
	token, err := d.issue(t, "OPERATOR@example.COM", password, here)
	if err != nil {
		t.Fatal(err)
	}
	if token.Role != operator.RoleDispatcher || !strings.HasPrefix(token.TokenID, "tok_") || len(token.Secret) < 43 ||
		!token.ExpiresAt.Equal(testkit.Epoch.Add(30*24*time.Hour)) {
		t.Errorf("issued %+v", token)
	}
	d.clock.Advance(30*24*time.Hour - time.Millisecond)
	if found, err := d.ByToken(t.Context(), token.Secret); err != nil || found == nil || *found != *added {
		t.Errorf("the token is of %+v, %v; want %+v", found, err, added)
	}
	d.clock.Advance(time.Millisecond)
	for _, none := range []string{token.Secret, "", "unknown", token.TokenID} {
		if found, err := d.ByToken(t.Context(), none); found != nil || err != nil {
			t.Errorf("%q is of %+v, %v", none, found, err)
		}
	}
}

func TestExpiredTokensAreRemoved(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(t, operator.RoleAdmin)
	old, err := d.issue(t, email, password, here)
	if err != nil {
		t.Fatal(err)
	}
	d.clock.Advance(31 * 24 * time.Hour)
	if _, err := d.issue(t, email, password, here); err != nil {
		t.Fatal(err)
	}
	err = d.store.Operators().Read(t.Context(), func(tx operator.Reader) error {
		found, err := tx.OfToken(t.Context(), credential.HashToken(old.Secret), testkit.Epoch)
		if found != nil {
			t.Error("the expired token is still kept")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestIssueTokenRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(t, operator.RoleAdmin)
	for name, c := range map[string]struct {
		members map[string]any
		code    refusal.Code
	}{
		"wrong password": {map[string]any{"email": email, "password": "wrong", "name": "x"}, refusal.CodeUnauthorized},
		"unknown e-mail": {
			map[string]any{"email": "b@b.example", "password": password, "name": "x"}, refusal.CodeUnauthorized,
		},
		"no password":  {map[string]any{"email": email, "name": "x"}, refusal.CodeValidation},
		"no e-mail":    {map[string]any{"password": password, "name": "x"}, refusal.CodeValidation},
		"name no text": {map[string]any{"email": email, "password": password, "name": 7}, refusal.CodeValidation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token, err := d.token(t, c.members, here)
			wantCode(t, err, c.code)
			if token != nil {
				t.Errorf("issued %+v", token)
			}
		})
	}
}

func TestFailuresAreThrottled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.add(t, operator.RoleAdmin)
		for i := range 12 {
			_, known := d.issue(t, email, "wrong", here)
			_, unknown := d.issue(t, "nobody@example.com", "wrong", "203.0.113.2")
			if fmt.Sprint(known) != fmt.Sprint(unknown) {
				t.Fatalf("try %d: %v for an operator, %v without", i, known, unknown)
			}
		}
		_, err := d.issue(t, email, password, here)
		var refused *refusal.Error
		if !errors.As(err, &refused) || refused.Code != refusal.CodeRateLimited || refused.RetryAfter <= 0 {
			t.Errorf("got %v", err)
		}
		if _, err := d.issue(t, email, password, "198.51.100.7"); err != nil {
			t.Errorf("elsewhere: %v", err)
		}
	})
}

func TestAddRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(t, operator.RoleAdmin)
	_, err := d.Add(t.Context(), operator.Operator{Email: strings.ToUpper(email), Role: operator.RoleAdmin}, password)
	wantCode(t, err, refusal.CodeEmailTaken)
	_, err = d.Add(t.Context(), operator.Operator{Email: "no address", Role: "owner"}, "password1")
	wantCode(t, err, refusal.CodeValidation)
	told, _ := json.Marshal(err)
	for _, field := range []string{`"email"`, `"password"`, `"role"`} {
		if !strings.Contains(string(told), field) {
			t.Errorf("%s does not tell of %s", told, field)
		}
	}
	if strings.Contains(string(told), "password1") {
		t.Errorf("%s tells the password", told)
	}
}

func TestEnsureOperatorLeavesAnOperatorAsItIs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i, c := range []struct {
		email, password string
		made            bool
	}{{email, password, true}, {email, password, false}, {strings.ToLower(email), "another-one-9", false}} {
		made, err := d.EnsureOperator(t.Context(), c.email, c.password, operator.RoleAdmin)
		if err != nil || made != c.made {
			t.Errorf("call %d: %v, %v", i, made, err)
		}
	}
	if _, err := d.issue(t, email, password, here); err != nil {
		t.Errorf("the first password: %v", err)
	}
	_, err := d.EnsureOperator(t.Context(), "b@b.example", "short", operator.RoleAdmin)
	wantCode(t, err, refusal.CodeValidation)
}

func TestCreateCourier(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, c := range map[string]struct {
		active any
		want   bool
	}{"active": {true, true}, "inactive": {false, false}, "null": {nil, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			courier, err := d.courier(t, map[string]any{
				"name": "Amélie Tremblay", "phone": "+15145550188", "vehicle": "Cargo van", "active": c.active,
			})
			if err != nil {
				t.Fatal(err)
			}
			if courier.Active != c.want || courier.Name != "Amélie Tremblay" || courier.Phone != "+15145550188" ||
				courier.Vehicle != "Cargo van" {
				t.Errorf("created %+v", courier)
			}
			// Package order may assign active couriers only.
			err = d.store.Orders().Read(t.Context(), func(tx order.Reader) error {
				found, err := tx.Courier(t.Context(), courier.CourierID)
				if got := found != nil; got != c.want {
					t.Errorf("can be assigned: %v, want %v", got, c.want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	courier, err := d.courier(t, map[string]any{"name": "x", "phone": "+15145550188", "vehicle": "y"})
	if err != nil || !courier.Active {
		t.Errorf("without active: %+v, %v", courier, err)
	}
}

func TestCreateCourierTellsAllFaults(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, err := d.courier(t, map[string]any{"phone": "416 555-0119", "active": "yes"})
	wantCode(t, err, refusal.CodeValidation)
	told, _ := json.Marshal(err)
	for _, field := range []string{"name", "phone", "vehicle", "active"} {
		if !strings.Contains(string(told), fmt.Sprintf(`"field":%q`, field)) {
			t.Errorf("%s does not tell of %s", told, field)
		}
	}
	if page, err := d.Couriers(t.Context(), "", 10); err != nil || len(page.Couriers) != 0 {
		t.Errorf("a refused courier was kept: %+v, %v", page, err)
	}
}

func TestCouriersByPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	want := map[string]operator.Courier{}
	for i := range 7 {
		courier, err := d.courier(t, map[string]any{"name": fmt.Sprint("c", i), "phone": "+15145550188", "vehicle": "bike"})
		if err != nil {
			t.Fatal(err)
		}
		want[courier.CourierID] = *courier
	}
	for _, limit := range []int{1, 3, 7, 100} {
		seen, cursor := 0, ""
		for {
			page, err := d.Couriers(t.Context(), cursor, limit)
			if err != nil || len(page.Couriers) == 0 || len(page.Couriers) > limit {
				t.Fatalf("limit %d: %d couriers, %v", limit, len(page.Couriers), err)
			}
			for _, courier := range page.Couriers {
				if *courier != want[courier.CourierID] {
					t.Errorf("listed %+v, want %+v", *courier, want[courier.CourierID])
				}
			}
			seen += len(page.Couriers)
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if seen != len(want) {
			t.Errorf("limit %d: saw %d of %d", limit, seen, len(want))
		}
	}
}
