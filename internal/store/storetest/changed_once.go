package storetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// recordChange changes a record as a request asks, if it is still what the test has
// stored.
type recordChange struct {
	request string // %d stands for the number of the request
	change  func(ctx context.Context, root form.Source) error
}

// testRecordsChangedOnce changes each kind of record from the same basis in several
// requests at the same time: one succeeds, and the others are refused.
func testRecordsChangedOnce(t *testing.T, s *store.Store) {
	addProducts(t, s, lamp)
	addCouriers(t, s)
	addAccounts(t, s, account(1, operator.RoleAdmin), account(2, operator.RoleDispatcher))
	must(t, s.OperatorSignIns().Write(t.Context(), func(tx signin.Writer) error {
		return tx.SaveFactor(t.Context(), signin.Factor{PersonID: "opr_2", Secret: []byte{1}, ConfirmedAt: at(1)})
	}))
	for name, one := range recordChanges(t, s) {
		var requests sync.WaitGroup
		var changed atomic.Int64
		for i := range 8 {
			requests.Go(func() {
				root, err := strictjson.Parse(fmt.Appendf(nil, one.request, i))
				if err == nil {
					err = one.change(t.Context(), root)
				}
				switch {
				case err == nil:
					changed.Add(1)
				case !errors.Is(err, form.ErrStale):
					t.Errorf("%s: got %v, want %v", name, err, form.ErrStale)
				}
			})
		}
		requests.Wait()
		if got := changed.Load(); got != 1 {
			t.Errorf("%s: got %d changes, want 1", name, got)
		}
	}
}

// recordChanges returns a change of each kind of record, by name.
func recordChanges(t *testing.T, s *store.Store) map[string]recordChange {
	now, log, random := func() time.Time { return testkit.Epoch }, slog.New(slog.DiscardHandler), repeatable.Reader(t)
	hasher := credential.NewHasher(credential.Cost{Memory: 8, Passes: 1, Lanes: 1}, random)
	operators := operator.NewService(operator.Config{Store: s.Operators(), Hasher: hasher, Random: random, Log: log, Now: now})
	partners := partner.NewService(partner.Config{Store: s.Partners(), Random: random, Log: log, Now: now})
	dispatching := dispatch.NewService(dispatch.Config{Store: s.Dispatch(), Random: random, Log: log, Now: now})
	goods := stock.NewService(stock.Config{Store: s.Stock(), Random: random, Now: now})
	signIns := signin.NewService(signin.Config{Kind: signin.Operators, Store: s.OperatorSignIns(), Random: random, Log: log, Now: now})
	rules := &signin.Rules{Store: s.OperatorSignIns(), Random: random, Now: now, Roles: map[signin.Kind][]string{signin.Operators: {"admin"}}}
	return map[string]recordChange{
		"courier": {`{"name":"name %d"}`, func(ctx context.Context, root form.Source) error {
			_, err := operators.ChangeCourierFrom(ctx, activeCourier, func(c *operator.Courier) bool { return c.Name == "Camille" }, root)
			return err
		}},
		"operator": {`{"active":false,"number":%d}`, func(ctx context.Context, root form.Source) error {
			_, err := operators.ChangeFrom(ctx, "opr_2", func(o *operator.Operator) bool { return o.Active }, root)
			return err
		}},
		"login of a courier": {`{"email":"c%d@example.com","password":"correct horse battery","role":"courier","courier_id":"` + activeCourier + `"}`, func(ctx context.Context, root form.Source) error {
			_, err := operators.Create(ctx, root)
			if errors.Is(err, operator.ErrCourierTaken) {
				err = form.ErrStale
			}
			return err
		}},
		"count": {`{"location":"MTL-1","lines":[{"product_id":1,"counted":1%d}]}`, func(ctx context.Context, root form.Source) error {
			request := stock.Request{Encode: strictjson.Marshal}
			request.PartnerID = partnerID
			tally, err := form.Decode(root, stock.ReadTally)
			if err != nil {
				return err
			}
			_, err = goods.CountFrom(ctx, request, func(levels map[int64]int64) bool { return levels[1] == 0 }, tally)
			return err
		}},
		"second factor": {`%d`, func(ctx context.Context, _ form.Source) error {
			return signIns.ClearTOTPFrom(ctx, "", "opr_2", func(s signin.State) bool { return s.Enrolled })
		}},
		"rules": {`{"totp_required":{"operators":["admin"],"users":[]},"number":%d}`, func(ctx context.Context, root form.Source) error {
			_, err := rules.SetFrom(ctx, func(r signin.Required) bool { return len(r[signin.Operators]) == 0 }, root)
			return err
		}},
		"settings": {`{"orders_per_day":%d}`, func(ctx context.Context, root form.Source) error {
			_, err := partners.ChangeFrom(ctx, partnerID, func(s partner.Settings) bool { return s == partner.DefaultSettings }, root)
			return err
		}},
		"profile": {`{"public_name":"name %d"}`, func(ctx context.Context, root form.Source) error {
			_, err := partners.ChangeProfileFrom(ctx, partnerID, func(p partner.Profile) bool { return p == partner.Profile{} }, root)
			return err
		}},
		"dispatch": {`{"auto_accept":true,"number":%d}`, func(ctx context.Context, root form.Source) error {
			wanted, err := form.Decode(root, dispatch.ReadSettings)
			if err != nil {
				return err
			}
			wanted.PartnerID = partnerID
			_, err = dispatching.SetSettingsFrom(ctx, func(s *dispatch.Settings) bool { return !s.AutoAccept }, wanted)
			return err
		}},
		"product": {`{"name":"name %d"}`, func(ctx context.Context, root form.Source) error {
			change, err := form.Decode(root, stock.ReadProductChange)
			if err != nil {
				return err
			}
			_, err = goods.ChangeProductFrom(ctx, partnerID, 1, func(p delivery.Product) bool { return p.Name == lamp.Name }, change)
			return err
		}},
	}
}
