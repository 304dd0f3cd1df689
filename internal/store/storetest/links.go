package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
)

// oneTimeLink returns a link without two equal fields, which expires at(100 + n).
func oneTimeLink(n int, kind credential.LinkKind) *credential.Link {
	field := func(name string) string { return fmt.Sprint(name, " of ", n) }
	return &credential.Link{
		TokenHash: []byte{byte(n), 0, 255}, LinkID: field("id"), Kind: kind, UserID: field("user"),
		OperatorID: field("operator"), PartnerID: field("partner"), Email: field("E-Mail"), EmailKey: field("e-mail"),
		Role: field("role"), CreatedBy: field("maker"), CreatedAt: at(n), ExpiresAt: at(100 + n),
	}
}

func testLinks(t *testing.T, s *store.Store) {
	ctx := t.Context()
	one, two, three, four := oneTimeLink(1, credential.LinkReset), oneTimeLink(2, credential.LinkInvitation),
		oneTimeLink(3, credential.LinkInvitation), oneTimeLink(4, credential.LinkEmail)
	three.PartnerID = two.PartnerID
	writePartners(t, s, func(tx partner.Writer) error {
		for _, link := range []*credential.Link{one, two, three, four} {
			must(t, tx.AddLink(ctx, link))
		}
		return nil
	})
	readPartners(t, s, func(tx partner.Reader) error {
		found, err := tx.Link(ctx, credential.LinkReset, one.TokenHash, at(100))
		same(t, "link", found, one)
		must(t, err)
		invitations, err := tx.Links(ctx, credential.LinkFilter{Kind: credential.LinkInvitation, PartnerID: two.PartnerID},
			at(101))
		same(t, "invitations", invitations, []*credential.Link{two, three})
		must(t, err)
		left, err := tx.Links(ctx, credential.LinkFilter{PartnerID: two.PartnerID}, at(102))
		same(t, "links once the first has expired", left, []*credential.Link{three})
		must(t, err)
		made, err := tx.Links(ctx, credential.LinkFilter{CreatedBy: three.CreatedBy}, at(0))
		same(t, "links of one maker", made, []*credential.Link{three})
		return err
	})
	writePartners(t, s, func(tx partner.Writer) error {
		if late, err := tx.TakeLink(ctx, credential.LinkReset, one.TokenHash, at(101)); late != nil || err != nil {
			t.Errorf("an expired link: got %+v, %v, want none", late, err)
		}
		if other, err := tx.TakeLink(ctx, credential.LinkEmail, one.TokenHash, at(100)); other != nil || err != nil {
			t.Errorf("a link of another kind: got %+v, %v, want none", other, err)
		}
		taken, err := tx.TakeLink(ctx, credential.LinkReset, one.TokenHash, at(100))
		same(t, "taken", taken, one)
		must(t, err)
		removed, err := tx.RemoveLinks(ctx, credential.LinkFilter{PartnerID: two.PartnerID, EmailKey: three.EmailKey})
		if removed != 1 {
			t.Errorf("removed by partner and address: got %d, want 1", removed)
		}
		must(t, err)
		return tx.RemoveExpiredLinks(ctx, at(102))
	})
	readPartners(t, s, func(tx partner.Reader) error {
		left, err := tx.Links(ctx, credential.LinkFilter{}, at(0))
		same(t, "left", left, []*credential.Link{four})
		return err
	})
}

// testLinkTakenOnce takes one link in several transactions at the same time.
func testLinkTakenOnce(t *testing.T, s *store.Store) {
	ctx := t.Context()
	link := oneTimeLink(1, credential.LinkReset)
	writePartners(t, s, func(tx partner.Writer) error { return tx.AddLink(ctx, link) })
	var takers sync.WaitGroup
	var taken atomic.Int64
	for range 8 {
		takers.Go(func() {
			var got *credential.Link
			err := s.Partners().Write(ctx, func(tx partner.Writer) (err error) {
				got, err = tx.TakeLink(ctx, link.Kind, link.TokenHash, at(2))
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if got != nil {
				taken.Add(1)
			}
		})
	}
	takers.Wait()
	if taken.Load() != 1 {
		t.Errorf("8 transactions at the same time: got the link taken %d times, want 1", taken.Load())
	}
}
