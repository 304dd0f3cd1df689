package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// at returns a time of its own for each number, one minute apart.
func at(n int) time.Time { return testkit.Epoch.Add(time.Duration(n) * time.Minute) }

// account returns an active operator without two equal fields.
func account(n int, role operator.Role) *operator.Account {
	id := fmt.Sprintf("opr_%d", n)
	return &operator.Account{
		Operator: operator.Operator{
			OperatorID: id, Email: "E-Mail of " + id, Role: role, Active: true, CourierID: "courier of " + id, CreatedAt: at(n),
		},
		EmailKey: "e-mail of " + id, PasswordHash: "hash of " + id,
	}
}

func writeOperators(t *testing.T, s *store.Store, fn func(operator.Writer) error) {
	t.Helper()
	must(t, s.Operators().Write(t.Context(), fn))
}

func readOperators(t *testing.T, s *store.Store, fn func(operator.Reader) error) {
	t.Helper()
	must(t, s.Operators().Read(t.Context(), fn))
}

func addAccounts(t *testing.T, s *store.Store, accounts ...*operator.Account) {
	t.Helper()
	writeOperators(t, s, func(tx operator.Writer) error {
		for _, a := range accounts {
			if added, err := tx.AddOperator(t.Context(), a); err != nil || !added {
				t.Fatalf("add %s: got %t, %v, want true", a.OperatorID, added, err)
			}
		}
		return nil
	})
}

func testOperators(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two, three := account(1, operator.RoleAdmin), account(2, operator.RoleDispatcher), account(3, operator.RoleAdmin)
	two.Active = false
	addAccounts(t, s, one, two, three)
	writeOperators(t, s, func(tx operator.Writer) error {
		again := account(4, operator.RoleAdmin)
		again.EmailKey = one.EmailKey
		if added, err := tx.AddOperator(ctx, again); added || err != nil {
			t.Errorf("an e-mail address in use: got %t, %v, want false", added, err)
		}
		admins, err := tx.LockActiveAdmins(ctx)
		if admins != 2 {
			t.Errorf("got %d active admins, want 2", admins)
		}
		return err
	})

	three.PasswordHash, three.Role, three.Active, three.CourierID = "changed hash", operator.RoleCourier, false,
		"changed courier"
	writeOperators(t, s, func(tx operator.Writer) error {
		locked, err := tx.LockOperator(ctx, "opr_1")
		if err != nil || locked == nil || *locked != *one {
			t.Errorf("locked: got %+v, %v, want %+v", locked, err, one)
		}
		if none, err := tx.LockOperator(ctx, "opr_none"); none != nil || err != nil {
			t.Errorf("locked: got %+v, %v, want none", none, err)
		}
		return tx.SaveOperator(ctx, three)
	})
	readOperators(t, s, func(tx operator.Reader) error {
		for _, want := range []*operator.Account{one, two, three} {
			if got, err := tx.Account(ctx, want.EmailKey); err != nil || got == nil || *got != *want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		}
		if got, err := tx.Operator(ctx, "opr_3"); err != nil || got == nil || *got != three.Operator {
			t.Errorf("by id: got %+v, %v, want %+v", got, err, three.Operator)
		}
		if none, err := tx.Operator(ctx, "opr_none"); none != nil || err != nil {
			t.Errorf("by id: got %+v, %v, want none", none, err)
		}
		if none, err := tx.Account(ctx, one.Email); none != nil || err != nil {
			t.Errorf("by the address as given: got %+v, %v, want none", none, err)
		}
		for _, c := range []struct {
			courierID, operatorID string
			want                  bool
		}{{
			"changed courier", "opr_1", true,
		}, {"changed courier", "", true}, {"changed courier", "opr_3", false}, {"another courier", "", false}} {
			if got, err := tx.HasOtherLogin(ctx, c.courierID, c.operatorID); got != c.want || err != nil {
				t.Errorf("another operator than %q is %q: got %t, %v, want %t", c.operatorID, c.courierID, got, err, c.want)
			}
		}
		page, err := tx.Operators(ctx, "opr_1", 1)
		rest, restErr := tx.Operators(ctx, "opr_2", 5)
		if len(page) != 1 || *page[0] != two.Operator || len(rest) != 1 || *rest[0] != three.Operator {
			t.Errorf("lists: got %v and %v, want two and three", page, rest)
		}
		must(t, restErr)
		return err
	})
}

