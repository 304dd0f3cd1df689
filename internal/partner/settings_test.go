package partner_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
)

func (n *node) change(t testing.TB, partnerID string, members map[string]any) {
	t.Helper()
	change, err := decode(t, members, partner.ReadSettingsChange)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Change(t.Context(), partnerID, change); err != nil {
		t.Fatal(err)
	}
}

func (n *node) settings(t testing.TB, partnerID string) partner.Settings {
	t.Helper()
	settings, err := n.Settings(t.Context(), partnerID)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// TestSettingsAreFresh expects a change to take effect on its node immediately, and
// on another within 5 s.
func TestSettingsAreFresh(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	other := addNode(t, n, n.store.Partners())
	id := n.register(t, "a@b.example").PartnerID
	registered := partner.DefaultSettings
	registered.NewSince = n.clock.Now()
	for _, node := range []*node{n, other} {
		if got := node.settings(t, id); got != registered {
			t.Errorf("before: %+v", got)
		}
	}
	n.change(t, id, map[string]any{"suspended": true, "suspended_reason": "unpaid", "rate_limit": 7})
	want := registered
	want.SuspendedAt, want.SuspendedReason, want.RateLimit = n.clock.Now(), "unpaid", 7
	if got := n.settings(t, id); got != want {
		t.Errorf("at once: %+v", got)
	}
	n.clock.Advance(4 * time.Second)
	if got := other.settings(t, id); got != want {
		t.Errorf("elsewhere: %+v", got)
	}
	if _, err := n.login(t, "a@b.example", password, "203.0.113.1"); !refusal.HasCode(err, refusal.CodeForbidden) {
		t.Errorf("login: %v", err)
	}
	n.clock.Advance(time.Hour)
	n.change(t, id, map[string]any{"suspended": true, "rate_limit": nil}) // keeps the time, and drops the reason
	want.SuspendedReason, want.RateLimit = "", partner.DefaultRate
	if got := n.settings(t, id); got != want {
		t.Errorf("again: %+v", got)
	}
	n.change(t, id, map[string]any{"suspended": false})
	if got := n.settings(t, id); got != registered {
		t.Errorf("after: %+v", got)
	}
	if _, err := n.Change(t.Context(), "par_00000000",
		partner.SettingsChange{}); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("unknown partner: got %v, want not_found", err)
	}
}

func TestCachedSettingsAllocateNothing(t *testing.T) {
	n := newNode(t)
	id := n.register(t, "a@b.example").PartnerID
	n.settings(t, id)
	ctx := t.Context()
	if got := testing.AllocsPerRun(100, func() { _, _ = n.Settings(ctx, id) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkSettings(b *testing.B) {
	n := newNode(b)
	id := n.register(b, "a@b.example").PartnerID
	ctx := b.Context()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := n.Settings(ctx, id); err != nil {
				b.Error(err)
			}
		}
	})
}
