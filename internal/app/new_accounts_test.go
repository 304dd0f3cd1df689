package app_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/testkit"
)

// newAccountBytes sets --new-account-bytes.
func newAccountBytes(bytes int) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.NewAccountBytes = int64(bytes) }
}

// recordSize returns the size of the record of testkit.OrderJSON("A-1", "").
func recordSize(t *testing.T) int {
	t.Helper()
	return len(newFloor(t).partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Body)
}

// TestNewAccountQuota refuses orders of a new account beyond what it may store on its
// first day, in live and in test mode. The limit grows on the second day; an admin's word
// and a month of age end it.
func TestNewAccountQuota(t *testing.T) {
	t.Parallel()
	size := recordSize(t)
	s := apptest.Start(t, newAccountBytes(2*size+size/2))
	f := floor{s, s.Register(t, "metro"), s.Operate(t)}
	beside := s.Register(t, "beside")
	for _, p := range []*apptest.Partner{f.partner, f.partner.InTest(t)} {
		for i := range 2 {
			p.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201)
		}
		before := s.Content(t)
		refused := p.Create(t, testkit.OrderJSON("A-2", "")).Refused(t, 429, "quota_exceeded")
		wait, err := strconv.Atoi(refused.Header.Get("Retry-After"))
		if err != nil || wait < 86_000 || wait > 86_400 || refused.Text("error", "details", "quota") != "stored_bytes" ||
			refused.JSON("error", "details", "limit") != float64(2*size+size/2) ||
			!strings.Contains(refused.Text("error", "message"), "this account is new") {
			t.Errorf("got Retry-After %s and %s, want a day and the limit of new accounts", refused.Header.Get("Retry-After"),
				refused.Body)
		}
		s.Unchanged(t, before)
	}
	s.Clock.Advance(24 * time.Hour)
	for i := range 3 {
		f.partner.Create(t, testkit.OrderJSON(fmt.Sprint("B-", i), "")).Must(t, 201)
	}
	f.partner.Create(t, testkit.OrderJSON("B-3", "")).Refused(t, 429, "quota_exceeded")

	vouched := setQuota(t, f, `{"established": true}`).Must(t, 200)
	if vouched.JSON("established") != true {
		t.Errorf("got %s, want an established account", vouched.Body)
	}
	f.partner.Create(t, testkit.OrderJSON("B-3", "")).Must(t, 201)
	doubted := setQuota(t, f, `{"established": false}`).Must(t, 200)
	if doubted.JSON("established") != false {
		t.Errorf("got %s, want a new account", doubted.Body)
	}
	f.partner.Create(t, testkit.OrderJSON("B-4", "")).Refused(t, 429, "quota_exceeded")
	setQuota(t, f, `{"stored_bytes": 0}`).Must(t, 200)
	f.partner.Create(t, testkit.OrderJSON("B-4", "")).Must(t, 201)

	s.Clock.Advance(29 * 24 * time.Hour)
	for i := range 4 {
		beside.Create(t, testkit.OrderJSON(fmt.Sprint("C-", i), "")).Must(t, 201)
	}
	f.operator = s.Operate(t) // the token has expired
	aged := f.operator.Call(t, "GET", "/ops/v1/partners/"+beside.PartnerID, nil).Must(t, 200)
	if aged.JSON("established") != true {
		t.Errorf("after a month: got %s, want an established account", aged.Body)
	}
	f.Audit(t)
}

// TestNewAccountChanges: a new account makes up to 1,000 changes a day that are not orders,
// as each may be kept for good. Its orders and reads go on, and so do established partners.
func TestNewAccountChanges(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, newAccountBytes(20_000_000))
	f := floor{s, s.Register(t, "metro"), s.Operate(t)}
	owner := f.partner.Owner(t)
	change := func() *apptest.Answer { return owner.Call(t, "DELETE", "/v1/account/logo", nil) }
	made := 0
	for made < 1_001 && change().Status == 200 {
		made++
	}
	if made < 900 || made > 1_000 { // the key and the sign-in count, too
		t.Errorf("got %d changes, want some 1,000", made)
	}
	refused := change().Refused(t, 429, "rate_limited")
	if wait, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 87 {
		t.Errorf("got Retry-After %q, want at most a thousandth of a day", refused.Header.Get("Retry-After"))
	}
	owner.Call(t, "GET", "/v1/account", nil).Must(t, 200)
	f.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	setQuota(t, f, `{"established": true}`).Must(t, 200)
	change().Must(t, 200)
}

