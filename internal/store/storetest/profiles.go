package storetest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

func testProfiles(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addPartners(t, s, partnerNumber(1), partnerNumber(2))
	want := partner.Profile{PublicName: "a name", SupportURL: "a link", Language: "a language", RecipientMail: true, LogoVersion: "a version"}
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

// testProfileChangedOnce changes a profile from the same one in several requests at the
// same time.
func testProfileChangedOnce(t *testing.T, s *store.Store) {
	addPartners(t, s, partnerNumber(1))
	service := partner.NewService(partner.Config{
		Store: s.Partners(), Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return testkit.Epoch },
	})
	var requests sync.WaitGroup
	var changed atomic.Int64
	for i := range 8 {
		requests.Go(func() {
			body, err := strictjson.Parse(fmt.Appendf(nil, `{"public_name":"name %d"}`, i))
			if err != nil {
				t.Error(err)
				return
			}
			_, err = service.ChangeProfileFrom(t.Context(), "par_1", partner.Profile{}, body)
			switch {
			case err == nil:
				changed.Add(1)
			case !errors.Is(err, partner.ErrProfileChanged):
				t.Error(err)
			}
		})
	}
	requests.Wait()
	if got := changed.Load(); got != 1 {
		t.Errorf("got %d changes, want 1", got)
	}
}
