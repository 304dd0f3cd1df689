package app_test

import (
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/dispatch"
	orders "github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestAcceptanceAfterRestart starts a service on a database with pending orders of a
// partner with automatic acceptance, of which the board has none. It accepts them, which
// puts them on the board.
func TestAcceptanceAfterRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := apptest.Start(t, apptest.DataIn(dir))
	partner := first.Register(t, "metro")
	var ids []string
	ended := &orders.Changes{}
	for i := range 5 {
		ids = append(ids, partner.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201).Text("order_id"))
		ended.Ended = append(ended.Ended, orders.OrderKey{PartnerID: partner.PartnerID, OrderID: ids[i]})
	}
	first.Stop()
	err := first.InStore(t.Context(), func(db *store.Store) error {
		err := db.Orders().Write(t.Context(), func(tx orders.Writer) error { return tx.Save(t.Context(), ended) })
		if err != nil {
			return err
		}
		return db.Dispatch().Write(t.Context(), func(tx dispatch.Writer) error {
			return tx.SaveSettings(t.Context(), &dispatch.Settings{PartnerID: partner.PartnerID, AutoAccept: true})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	second := apptest.Start(t, apptest.DataIn(dir))
	again := *partner
	again.Service = second
	f := floor{second, &again, second.Operate(t)}
	for _, id := range ids {
		f.awaitAccepted(t, id)
	}
	f.Audit(t)
}