func testOperatorTokens(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two := account(1, operator.RoleAdmin), account(2, operator.RoleWarehouse)
	addAccounts(t, s, one, two)
	token := func(n int, owner *operator.Account) *operator.Token {
		return &operator.Token{
			TokenID: fmt.Sprintf("tok_%d", n), TokenHash: []byte{byte(n), 0, 255}, OperatorID: owner.OperatorID,
			Name: fmt.Sprint("name ", n), CreatedAt: at(n), ExpiresAt: at(100 + n),
		}
	}
	tokens := []*operator.Token{token(1, one), token(2, one), token(3, one), token(4, two)}
	writeOperators(t, s, func(tx operator.Writer) error {
		for _, added := range tokens {
			must(t, tx.AddToken(ctx, added))
		}
		return nil
	})
	ids := func(operatorID string, now time.Time, after string, limit int) (found []string) {
		readOperators(t, s, func(tx operator.Reader) error {
			page, err := tx.Tokens(ctx, operatorID, now, after, limit)
			for _, listed := range page {
				found = append(found, listed.TokenID)
			}
			return err
		})
		return found
	}
	owner := func(n int, now time.Time) (found *operator.Operator) {
		readOperators(t, s, func(tx operator.Reader) (err error) {
			found, err = tx.OfToken(ctx, []byte{byte(n), 0, 255}, now)
			return err
		})
		return found
	}
	readOperators(t, s, func(tx operator.Reader) error {
		got, err := tx.Token(ctx, "tok_3")
		if want := tokens[2]; got == nil || string(got.TokenHash) != string(want.TokenHash) ||
			fmt.Sprint(*got) != fmt.Sprint(*want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if none, err := tx.Token(ctx, "tok_none"); none != nil || err != nil {
			t.Errorf("got %+v, %v, want none", none, err)
		}
		return err
	})
	if got := ids("opr_1", at(0), "tok_1", 1); !slices.Equal(got, []string{"tok_2"}) {
		t.Errorf("a page: got %v, want tok_2", got)
	}
	if got := ids("opr_1", at(102), "", 9); !slices.Equal(got, []string{"tok_3"}) {
		t.Errorf("when two have expired: got %v, want tok_3", got)
	}
	if got := owner(4, at(103)); got == nil || *got != two.Operator {
		t.Errorf("owner: got %+v, want %+v", got, two.Operator)
	}
	if got := owner(4, at(104)); got != nil {
		t.Errorf("owner of an expired token: got %+v, want none", got)
	}
	if got := owner(9, at(0)); got != nil {
		t.Errorf("owner of no token: got %+v, want none", got)
	}
	writeOperators(t, s, func(tx operator.Writer) error {
		two.Active = false
		must(t, tx.SaveOperator(ctx, two))
		for _, want := range []bool{true, false} {
			if removed, err := tx.RemoveToken(ctx, "tok_3"); removed != want || err != nil {
				t.Errorf("remove: got %t, %v, want %t", removed, err, want)
			}
		}
		return tx.RemoveExpiredTokens(ctx, "opr_1", at(101))
	})
	if got := owner(4, at(0)); got != nil {
		t.Errorf("owner who is not active: got %+v, want none", got)
	}
	if got := ids("opr_1", at(0), "", 9); !slices.Equal(got, []string{"tok_2"}) {
		t.Errorf("after removing: got %v, want tok_2", got)
	}
	writeOperators(t, s, func(tx operator.Writer) error { return tx.RevokeTokens(ctx, "opr_1") })
	if one, two := ids("opr_1", at(0), "", 9), ids("opr_2", at(0), "", 9); len(one) != 0 || len(two) != 1 {
		t.Errorf("after removing those of one: got %v and %v, want none and one", one, two)
	}
}

// testLocations expects an address to be kept whole, without the window that no location has.
func testLocations(t *testing.T, s *store.Store) {
	ctx := t.Context()
	saved := &delivery.Location{}
	testkit.Fill(saved)
	saved.Window, saved.UpdatedAt = delivery.Window{}, at(1)
	for range 2 { // the second one replaces the first
		saved.Name += "."
		writeOperators(t, s, func(tx operator.Writer) error { return tx.SaveLocation(ctx, saved) })
		readOperators(t, s, func(tx operator.Reader) error {
			found, err := tx.Locations(ctx, saved.Code)
			if err != nil || len(found) != 1 {
				t.Fatalf("got %d locations, %v, want one", len(found), err)
			}
			if lost := testkit.Differences(found[0], saved); len(lost) > 0 {
				t.Errorf("got other values of %q, want those that were saved: see the table locations", lost)
			}
			return nil
		})
	}
}

func testCouriers(t *testing.T, s *store.Store) {
	ctx := t.Context()
	courier := func(n int) *operator.Courier {
		id := fmt.Sprintf("cou_%d", n)
		return &operator.Courier{
			Courier: delivery.Courier{
				CourierID: id, Name: "name of " + id, Phone: "phone of " + id, Vehicle: "vehicle of " + id,
			},
			CreatedAt: at(n),
		}
	}
	one, two, three := courier(1), courier(2), courier(3)
	two.Active = true
	writeOperators(t, s, func(tx operator.Writer) error {
		for _, added := range []*operator.Courier{one, two, three} {
			must(t, tx.AddCourier(ctx, added))
		}
		return nil
	})
	three.Name, three.Phone, three.Vehicle, three.Active = "changed name", "changed phone", "changed vehicle", true
	writeOperators(t, s, func(tx operator.Writer) error {
		locked, err := tx.LockCourier(ctx, "cou_2")
		if err != nil || locked == nil || *locked != *two {
			t.Errorf("locked: got %+v, %v, want %+v", locked, err, two)
		}
		if none, err := tx.LockCourier(ctx, "cou_none"); none != nil || err != nil {
			t.Errorf("locked: got %+v, %v, want none", none, err)
		}
		return tx.SaveCourier(ctx, three)
	})
	readOperators(t, s, func(tx operator.Reader) error {
		for _, want := range []*operator.Courier{one, two, three} {
			if got, err := tx.Courier(ctx, want.CourierID); err != nil || got == nil || *got != *want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		}
		if none, err := tx.Courier(ctx, "cou_none"); none != nil || err != nil {
			t.Errorf("got %+v, %v, want none", none, err)
		}
		page, err := tx.Couriers(ctx, "cou_1", 1)
		rest, restErr := tx.Couriers(ctx, "cou_2", 5)
		if len(page) != 1 || *page[0] != *two || len(rest) != 1 || *rest[0] != *three {
			t.Errorf("lists: got %v and %v, want two and three", page, rest)
		}
		must(t, restErr)
		return err
	})
}

// testAudit holds every filter of the audit log against the entries that were
// written.
func testAudit(t *testing.T, s *store.Store) {
	ctx := t.Context()
	entry := func(n int, partnerID string, action audit.Action) *audit.Entry {
		return &audit.Entry{
			AuditID: identifier.FirstUUID(at(n)), At: at(100 + n),
			Operation: audit.Operation{OperatorID: fmt.Sprint("operator ", n), RequestID: fmt.Sprint("request ", n)},
			Action:    action, PartnerID: partnerID, ObjectID: fmt.Sprint("object ", n),
			Before: map[string]int{"before": n}, After: map[string]int{"after": n},
		}
	}
	entries := []*audit.Entry{
		entry(0, "", audit.ActionOperatorCreated), entry(1, "par_1",
			audit.ActionOperatorCreated), entry(2, "par_1", audit.ActionCourierChanged),
	}
	entries[1].Before, entries[2].After = nil, nil
	writeOperators(t, s, func(tx operator.Writer) error { return tx.AddAudit(ctx, entries...) })

	list := func(f operator.AuditFilter) (found []*operator.Audited) {
		f.Limit = max(f.Limit, 2)
		readOperators(t, s, func(tx operator.Reader) (err error) {
			found, err = tx.Audit(ctx, f)
			return err
		})
		return found
	}
	for name, c := range map[string]struct {
		filter operator.AuditFilter
		want   []int // the newest first
	}{
		"newest":   {operator.AuditFilter{}, []int{2, 1}},
		"all":      {operator.AuditFilter{Limit: 3}, []int{2, 1, 0}},
		"oldest":   {operator.AuditFilter{Oldest: true}, []int{0, 1}},
		"operator": {operator.AuditFilter{OperatorID: "operator 1"}, []int{1}},
		"partner":  {operator.AuditFilter{PartnerID: "par_1"}, []int{2, 1}},
		"object":   {operator.AuditFilter{ObjectID: "object 0"}, []int{0}},
		"orders":   {operator.AuditFilter{ObjectID: "A-1", Orders: []string{"object 0", "object 2"}}, []int{2, 0}},
		"action":   {operator.AuditFilter{Action: audit.ActionOperatorCreated}, []int{1, 0}},
		"before":   {operator.AuditFilter{Before: entries[1].AuditID}, []int{0}},
		"after":    {operator.AuditFilter{After: entries[1].AuditID}, []int{2}},
		"from":     {operator.AuditFilter{From: at(1)}, []int{2, 1}},
		"to":       {operator.AuditFilter{To: at(1)}, []int{0}},
	} {
		got := list(c.filter)
		if len(got) != len(c.want) {
			t.Errorf("%s: got %d entries, want %v", name, len(got), c.want)
			continue
		}
		for i, n := range c.want {
			checkAudited(t, got[i], entries[n])
		}
	}
}

func checkAudited(t *testing.T, got *operator.Audited, want *audit.Entry) {
	t.Helper()
	encoded := func(value any) string {
		if value == nil {
			return ""
		}
		m, _ := value.(map[string]int)
		for name, n := range m {
			return fmt.Sprintf(`{%q:%d}`, name, n)
		}
		return ""
	}
	if got.AuditID != want.AuditID || !got.At.Equal(want.At) || got.Operation != want.Operation ||
		got.Action != want.Action ||
		got.PartnerID != want.PartnerID || got.ObjectID != want.ObjectID ||
		string(got.Before) != encoded(want.Before) || string(got.After) != encoded(want.After) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
