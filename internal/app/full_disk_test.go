package app_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit"
)

// fullDisk lets changes find no room on the disk, but not the smaller ones of probes.
type fullDisk struct {
	full  atomic.Bool
	tried atomic.Int64 // changes while it was full
}

func (d *fullDisk) option(_ *config.Config, world *app.Surroundings) {
	world.BeforeWrites = func(context.Context) error {
		if !d.full.Load() {
			return nil
		}
		d.tried.Add(1)
		return refusal.ErrFull
	}
}

// TestFullDisk fills the disk. Every change is refused at its first try, with the time after
// which to try again; what only reads goes on; and the service says why it is not ready. It
// recovers by itself.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, options ...apptest.Option) {
		disk := &fullDisk{}
		s := apptest.Start(t, append(options, disk.option)...)
		p, boss := s.Register(t, "metro"), s.Operate(t)
		owner := p.Owner(t)
		untilReady(t, s)
		disk.full.Store(true)
		before := disk.tried.Load()
		refused := []*apptest.Answer{
			p.Create(t, testkit.OrderJSON("A-1", "")),
			p.Create(t, testkit.OrderJSON("A-2", "")),
			boss.Call(t, "POST", "/ops/v1/couriers", []byte(`{"name":"Ada","phone":"+15145550100","vehicle":"bicycle"}`)),
			owner.Call(t, "POST", "/v1/auth/api-keys", []byte(`{"name":"shop"}`)),
		}
		for i, got := range refused {
			if after := got.Refused(t, 503, "unavailable").Header.Get("Retry-After"); after != "2" {
				t.Errorf("change %d: got Retry-After %q, want 2", i, after)
			}
		}
		// Something in the background may have tried as well.
		if tried := disk.tried.Load() - before; tried >= 2*int64(len(refused)) {
			t.Errorf("got %d tries of %d changes, want one of each", tried, len(refused))
		}
		p.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
		apptest.Await(t, "/v1/ready says that the disk is full", func() bool {
			got := s.Do(t, "GET", "/v1/ready", nil, "Authorization", "Bearer "+boss.Token)
			return got.Status == 503 && strings.Contains(string(got.Body), `"reason":"disk_full"`)
		})
		disk.full.Store(false)
		p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
		untilReady(t, s)
		s.Stop()
		if got := strings.Count(s.Log.String(), `level=ERROR msg="the database cannot be reached"`); got != 1 {
			t.Errorf("got %d lines for one full disk, want 1:\n%s", got, s.Log)
		}
	})
}
