package app_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit"
	"go.yaml.in/yaml/v4"
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
		untilReady(t, s) // changes are refused until the database has been tried again
		p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
		s.Stop()
		if got := strings.Count(s.Log.String(), `level=ERROR msg="the database cannot be reached"`); got != 1 {
			t.Errorf("got %d lines for one full disk, want 1:\n%s", got, s.Log)
		}
	})
}

// writingReads are the operations that only read for their callers, and must be recorded
// before they are answered.
var writingReads = map[string]string{
	"/ops/v1/partners/{partner_id}/export": "the audit log has who exported what, before it is sent",
	"/v1/auth/logout":                      "it ends the session",
}

// documentedReads returns the paths of all operations with the method GET.
func documentedReads(t *testing.T) (paths []string) {
	t.Helper()
	for _, name := range []string{"openapi.yaml", "ops.yaml"} {
		text, err := os.ReadFile("../../api/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var document struct{ Paths map[string]map[string]any }
		if err := yaml.Load(text, &document); err != nil {
			t.Fatal(err)
		}
		for path, methods := range document.Paths {
			if methods["get"] != nil {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) < 50 {
		t.Fatalf("got %d operations that read, want at least 50", len(paths))
	}
	slices.Sort(paths)
	return paths
}

// TestReadsOnFullDisk reads while the disk is full: signed with both versions, and in
// sessions and with a token that were last used an hour before. None of the requests tries to write, but
// in the background.
func TestReadsOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := &fullDisk{}
	s := apptest.Start(t, disk.option)
	p, boss := s.Register(t, "metro"), s.Operate(t)
	owner, desk := p.Owner(t), boss.Visit(t)
	order := p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	product := boss.Stock(t, p.PartnerID, "Lamp", map[string]int{"MTL-1": 3})
	known := strings.NewReplacer("{order_id}", order, "{partner_id}", p.PartnerID, "{courier_id}", boss.CourierID,
		"{product_id}", fmt.Sprint(product), "{operator_id}", boss.OperatorID)
	s.Clock.Advance(time.Hour)
	disk.full.Store(true)
	for _, path := range documentedReads(t) {
		if path == "/v1/ready" {
			continue // it says that the disk is full
		}
		target := known.Replace(path)
		answers := map[string]*apptest.Answer{
			"signed":         p.Call(t, "GET", target, nil),
			"version 2":      s.Do(t, "GET", target, nil, p.SignedV2("GET", target, nil, "a-nonce-of-24-characters")...),
			"session":        owner.Call(t, "GET", target, nil),
			"token":          boss.Call(t, "GET", target, nil),
			"in the console": desk.Open(t, target),
		}
		_, writes := writingReads[path]
		for how, got := range answers {
			if got.Status >= 500 && !writes {
				t.Errorf("%s, %s: got status %d, want an answer: %s", path, how, got.Status, got.Body)
			}
		}
		if refused := slices.ContainsFunc(slices.Collect(maps.Values(answers)),
			func(a *apptest.Answer) bool { return a.Status == 503 }); writes && !refused {
			t.Errorf("%s: got no answer 503, want one because it writes", path)
		}
	}
	for _, page := range []string{
		"/console", "/console/orders", "/console/partners", "/console/system", "/console/couriers", "/console/me",
	} {
		if got := desk.Open(t, page); got.Status >= 500 {
			t.Errorf("%s: got status %d, want the page", page, got.Status)
		}
	}
	for _, page := range []string{
		"/portal", "/portal/orders", "/portal/orders/" + order, "/portal/products", "/portal/keys", "/portal/team",
		"/portal/sessions",
	} {
		if got := owner.Open(t, page); got.Status >= 500 {
			t.Errorf("%s: got status %d, want the page", page, got.Status)
		}
	}
	owner.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200)
	boss.Call(t, "GET", "/ops/v1/me", nil).Must(t, 200)
	disk.full.Store(false)
	s.Stop() // and what waits is written
	if left := strings.Count(s.Log.String(), "request failed"); left != 0 {
		t.Errorf("got %d failed requests in the log, want none:\n%s", left, s.Log)
	}
}
