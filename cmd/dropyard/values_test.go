package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestSlipsNameTheWayOut types what people type wrongly. Nothing is sent, the exit code says that, and the message
// has what to type instead.
func TestSlipsNameTheWayOut(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.env = append(p.env, "DROPYARD_URL=http://127.0.0.1:1", "DROPYARD_KEY=pk_test_a", "DROPYARD_SECRET=sk_test_a",
		"DROPYARD_OPERATOR_TOKEN=opt_a")
	for line, want := range map[string]string{
		"orders lst":                                      "see dropyard orders --help",
		"orders get a b":                                  "see dropyard orders get --help",
		"orders list --created-from yesterday":            `"yesterday" is not a time with an offset (example: 2026-`,
		"orders edit ord_1":                               "the patch: the input is empty",
		"orders edit ord_1 none.json":                     "the patch: open none.json: no such file",
		"orders return ord_1 none.json":                   "the return: open none.json: no such file",
		"locations set MTL-1 none.json":                   "the location: open none.json: no such file",
		"events redeliver e --since 2026-11-23T00:00:00Z": "only one of them is possible",
		"quote --from H2W2M5 --to M5H2N2 --level soon":    `--level must be one of "standard","express","same_day"`,
		"export nightly":                                  "--export-to: set the directory",
		"quote -f order.json --weight 3":                  "--file and --weight can't be used together",
		"quote -f order.json --from H2W2M5":               "--file and --from can't be used together",
		"books adjust --reason x par_1 -12.50":            "write -- in front of the arguments",
		"books pay par_1 12.505":                          `"12.505" is not an amount in dollars and cents`,
		"books pay par_1 $12":                             `"$12" is not an amount in dollars and cents (example: 12.50)`,
		"board move delivered ord_1 --collected 1,500":    `"1,500" is not an amount in dollars and cents`,
		"profiles use live":                               "dropyard profiles lists them",
		"profiles remove live":                            "dropyard profiles lists them",
		"logout --profile live":                           "dropyard profiles lists them",
		"health --url 127.0.0.1:8080":                     "not an http or https URL",
	} {
		p.refused(exitUsage, line, want)
	}
	p.refused(exitFailed, "backup b.db --data gone", "--data names the data directory")
	must(t, os.WriteFile(filepath.Join(p.dir, "order.json"), []byte("{}"), 0o600))
	// What comes as far as the service, where nothing listens: a subcommand that is left out takes its flags all the same.
	for _, line := range []string{"books --json", "settings --json", "quote -f order.json --level express"} {
		p.refused(exitNoAnswer, line, "no response")
	}
}

// TestRemovedProfileSaysHowToRevoke: removing a profile revokes neither its API key nor its token, and each is revoked
// in another way.
func TestRemovedProfileSaysHowToRevoke(t *testing.T) {
	t.Parallel()
	s := (run{dir: testkit.FastDir(t), env: operatorEnv}).serve(t)
	account, p := s.Register(t, "metro"), newPerson(t)
	p.must("login --profile desk --operator --server "+s.URL, "as operator", apptest.OperatorEmail,
		apptest.OperatorPassword)
	p.must("login --profile shop --server "+s.URL, "new API key", account.Email, account.Password)
	p.must("profiles remove desk",
		`^The profile "desk" is removed\.\nIts token is valid until .*DELETE /ops/v1/tokens/\w+\.\n$`)
	p.must("profiles remove shop", `^The profile "shop" is removed\.\nIts API key is still valid; .*\n$`)
}

// TestCardIn reads the file of a card, and what rate-cards get prints.
func TestCardIn(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a file": `{"version":"2027-1"}`, "what get prints": `{"card_id":"crd_1","version":"x","card":{"version":"2027-1"}}`,
	} {
		if card, err := cardIn([]byte(content)); err != nil || card.Version != "2027-1" {
			t.Errorf("%s: got %+v, %v, want the version 2027-1", name, card, err)
		}
	}
	if card, err := cardIn([]byte(`{`)); err == nil {
		t.Errorf("got %+v for half a file, want an error", card)
	}
}

// TestEventShowsItsEndpoints: the attempts at the first endpoint and the states at the others are separate tables.
func TestEventShowsItsEndpoints(t *testing.T) {
	t.Parallel()
	s := (run{dir: testkit.FastDir(t), env: []string{"DROPYARD_WEBHOOK_ALLOW_INSECURE=true"}}).serve(t)
	test := s.Register(t, "metro").InTest(t)
	from := (run{}).as(test, s.URL)
	for _, arguments := range []string{
		"webhooks set http://127.0.0.1:1/a --disabled", "webhooks add http://127.0.0.1:1/b --disabled",
	} {
		if got := from.do(t, strings.Fields(arguments)...); got.code != 0 {
			t.Fatalf("%s: got %+v", arguments, got)
		}
	}
	if got := from.do(t, "trigger", "order.updated"); got.code != 0 {
		t.Fatalf("got %+v, want an event", got)
	}
	event := test.Call(t, "GET", "/v1/webhooks/events", nil).Must(t, 200).Text("events", 0, "event_id")
	got := from.do(t, "events", "get", event)
	if !strings.Contains(got.stdout, "ENDPOINT") || strings.Contains(got.stdout, "ATTEMPTED") {
		t.Errorf("got %s, want the state at the second endpoint under ENDPOINT, and no attempts", got.stdout)
	}
}

// TestWaits: an event that is due in a moment waits for nothing.
func TestWaits(t *testing.T) {
	t.Parallel()
	now := testkit.Epoch
	for name, c := range map[string]struct {
		event client.EventRecord
		want  bool
	}{
		"behind another": {client.EventRecord{State: client.EventPending}, true},
		"at an endpoint that is probed": {
			client.EventRecord{State: client.EventPending, NextAttemptAt: now.Add(-time.Hour)}, true,
		},
		"due":       {client.EventRecord{State: client.EventPending, NextAttemptAt: now}, false},
		"delivered": {client.EventRecord{State: client.EventDelivered}, false},
	} {
		if got := waits(&c.event, now); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestSandboxOrderHasABusinessDay: the sample of the first steps causes no warning on a Friday or Saturday.
func TestSandboxOrderHasABusinessDay(t *testing.T) {
	t.Parallel()
	for day := range 7 {
		now := testkit.Epoch.AddDate(0, 0, day)
		window, business := sandboxOrder(now).Pickup.TimeWindow, false
		for at := window.Start; at.Before(window.End); at = at.AddDate(0, 0, 1) {
			business = business || at.Weekday() != time.Saturday && at.Weekday() != time.Sunday
		}
		if !business {
			t.Errorf("on a %s: got the window %v, want a business day in it", now.Weekday(), window)
		}
	}
}
