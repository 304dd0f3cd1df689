package storetest

import (
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
)

func testProfiles(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartners(t, s, partnerNumber(1), partnerNumber(2))
	want := partner.Profile{
		PublicName: "a name", SupportURL: "a link", Language: "a language", RecipientMail: true, LogoVersion: "a version",
	}
	logo := &partner.Logo{Version: "a version", Picture: picture.Picture{Format: "a format", Data: []byte{0, 255}}}
	writePartners(t, s, func(tx partner.Writer) error {
		before, err := tx.LockProfile(ctx, "par_1")
		must(t, err)
		same(t, "profile of none", before, partner.Profile{})
		must(t, tx.SaveLogo(ctx, "par_1", logo))
		must(t, tx.SaveProfile(ctx, "par_1", want))
		after, err := tx.LockProfile(ctx, "par_1")
		same(t, "locked again", after, want)
		return err
	})
	readPartners(t, s, func(tx partner.Reader) error {
		got, err := tx.Profile(ctx, "par_1")
		must(t, err)
		same(t, "profile", got, want)
		shown, err := tx.Logo(ctx, "par_1")
		must(t, err)
		same(t, "logo", shown, logo)
		none, err := tx.Logo(ctx, "par_2")
		must(t, err)
		same(t, "logo of none", none, (*partner.Logo)(nil))
		other, err := tx.Profile(ctx, "par_2")
		same(t, "profile of another", other, partner.Profile{})
		return err
	})
	writePartners(t, s, func(tx partner.Writer) error { return tx.SaveLogo(ctx, "par_1", &partner.Logo{}) })
	readPartners(t, s, func(tx partner.Reader) error {
		none, err := tx.Logo(ctx, "par_1")
		same(t, "removed logo", none, (*partner.Logo)(nil))
		return err
	})
}
