package app_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	orders "github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestReadsOfPeopleWhoLoseTheirAuthority lets requests wait for changes, and takes the
// authority of their callers away. They end within seconds instead of when their wait is
// over.
func TestReadsOfPeopleWhoLoseTheirAuthority(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, options ...apptest.Option) {
		r := newRig(t, options...)
		for i, l := range losses {
			w := r.operator("dispatcher", i%2 == 0)
			after := r.Do(t, "GET", "/ops/v1/orders/snapshot", nil, w.headers...).Must(t, 200).Text("after")
			target := fmt.Sprintf("/ops/v1/orders/changes?wait=%d&after=%s", 20+i, after)
			wait := func() *apptest.Answer { return r.Do(t, "GET", target, nil, w.headers...) }
			got := r.waiting(time.Duration(20+i)*time.Second, wait, func() { r.take(l, w) })
			if got.Status != l.status {
				t.Errorf("the board's changes, %s: got status %d, want %d: %s", l.name, got.Status, l.status, got.Body)
			}
		}
		p := r.Register(t, "metro")
		owner := p.Owner(t)
		target := "/v1/webhooks/feed?wait=15"
		got := r.waiting(15*time.Second, func() *apptest.Answer { return p.Call(t, "GET", target, nil) }, func() {
			owner.Call(t, "DELETE", "/v1/auth/api-keys/"+p.KeyID, nil).Must(t, 200)
		})
		got.Refused(t, http.StatusUnauthorized, "unauthorized")
		p = p.NewKey(t)
		got = r.waiting(15*time.Second, func() *apptest.Answer { return p.Call(t, "GET", target, nil) }, func() {
			r.boss.Call(t, "PATCH", "/ops/v1/partners/"+p.PartnerID, []byte(suspension)).Must(t, 200)
		})
		got.Refused(t, http.StatusForbidden, "forbidden")
	})
}

// waiting sends a request that waits for so long, takes authority away while it waits, and
// lets a few seconds pass, in which the request must end.
func (r *rig) waiting(wait time.Duration, send func() *apptest.Answer, take func()) *apptest.Answer {
	r.t.Helper()
	answered := make(chan *apptest.Answer, 1)
	over := r.Clock.Now().Add(wait)
	go func() { answered <- send() }()
	for r.Clock.Waiting(over) == 0 {
		time.Sleep(repeatable.Poll)
	}
	take()
	const atMost = 3 * time.Second
	for passed := time.Duration(0); passed < atMost; passed += time.Second {
		for r.Clock.Waiting(r.Clock.Now().Add(time.Second)) == 0 && len(answered) == 0 {
			time.Sleep(repeatable.Poll)
		}
		r.Clock.Advance(time.Second)
		select {
		case got := <-answered:
			return got
		default:
		}
	}
	select {
	case got := <-answered:
		return got
	case <-time.After(repeatable.Hang):
		r.t.Fatalf("the request still waits %v after its caller has lost the authority", atMost)
		return nil
	}
}

// lingering is a store of orders whose transactions call a function before they end.
type lingering struct {
	orders.Store
	linger *func()
}

func (s lingering) Write(ctx context.Context, fn func(orders.Writer) error) error {
	return s.Store.Write(ctx, func(tx orders.Writer) error {
		if err := fn(tx); err != nil {
			return err
		}
		if linger := *s.linger; linger != nil {
			*s.linger = nil
			linger()
		}
		return nil
	})
}

// TestRemovalWaitsForChanges removes an operator while an order that the operator moves is
// written, but not committed yet. The removal is not answered before: what it has waited
// for was done with authority, and nothing follows.
func TestRemovalWaitsForChanges(t *testing.T) {
	t.Parallel()
	linger := new(func())
	s := apptest.Start(t, apptest.Sharable(t), func(_ *config.Config, world *app.Surroundings) {
		world.OrderStore = func(kept orders.Store) orders.Store { return lingering{kept, linger} }
	})
	boss, p := s.Operate(t), s.Register(t, "metro")
	order := p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	mover := boss.As(t, "dispatcher")
	removed := make(chan *apptest.Answer, 1)
	*linger = func() {
		go func() {
			removed <- boss.Call(t, "PATCH", "/ops/v1/operators/"+mover.OperatorID, []byte(`{"active":false}`))
		}()
		const waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
		for s.Query(t, waits)[0] == "0" {
			if len(removed) > 0 {
				t.Error("the removal was answered before the change of the person who was removed had ended")
				return
			}
			time.Sleep(repeatable.Poll)
		}
	}
	mover.Move(t, order, "accepted").Must(t, 200)
	(<-removed).Must(t, 200)
	mover.Move(t, order, "cancelled").Refused(t, 401, "unauthorized")
}

// TestSuspensionRefusesChangesUnderWay suspends partners while their people make keys.
func TestSuspensionRefusesChangesUnderWay(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, options ...apptest.Option) {
		r := newRig(t, options...)
		key := plain("POST /v1/auth/api-keys", `{"name":"shop"}`)
		if !r.race(key, loss{"suspended", http.StatusUnauthorized}, 1, false) {
			t.Error("got no transaction in a session, want one")
		}
		if !r.race(key.withPassword(), loss{"suspended", http.StatusForbidden}, 1, false) {
			t.Error("got no transaction by password, want one")
		}
	})
}

