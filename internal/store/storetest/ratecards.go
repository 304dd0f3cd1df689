package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/store"
)

func testRateCards(t *testing.T, s *store.Store) {
	ctx := t.Context()
	card := func(n int) *ratecard.Entry {
		id := fmt.Sprintf("crd_%d", n)
		return &ratecard.Entry{
			CardID: id, Name: "name of " + id, Version: "version of " + id, OperatorID: "operator of " + id,
			EffectiveFrom: at(n), CreatedAt: at(100 + n), Document: []byte(`{"as": "it  came"}`),
		}
	}
	want := []*ratecard.Entry{card(1), card(2), card(3)}
	must(t, s.RateCards().Write(ctx, func(tx ratecard.Writer) error {
		for _, added := range want {
			if ok, err := tx.AddCard(ctx, added); !ok || err != nil {
				t.Errorf("add %s: got %t, %v, want true", added.CardID, ok, err)
			}
		}
		again := card(4)
		again.Version = want[0].Version
		if ok, err := tx.AddCard(ctx, again); ok || err != nil {
			t.Errorf("add a version in use: got %t, %v, want false", ok, err)
		}
		return tx.AddAudit(ctx, &audit.Entry{AuditID: "a", ObjectID: "crd_1", Action: audit.ActionRateCardAdded})
	}))
	must(t, s.RateCards().Read(ctx, func(tx ratecard.Reader) error {
		ids, err := tx.CardIDs(ctx)
		if slices.Sort(ids); !slices.Equal(ids, []string{"crd_1", "crd_2", "crd_3"}) {
			t.Errorf("ids: got %v, want crd_1 to crd_3", ids)
		}
		must(t, err)
		got, err := tx.Cards(ctx, []string{"crd_3", "crd_1", "crd_none"})
		slices.SortFunc(got, func(a, b *ratecard.Entry) int { return a.CreatedAt.Compare(b.CreatedAt) })
		if fmt.Sprint(values(got)) != fmt.Sprint(values([]*ratecard.Entry{want[0], want[2]})) {
			t.Errorf("got %+v, want the first and the last of %+v", values(got), values(want))
		}
		return err
	}))
	readOperators(t, s, func(tx operator.Reader) error {
		log, err := tx.Audit(ctx, operator.AuditFilter{Limit: 9})
		if len(log) != 1 || log[0].ObjectID != "crd_1" {
			t.Errorf("audit log: got %+v, want the entry of crd_1", values(log))
		}
		return err
	})
}

// values returns what pointers point to, for messages.
func values[T any](pointers []*T) []T {
	all := make([]T, len(pointers))
	for i, p := range pointers {
		all[i] = *p
	}
	return all
}
