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

// decoded returns a change that is read from its request.
func decoded[C any](
	read func(*form.Form) C, change func(ctx context.Context, command C) error,
) func(context.Context, form.Source) error {
	return func(ctx context.Context, root form.Source) error {
		command, err := form.Decode(root, read)
		if err != nil {
			return err
		}
		return change(ctx, command)
	}
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
	operators := operator.NewService(operator.Config{
		Store: s.Operators(), Hasher: hasher, Random: random, Log: log, Now: now,
	})
	partners := partner.NewService(partner.Config{Store: s.Partners(), Random: random, Log: log, Now: now})
	dispatching := dispatch.NewService(dispatch.Config{Store: s.Dispatch(), Random: random, Now: now})
	goods := stock.NewService(stock.Config{Store: s.Stock(), Random: random, Now: now})
	signIns := signin.NewService(signin.Config{
		Kind: signin.Operators, Store: s.OperatorSignIns(), Random: random, Log: log, Now: now,
	})
	rules := &signin.Rules{
		Store: s.OperatorSignIns(), Random: random, Now: now, Roles: map[signin.Kind][]string{signin.Operators: {"admin"}},
	}
	return map[string]recordChange{
		"courier": {`{"name":"name %d"}`, decoded(operator.ReadCourierChange, func(
			ctx context.Context, change operator.CourierEntry,
		) error {
			_, err := operators.ChangeCourierFrom(ctx, activeCourier,
				func(c *operator.Courier) bool { return c.Name == "Camille" }, change)
			return err
		})},
		"operator": {`{"active":false,"number":%d}`, decoded(operator.ReadChange,
			func(ctx context.Context, change operator.Change) error {
				_, err := operators.ChangeFrom(ctx, "opr_2", func(o *operator.Operator) bool { return o.Active }, change)
				return err
			})},
		"login of a courier": {`{"email":"c%d@example.com","password":"correct horse battery","role":"courier","courier_id":"` + activeCourier + `"}`, decoded(operator.ReadNewOperator, func(ctx context.Context, wanted operator.NewOperator) error {
			_, err := operators.Add(ctx, wanted.Operator, wanted.Password)
			if errors.Is(err, operator.ErrCourierTaken) {
				err = form.ErrStale
			}
			return err
		})},
		"count": {`{"location":"MTL-1","lines":[{"product_id":1,"counted":1%d}]}`, decoded(stock.ReadTally,
			func(ctx context.Context, tally stock.Tally) error {
				request := stock.Request[stock.Count]{PartnerID: partnerID, Encode: func(done stock.Count) ([]byte, error) {
					return strictjson.Marshal(done)
				}}
				_, err := goods.CountFrom(ctx, request, func(levels map[int64]int64) bool { return levels[1] == 0 }, tally)
				return err
			})},
		"second factor": {`%d`, func(ctx context.Context, _ form.Source) error {
			return signIns.ClearTOTPFrom(ctx, "", "opr_2", func(s signin.State) bool { return s.Enrolled })
		}},
		"rules": {`{"totp_required":{"operators":["admin"],"users":[]},"number":%d}`, decoded(rules.Read,
			func(ctx context.Context, wanted signin.Required) error {
				_, err := rules.SetFrom(ctx, func(r signin.Required) bool { return len(r[signin.Operators]) == 0 }, wanted)
				return err
			})},
		"settings": {`{"orders_per_day":%d}`, decoded(partner.ReadSettingsChange, func(
			ctx context.Context, change partner.SettingsChange,
		) error {
			_, err := partners.ChangeFrom(ctx, partnerID, func(s partner.Settings) bool { return s == partner.DefaultSettings },
				change)
			return err
		})},
		"profile": {`{"public_name":"name %d"}`, decoded(partner.ReadProfileChange, func(
			ctx context.Context, change partner.ProfileChange,
		) error {
			_, err := partners.ChangeProfileFrom(ctx, partnerID, func(p partner.Profile) bool { return p == partner.Profile{} },
				change)
			return err
		})},
		"dispatch": {`{"auto_accept":true,"number":%d}`, decoded(dispatch.ReadSettings,
			func(ctx context.Context, wanted dispatch.Settings) error {
				wanted.PartnerID = partnerID
				_, err := dispatching.SetSettingsFrom(ctx, func(s *dispatch.Settings) bool { return !s.AutoAccept }, wanted)
				return err
			})},
		"product": {`{"name":"name %d"}`, decoded(stock.ReadProductChange, func(
			ctx context.Context, change stock.ProductChange,
		) error {
			_, err := goods.ChangeProductFrom(ctx, partnerID, 1, func(p delivery.Product) bool { return p.Name == lamp.Name },
				change)
			return err
		})},
	}
}