// TestFirstDayOfMerchant: by default, a new account may create 5,000 orders of 4 kB on
// its first day.
func TestFirstDayOfMerchant(t *testing.T) {
	t.Parallel()
	setting, _ := reflect.TypeFor[config.Config]().FieldByName("NewAccountBytes")
	limit, err := strconv.Atoi(setting.Tag.Get("default"))
	if size := recordSize(t); err != nil || limit < 5_000*4_000 || size > 4_000 {
		t.Errorf("got a limit of %d bytes, error %v, and a record of %d bytes, want room for 5,000 orders of 4,000 bytes",
			limit, err, size)
	}
}

// TestNearlyFullDisk: when the disk is nearly full, registrations, and orders and imports of
// new accounts, are refused, and established partners go on. Retries are answered as ever.
func TestNearlyFullDisk(t *testing.T) {
	t.Parallel()
	space := machine.DiskSpace{Free: 2_000 << 20, Total: 100_000 << 20}
	s := apptest.Start(t, func(_ *config.Config, world *app.Surroundings) {
		world.DiskSpace = func(string) (machine.DiskSpace, error) { return space, nil }
	})
	f := floor{s, s.Register(t, "metro"), s.Operate(t)}
	stranger := s.Register(t, "stranger")
	setQuota(t, f, `{"established": true}`).Must(t, 200)
	const key = "9f1b7c5e-2d34-4a5b-8c6d-7e8f9a0b1c2d"
	createAs(t, stranger, key, testkit.OrderJSON("S-1", "")).Must(t, 201)
	register := []byte(`{"name":"Late","email":"late@example.com","password":"brume-et-goélands-1907"}`)

	space.Free = 999 << 20
	for what, answer := range map[string]*apptest.Answer{
		"order":        stranger.Create(t, testkit.OrderJSON("S-2", "")),
		"test order":   stranger.InTest(t).Create(t, testkit.OrderJSON("S-3", "")),
		"registration": s.Do(t, "POST", "/v1/auth/register", register),
	} {
		answer.Refused(t, http.StatusServiceUnavailable, "unavailable")
		if answer.Header.Get("Retry-After") != "600" || !strings.Contains(answer.Text("error", "message"), "nearly full") {
			t.Errorf("%s: got Retry-After %q and %s, want 600 and that the service is nearly full", what,
				answer.Header.Get("Retry-After"), answer.Body)
		}
	}
	createAs(t, stranger, key, testkit.OrderJSON("S-1", "")).Must(t, 201)
	startImport(t, stranger.As(t, "clerk"), importPath).Must(t, http.StatusServiceUnavailable)
	startImport(t, f.partner.As(t, "clerk"), importPath).Must(t, http.StatusSeeOther)
	f.partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	f.partner.InTest(t).Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	s.Do(t, "GET", "/v1/ready", nil).Must(t, 200)

	space.Free = 1_000 << 20
	stranger.Create(t, testkit.OrderJSON("S-2", "")).Must(t, 201)
	s.Do(t, "POST", "/v1/auth/register", register).Must(t, 201)

	space = machine.DiskSpace{Free: 110 << 20, Total: 1_000 << 20} // a small disk: a tenth is enough
	stranger.Create(t, testkit.OrderJSON("S-4", "")).Must(t, 201)
	space.Free = 90 << 20
	stranger.Create(t, testkit.OrderJSON("S-5", "")).Refused(t, 503, "unavailable")
}

// TestRegistrationLimit: a network registers as many accounts a day as it may, by the API
// and by the page together. What is refused does not count.
func TestRegistrationLimit(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.RegistrationLimit = 2 })
	register := func(name string) *apptest.Answer {
		return s.Do(t, "POST", "/v1/auth/register",
			fmt.Appendf(nil, `{"name":%q,"email":"%s@example.com","password":"brume-et-goélands-1907"}`, name, name))
	}
	form := func(name string) *apptest.Answer {
		page := s.Do(t, "GET", "/portal/register", nil, "Accept", "text/html")
		fields := page.Form(t, "/portal/register", "name", name, "person_name", name, "email", name+"@example.com",
			"password", "brume-et-goélands-1907")
		return s.Do(t, "POST", "/portal/register", fields, "Accept", "text/html", "Content-Type",
			"application/x-www-form-urlencoded")
	}
	register("one").Must(t, 201)
	for range 3 {
		register("").Refused(t, 400, "validation_error")
		register("one").Must(t, 400)
	}
	form("two").Must(t, http.StatusSeeOther)
	refused := register("three").Refused(t, 429, "rate_limited")
	if wait, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || wait < 43_000 || wait > 43_200 {
		t.Errorf("got Retry-After %s, want half a day", refused.Header.Get("Retry-After"))
	}
	form("three").Must(t, http.StatusTooManyRequests)
	s.Clock.Advance(12 * time.Hour)
	register("three").Must(t, 201)
	register("four").Refused(t, 429, "rate_limited")
}
