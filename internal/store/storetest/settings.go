package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/store"
)

func testSettings(t *testing.T, s *store.Store) {
	ctx := t.Context()
	check := func(name, want string) {
		t.Helper()
		got, err := s.Setting(ctx, name)
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	check("a", "")
	must(t, s.SetSetting(ctx, "a", "1"))
	must(t, s.SetSetting(ctx, "a", "2"))
	check("a", "2")
	for _, value := range []string{"first", "second"} {
		if stored, err := s.AddSetting(ctx, "b", value); err != nil || stored != "first" {
			t.Errorf("add %q: got %q, %v, want first", value, stored, err)
		}
	}
	check("b", "first")
	check("a", "2")
}

// addCourier adds a courier who has nothing but an id.
func addCourier(ctx context.Context, tx operator.Writer, courierID string) error {
	return tx.AddCourier(ctx, &operator.Courier{Courier: delivery.Courier{CourierID: courierID}})
}

func testRollback(t *testing.T, s *store.Store) {
	ctx := t.Context()
	err := s.Operators().Write(ctx, func(tx operator.Writer) error {
		must(t, addCourier(ctx, tx, "cou_1"))
		return errWanted
	})
	if !errors.Is(err, errWanted) {
		t.Fatalf("got %v, want the error of the function", err)
	}
	readOperators(t, s, func(tx operator.Reader) error {
		left, err := tx.Courier(ctx, "cou_1")
		if left != nil {
			t.Errorf("after a failed write: got %+v, want none", left)
		}
		return err
	})
}

// testCancelledContext checks that a transaction without a caller fails, and
// leaves a connection that others can use.
func testCancelledContext(t *testing.T, s *store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Operators().Read(ctx, func(tx operator.Reader) error {
		_, err := tx.Courier(ctx, "cou_1")
		return err
	}); err == nil {
		t.Error("a read whose context has ended: got no error")
	}
	if err := s.Operators().Write(ctx,
		func(tx operator.Writer) error { return addCourier(ctx, tx, "cou_1") }); err == nil {
		t.Error("a write whose context has ended: got no error")
	}
	writeOperators(t, s, func(tx operator.Writer) error { return addCourier(t.Context(), tx, "cou_1") })
}
