package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
)

// TestFormsOfPeopleWhoLoseTheirAuthority does the same with the form of every page. A form
// begins by claiming its key, and what it then changes goes the same way as the operations.
func TestFormsOfPeopleWhoLoseTheirAuthority(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, options ...apptest.Option) {
		r := newRig(t, options...)
		forms := 0
		for _, page := range app.PageRoutes() {
			if page.Method == http.MethodGet || page.ChangesNothing || page.For == web.Anyone {
				continue
			}
			forms++
			o := operation{route: page.Method + " " + page.Pattern, as: "owner", prepare: func(r *rig, _ *someone) request {
				target, key := wildcard.ReplaceAllString(page.Pattern, "none"), fmt.Sprintf("_key=%032x", r.number)
				return request{target: target, body: key, kind: "application/x-www-form-urlencoded"}
			}}
			if page.For == web.Operators {
				o.as = string(page.Needs.(operator.Needs).Roles[0])
			}
			r.raceForm(o, losses[forms%len(losses)])
		}
		t.Logf("%d forms", forms)
		if forms < 50 {
			t.Errorf("got %d forms, want more", forms)
		}
	})
}

// raceForm is race for a form, whose person is led to where one signs in.
func (r *rig) raceForm(o operation, l loss) {
	r.t.Helper()
	w := r.person(o, true)
	q, held, before := o.prepare(r, w), false, ""
	r.hold.arm(w.id, 1, func() {
		r.take(l, w)
		before, held = r.dump(""), true
	})
	answer := r.send(o.method(), q, w)
	r.hold.arm("", 0, nil)
	if !held {
		r.t.Fatalf("%s: got status %d without a transaction: %s", o.route, answer.Status, answer.Body)
	}
	to := answer.Header.Get("Location")
	led := l.status == http.StatusUnauthorized && answer.Status == http.StatusSeeOther && strings.Contains(to, "login")
	if answer.Status != l.status && !led {
		r.t.Errorf("%s, %s: got status %d, %s, want %d", o.route, l.name, answer.Status, to, l.status)
	}
	if after := r.dump(""); after != before {
		r.t.Errorf("%s, %s: got rows\n%s\nwant none", o.route, l.name, missing(after, before))
	}
}
