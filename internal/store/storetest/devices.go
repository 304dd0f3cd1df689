package storetest

import (
	"testing"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
)

func testDevices(t *testing.T, s *store.Store) {
	ctx := t.Context()
	device := func(personID string, hash byte, seen int) *signin.KnownDevice {
		return &signin.KnownDevice{PersonID: personID, Hash: []byte{hash, 0, 255}, LastSeenAt: at(seen)}
	}
	one, two, three := device("usr_1", 1, 7), device("usr_1", 2, 5), device("usr_1", 3, 4)
	other := device("opr_2", 1, 1)
	wantDevices := func(tx signin.Writer, personID string, want ...*signin.KnownDevice) {
		t.Helper()
		got, err := tx.DevicesOf(ctx, personID)
		same(t, "devices of "+personID, got, want)
		must(t, err)
	}
	must(t, s.UserSignIns().Write(ctx, func(tx signin.Writer) error {
		must(t, tx.SaveDevices(ctx, device("usr_1", 1, 3), two))
		must(t, tx.SaveDevices(ctx, one, three))
		must(t, tx.SaveDevices(ctx, other))
		wantDevices(tx, "usr_1", one, two, three)
		must(t, tx.RemoveDevice(ctx, "opr_2", three.Hash))
		must(t, tx.RemoveDevice(ctx, "usr_1", two.Hash))
		wantDevices(tx, "usr_1", one, three)
		must(t, tx.RemoveOldDevices(ctx, at(4)))
		wantDevices(tx, "usr_1", one, three)
		must(t, tx.RemoveOldDevices(ctx, at(9)))
		wantDevices(tx, "usr_1", one)
		wantDevices(tx, "opr_2", other)
		return nil
	}))
	writePartners(t, s, func(tx partner.Writer) error { return tx.RemoveUser(ctx, "par_1", "usr_1") })
	must(t, s.UserSignIns().Write(ctx, func(tx signin.Writer) error {
		wantDevices(tx, "usr_1")
		wantDevices(tx, "opr_2", other)
		return nil
	}))
}