// TestPeopleChangeThemselves lets people end their own authority, and change what their
// authority rests on, one after the other and at the same time.
func TestPeopleChangeThemselves(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, options ...apptest.Option) {
		r := newRig(t, options...)
		admin := r.operator("admin", false)
		r.Do(t, "PATCH", "/ops/v1/operators/"+admin.id, []byte(`{"active":false}`), admin.headers...).Must(t, 200)
		owner := r.user("owner", false)
		r.Do(t, "DELETE", "/v1/team/"+owner.id, nil, owner.headers...).Must(t, 200)
		leaving := r.operator("dispatcher", false)
		r.Do(t, "DELETE", "/ops/v1/tokens/"+leaving.tokenID, nil, leaving.headers...).Must(t, 200)

		// Each of two deactivates the other, or demotes the other: one of them is faster.
		for range 3 {
			pair := []*someone{r.operator("admin", false), r.operator("admin", false)}
			r.onlyOne(401, apptest.Together(2, func(i int) *apptest.Answer {
				return r.Do(t, "PATCH", "/ops/v1/operators/"+pair[1-i].id, []byte(`{"active":false}`), pair[i].headers...)
			}))
			first := r.user("owner", false)
			second := r.join(first, "owner")
			owners := []*someone{first, second}
			r.onlyOne(401, apptest.Together(2, func(i int) *apptest.Answer {
				return r.Do(t, "DELETE", "/v1/team/"+owners[1-i].id, nil, owners[i].headers...)
			}))
			// One sets two passwords: the second one is not compared with the first.
			r.onlyOne(0, apptest.Together(2, func(i int) *apptest.Answer {
				body := fmt.Sprintf(`{"current_password":%q,"new_password":"lune-sur-les-quais-%d"}`, leaving.password, i)
				return r.Do(t, "POST", "/ops/v1/auth/password", []byte(body), "Cookie", leaving.cookie)
			}))
			leaving = r.operator("dispatcher", true)
		}
	})
}

// onlyOne fails the test unless one of the answers is a success, and the others are
// refusals, with the given status if it is not 0.
func (r *rig) onlyOne(status int, answers []*apptest.Answer) {
	r.t.Helper()
	done := 0
	for _, answer := range answers {
		switch {
		case answer.Status == 200:
			done++
		case answer.Status/100 != 4 || status != 0 && answer.Status != status:
			r.t.Errorf("got status %d, want 200 or a refusal (%d): %s", answer.Status, status, answer.Body)
		}
	}
	if done != 1 {
		r.t.Errorf("got %d of %d changes carried out, want 1", done, len(answers))
	}
}

// TestNothingFollowsARemoval removes people at moments that are drawn while they change
// things over several connections. Once a removal has been answered, nothing follows that
// was done in the person's name.
func TestNothingFollowsARemoval(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	random := repeatable.Rand(t)
	engines(t, func(t *testing.T, options ...apptest.Option) {
		r := newRig(t, options...)
		for round := range 40 {
			o := operations[random.IntN(len(operations))]
			for !slices.Contains(strings.Fields(manyTimes), strings.Fields(o.route)[1]) {
				o = operations[random.IntN(len(operations))]
			}
			r.removedWhile(o, losses[round%len(losses)], random.IntN(30))
		}
	})
}

// manyTimes are the targets of operations that succeed again and again.
const manyTimes = `/v1/team/invitations /v1/auth/api-keys /v1/account /ops/v1/operators/{operator_id}/reset-link
	/ops/v1/couriers /ops/v1/orders/{order_id}/notes /ops/v1/partners/{partner_id}/movements /ops/v1/partners/{partner_id}/reset-link`

// removedWhile sends a request over and over on several connections, and takes the person's
// authority away after so many answers.
func (r *rig) removedWhile(o operation, l loss, answers int) {
	r.t.Helper()
	w := r.person(o, false)
	q := o.prepare(r, w)
	var sending sync.WaitGroup
	seen := make(chan int, 10_000)
	for range 4 {
		sending.Go(func() {
			for {
				status := r.send(o.method(), q, w).Status
				seen <- status
				if status == l.status {
					return
				}
			}
		})
	}
	for range answers {
		if status := <-seen; status/100 == 5 {
			r.t.Errorf("%s: got status %d, want a success", o.route, status)
		}
	}
	r.take(l, w)
	count := "SELECT count(*) FROM audit WHERE operator_id = '" + w.id + "'"
	before, mails := r.Query(r.t, count), r.mails.count()
	sending.Wait()
	if after := r.Query(r.t, count); after[0] != before[0] {
		r.t.Errorf("%s, %s: got %s entries in the person's name, want %s as before", o.route, l.name, after[0], before[0])
	}
	if sent := r.mails.count(); sent != mails {
		r.t.Errorf("%s, %s: got %d mails afterwards, want none", o.route, l.name, sent-mails)
	}
}
